import { defineTrigger, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { aboutOf, name, onCard, thing, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, isWatched, listsConfig, needsList, resolveWatched, watchBoards } from '../event-filters.ts'

export default defineTrigger({
  id: 'new-checklist',
  title: 'New Checklist',
  purpose: 'Starts when a checklist is added to a card of a watched board.',
  keywords: ['to-do list', 'subtasks'],
  icon: 'checklist',
  oauthScopes: ['read', 'write'],
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
    }),
  data: () => z.object({ ...onCard(), checklist: thing('The checklist added.', { name: name() }) }),
  fields: { boards: boardsField, lists: listsField },
  recoverable: 'all',
  caveat:
    'Checklists copied with a card start nothing. The event does not include the items of the checklist: read the card for them.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => ['addChecklistToCard'],
    needs: needsList,
    match(event: BoardEvent, config, facts: BoardFacts) {
      const checklist = aboutOf(event, 'checklist')
      if (event.type !== 'addChecklistToCard' || checklist === undefined || !isWatched(event, config, facts))
        return undefined
      return { ...cardEventData(event, facts), checklist }
    },
  },
})
