import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import type { BoardFacts } from '../event.ts'
import { aboutOf, name, onCard, thing, cardEventData } from '../event-schemas.ts'
import { boardsField, cardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, cardsConfig, isTickedOff, listsConfig } from '../event-filters.ts'

export default boardTrigger({
  id: 'checklist-item-completed',
  title: 'Checklist Item Completed',
  purpose: 'Starts when an item of a checklist on a watched board is ticked off.',
  keywords: ['subtask done', 'checked', 'to-do done'],
  icon: 'check-item',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      cards: cardsConfig(),
    }),
  data: () =>
    z.object({
      ...onCard(),
      checklist: thing('The checklist of the item.', { name: name() }).optional(),
      checkItem: thing('The item ticked off.', { name: name() }),
    }),
  fields: { boards: boardsField, lists: listsField, cards: cardsField },
  caveat: 'An item that is ticked off again starts again. Items that are created as done start nothing.',
  on: ['updateCheckItemStateOnCard'],
  match(event, _config, facts: BoardFacts) {
    const checkItem = aboutOf(event, 'checkItem')
    if (checkItem === undefined || !isTickedOff(event)) return undefined
    const checklist = aboutOf(event, 'checklist')
    return { ...cardEventData(event, facts), ...(checklist ? { checklist } : {}), checkItem }
  },
})
