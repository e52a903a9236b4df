import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import type { BoardFacts } from '../event.ts'
import { aboutOf, name, onCard, thing, cardEventData } from '../event-schemas.ts'
import { boardsField, cardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, cardsConfig, isTickedOff, listsConfig, needsList } from '../event-filters.ts'

export default boardTrigger({
  id: 'checklist-completed',
  title: 'Checklist Completed',
  purpose: 'Starts when the last open item of a checklist on a watched board is ticked off.',
  keywords: ['all items done', 'subtasks done', 'checklist finished'],
  icon: 'checklist',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      cards: cardsConfig(),
    }),
  data: () =>
    z.object({
      ...onCard(),
      checklist: thing('The checklist.', { name: name() }),
      checkItem: thing('The item that was ticked off last.', { name: name() }),
      items: z.int().meta({ description: 'How many items the checklist had when it was read.' }),
    }),
  fields: { boards: boardsField, lists: listsField, cards: cardsField },
  caveat:
    'The items are read when the event is handled. A checklist whose last open item is deleted rather than ticked off starts nothing, and neither does one that was deleted, that the account can no longer see, or whose history no longer reaches back to the event.',
  on: ['updateCheckItemStateOnCard'],
  needs: (event, config) => (isTickedOff(event) ? [...needsList(event, config), 'completed' as const] : []),
  match(event, _config, facts: BoardFacts) {
    const [checklist, checkItem] = [aboutOf(event, 'checklist'), aboutOf(event, 'checkItem')]
    if (checklist === undefined || checkItem === undefined || !isTickedOff(event)) return undefined
    if (facts.completed === undefined || !facts.completed.isComplete) return undefined
    return { ...cardEventData(event, facts), checklist, checkItem, items: facts.completed.items }
  },
})
