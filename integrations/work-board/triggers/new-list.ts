import { defineTrigger, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { eventData, eventFields, listPlace, place } from '../event-schemas.ts'
import { boardsField } from '../watch-fields.ts'
import { boardsConfig, isWatched, resolveWatched, watchBoards } from '../event-filters.ts'

const types = ['createList', 'moveListToBoard']

export default defineTrigger({
  id: 'new-list',
  title: 'New List',
  purpose: 'Starts when a list appears on a watched board: created or moved in from another board.',
  keywords: ['column', 'stage', 'list created'],
  icon: 'list-add',
  oauthScopes: ['read', 'write'],
  config: () => z.strictObject({ boards: boardsConfig() }),
  data: () =>
    z.object({
      ...eventFields(),
      list: listPlace().optional().meta({ description: 'The list.' }),
      way: z.enum(['created', 'moved']).meta({ description: 'How the list came to be on the board.' }),
      from: place().optional().meta({ description: 'Of a moved list: the board it came from.' }),
    }),
  fields: { boards: boardsField },
  recoverable: 'all',
  caveat: 'The lists that a new board begins with, and those of a copied board, start nothing.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => types,
    match(event: BoardEvent, config, facts: BoardFacts) {
      if (!types.includes(event.type) || !isWatched(event, config, facts)) return undefined
      return {
        ...eventData(event),
        ...(event.list ? { list: event.list } : {}),
        way: event.type === 'createList' ? ('created' as const) : ('moved' as const),
        ...(event.from ? { from: event.from } : {}),
      }
    },
  },
})
