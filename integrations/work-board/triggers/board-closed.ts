import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import { eventData, eventFields } from '../event-schemas.ts'
import { boardsField } from '../watch-fields.ts'
import { boardsConfig } from '../event-filters.ts'

export default boardTrigger({
  id: 'board-closed',
  title: 'Board Closed',
  purpose: 'Starts when a watched board is closed.',
  keywords: ['board archived', 'project ended'],
  icon: 'board',
  config: () => z.strictObject({ boards: boardsConfig() }),
  data: () => z.object(eventFields()),
  fields: { boards: boardsField },
  caveat:
    'A closed board is no longer watched until it is opened again. A board that is closed and deleted while the server could not be reached is not recovered.',
  on: ['updateBoard'],
  match(event) {
    if (event.before?.closed !== false || event.after?.closed !== true) return undefined
    return eventData(event)
  },
})
