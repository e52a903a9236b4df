import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import { eventData, eventFields, listPlace, place } from '../event-schemas.ts'
import { boardsField } from '../watch-fields.ts'
import { boardsConfig } from '../event-filters.ts'

const types = ['createList', 'moveListToBoard']

export default boardTrigger({
  id: 'new-list',
  title: 'New List',
  purpose: 'Starts when a list appears on a watched board: created or moved in from another board.',
  keywords: ['column', 'stage', 'list created'],
  icon: 'list-add',
  config: () => z.strictObject({ boards: boardsConfig() }),
  data: () =>
    z.object({
      ...eventFields(),
      list: listPlace().optional().meta({ description: 'The list.' }),
      way: z.enum(['created', 'moved']).meta({ description: 'How the list came to be on the board.' }),
      from: place().optional().meta({ description: 'Of a moved list: the board it came from.' }),
    }),
  fields: { boards: boardsField },
  caveat: 'The lists that a new board begins with, and those of a copied board, start nothing.',
  on: types,
  match(event) {
    return {
      ...eventData(event),
      ...(event.list ? { list: event.list } : {}),
      way: event.type === 'createList' ? ('created' as const) : ('moved' as const),
      ...(event.from ? { from: event.from } : {}),
    }
  },
})
