import { defineTrigger, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { eventData, eventFields } from '../event-schemas.ts'
import { boardsField } from '../watch-fields.ts'
import { boardsConfig, isWatched, resolveWatched, watchBoards } from '../event-filters.ts'

export default defineTrigger({
  id: 'board-closed',
  title: 'Board Closed',
  purpose: 'Starts when a watched board is closed.',
  keywords: ['board archived', 'project ended'],
  icon: 'board',
  oauthScopes: ['read', 'write'],
  config: () => z.strictObject({ boards: boardsConfig() }),
  data: () => z.object(eventFields()),
  fields: { boards: boardsField },
  recoverable: 'all',
  caveat:
    'A closed board is no longer watched until it is opened again. A board that is closed and deleted while the server could not be reached is not recovered.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => ['updateBoard'],
    match(event: BoardEvent, config, facts: BoardFacts) {
      if (
        event.type !== 'updateBoard' ||
        event.before?.closed !== false ||
        event.after?.closed !== true ||
        !isWatched(event, config, facts)
      )
        return undefined
      return eventData(event)
    },
  },
})
