import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import type { BoardFacts } from '../event.ts'
import { aboutOf, name, onCard, thing, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, listsConfig } from '../event-filters.ts'

export default boardTrigger({
  id: 'new-checklist',
  title: 'New Checklist',
  purpose: 'Starts when a checklist is added to a card of a watched board.',
  keywords: ['to-do list', 'subtasks'],
  icon: 'checklist',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
    }),
  data: () => z.object({ ...onCard(), checklist: thing('The checklist added.', { name: name() }) }),
  fields: { boards: boardsField, lists: listsField },
  caveat:
    'Checklists copied with a card start nothing. The event does not include the items of the checklist: read the card for them.',
  on: ['addChecklistToCard'],
  match(event, _config, facts: BoardFacts) {
    const checklist = aboutOf(event, 'checklist')
    if (checklist === undefined) return undefined
    return { ...cardEventData(event, facts), checklist }
  },
})
