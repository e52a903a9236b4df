import { actorPart, defineEvents, once, path, say, subjectPart } from '#kit'
import { item } from './records.ts'
import { paging } from './wire.ts'

const itemFields = once(item)

/** What happens at the provider, and the list that shows it. */
export const events = defineEvents<{ name: string }>({
  kinds: {
    'item.changed': {
      read(entry) {
        const { id, name, updated_at: at, updated_by: actor } = itemFields().parse(entry)
        // Each change of an item is an event of its own.
        return { id: `${id} ${at}`, at, actor: { id: actor }, subject: { kind: 'item', id, name }, name }
      },
      history: {
        request: () => ({ method: 'GET', path: path`/v1/items`, query: { sort: '-updated_at' } }),
        paging,
        items: 'items',
        // A poll of a page that has not changed is answered with 304.
        conditional: true,
      },
      sentence: (event, names) => say`${actorPart(event, names)} changed ${subjectPart(event, 'an item', names)}`,
    },
  },
})
