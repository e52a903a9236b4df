import { defineStep, valueAt, z } from '#kit'
import { itemName } from '../inputs.ts'
import { createItem, mutation } from '../queries.ts'
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
  run: async (ctx, { name }) => valueAt(await ctx.send(mutation(createItem, { name })), 'data.createItem.item'),
})
