import { actorPart, defineEvents, once, path, say, subjectPart } from '#kit'
import { item } from './records.ts'
import { paging } from './wire.ts'

const itemFields = once(item)

/** What happens at the provider, and the list that shows it. */
export const events = defineEvents<{ name: string }>({
  kinds: {
    'item.created': {
      read(entry) {
        const { id, name, created_at: at, created_by: actor } = itemFields().parse(entry)
        return { id, at, actor: { id: actor }, subject: { kind: 'item', id, name }, name }
      },
      history: {
        request: () => ({ method: 'GET', path: path`/v1/items`, query: { sort: '-created_at' } }),
        paging,
        items: 'items',
      },
      sentence: (event, names) => say`${actorPart(event, names)} created ${subjectPart(event, 'an item', names)}`,
    },
  },
})
