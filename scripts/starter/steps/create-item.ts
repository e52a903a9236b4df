import { defineStep, path, z } from '#kit'
import { itemName } from '../inputs.ts'
import { item } from '../records.ts'

export default defineStep({
  id: 'create-item',
  title: 'Create Item',
  purpose: 'Creates an item in the account and returns it.',
  keywords: ['add', 'new item'],
  icon: 'card-add',
  effect: 'create',
  input: () => z.strictObject({ name: itemName() }),
  output: item,
  run: (ctx, { name }) => ctx.send({ method: 'POST', path: path`/v1/items`, body: { name } }),
})
