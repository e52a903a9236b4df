import { defineTrigger, path, readPage, z } from '#kit'
import type { PollItem, WatchContext } from '#kit'
import { readItems } from '../records.ts'
import type { Item } from '../records.ts'
import { paging } from '../wire.ts'

/** Reads the newest page. An item that newer ones push off this page between two polls is missed. */
const fetchNewest = async (ctx: WatchContext) => {
  const page = await readPage(ctx, { method: 'GET', path: path`/v1/items`, query: { sort: '-created_at' } }, paging, {
    items: 'items',
  })
  const items = readItems(page.items).map((item): PollItem => ({ id: item.id, at: item.created_at, item }))
  return { items, cursor: undefined }
}

export default defineTrigger({
  id: 'new-item',
  title: 'New Item',
  purpose: 'Starts when an item is created in the account.',
  keywords: ['created', 'added'],
  icon: 'card-add',
  config: () => z.strictObject({}),
  data: () =>
    z.object({
      id: z.string().meta({ description: 'Id of the item.' }),
      name: z.string().meta({ description: 'Name of the item.' }),
    }),
  recoverable: 'some',
  caveat: 'When more than 100 items are created between two polls, only the newest 100 are found.',
  poll: {
    resources: () => ['items'],
    fetch: fetchNewest,
    pick: (items, _config, { since }) =>
      items
        .filter(({ at }) => Date.parse(at) >= since)
        .map((pollItem) => {
          const { id, name, created_by: actor } = pollItem['item'] as Item
          const subject = { kind: 'item', id, name }
          // Actor and objects identify an item that one of our own runs created.
          return { key: id, at: pollItem.at, data: { id, name }, actor, subject, objects: [{ kind: 'item', id }] }
        }),
  },
})
