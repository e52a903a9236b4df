import { defineStep, path, readPage, z } from '#kit'
import type { PagingRule } from '#kit'
import { recipe } from './recipe.ts'

export const paging: PagingRule = {
  style: 'cursor',
  at: 'meta.next_cursor',
  parameter: 'cursor',
  size: { parameter: 'limit', max: 100 },
}

const listOrders = defineStep({
  id: 'list-orders',
  title: 'List Orders',
  purpose: 'Reads a page of orders.',
  effect: 'read',
  input: () =>
    z.strictObject({
      cursor: z.string().optional().meta({ title: 'Cursor', description: '"next" of the page before.' }),
    }),
  output: () => z.object({ orders: z.array(z.looseObject({ id: z.string() })), next: z.string().optional() }),
  async run(ctx, { cursor }) {
    const page = await readPage(ctx, { method: 'GET', path: path`/orders` }, paging, { items: 'orders', next: cursor })
    return { orders: page.items as { id: string }[], next: page.next }
  },
})

export default recipe({ id: 'rest-with-cursor', steps: [listOrders], wire: {} })
