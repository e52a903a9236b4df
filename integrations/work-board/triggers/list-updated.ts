import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import * as specs from '../field-specs.ts'
import { changedProperties, eventData, eventFields, listPlace } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, listsConfig } from '../event-filters.ts'

const properties = ['name', 'closed', 'pos', 'other'] as const
const named = new Set<string>(properties)

export default boardTrigger({
  id: 'list-updated',
  title: 'List Updated',
  purpose: 'Starts when a list of a watched board is renamed, archived, restored or put in another place.',
  keywords: ['list renamed', 'list archived', 'column changed'],
  icon: 'list',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only these lists, by id; none for every list.'),
      properties: z.array(z.enum(properties)).max(properties.length).optional().meta({
        title: 'Properties',
        description: 'Only changes of these properties; leave empty for all.',
        agentDescription:
          'Only changes of these properties; none for all. "closed" is archiving and restoring, "pos" the place on the board.',
      }),
    }),
  data: () =>
    z.object({
      ...eventFields(),
      list: listPlace().optional().meta({ description: 'The list, as it is called now.' }),
      ...changedProperties(),
    }),
  fields: { boards: boardsField, lists: listsField, properties: { labels: specs.propertiesOfList } },
  caveat: 'Moving a list to another board is no update: New List starts there.',
  on: ['updateList'],
  match(event, config) {
    const changed = Object.keys(event.before ?? {})
    const watchedProperties = config.properties ?? []
    const isWanted = (name: string) => (watchedProperties as string[]).includes(named.has(name) ? name : 'other')
    if (watchedProperties.length > 0 && !changed.some(isWanted)) return undefined
    return {
      ...eventData(event),
      ...(event.list ? { list: event.list } : {}),
      changed,
      before: event.before ?? {},
      after: event.after ?? {},
    }
  },
})
