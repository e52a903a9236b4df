import { defineStep, given, readPage, z } from '#kit'
import { cursor, pageSize } from '../inputs.ts'
import { items, query } from '../queries.ts'
import { item, readItems } from '../records.ts'
import { paging } from '../wire.ts'

export default defineStep({
  id: 'list-items',
  title: 'List Items',
  purpose: 'Returns the items of the account, and how to get the rest.',
  keywords: ['search', 'all items'],
  icon: 'list',
  effect: 'read',
  input: () => z.strictObject({ limit: pageSize(), cursor: cursor() }),
  output: () =>
    z.object({
      items: z.array(item()).meta({ description: 'The items, newest first.' }),
      next: z.string().optional().meta({ description: 'Give it as cursor to get the rest. Absent at the end.' }),
    }),
  async run(ctx, { limit, cursor: next }) {
    const page = await readPage(ctx, query(items), paging, { items: 'data.items.nodes', limit, next })
    return { items: readItems(page.items), ...given({ next: page.next }) }
  },
})
