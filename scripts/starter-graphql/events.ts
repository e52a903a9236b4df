import { actorPart, defineEvents, once, say, subjectPart } from '#kit'
import { items, query } from './queries.ts'
import { item } from './records.ts'
import { paging } from './wire.ts'

const itemFields = once(item)

/** What happens at the provider, and the list that shows it. */
export const events = defineEvents<{ name: string }>({
  kinds: {
    'item.created': {
      read(entry) {
        const { id, name, createdAt: at, createdBy: actor } = itemFields().parse(entry)
        return { id, at, actor: { id: actor }, subject: { kind: 'item', id, name }, name }
      },
      history: { request: () => query(items), paging, items: 'data.items.nodes' },
      sentence: (event, names) => say`${actorPart(event, names)} created ${subjectPart(event, 'an item', names)}`,
    },
  },
})
