import { z } from '#kit'
import { cardTrigger } from '../card-trigger.ts'
import * as specs from '../field-specs.ts'
import type { BoardFacts } from '../event.ts'
import { onCard, cardEventData } from '../event-schemas.ts'
import { boardsField, cardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, cardsConfig, listsConfig } from '../event-filters.ts'

const changes = ['set', 'moved', 'removed'] as const
type Change = (typeof changes)[number]
const date = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export default cardTrigger({
  id: 'card-due-date-changed',
  title: 'Card Due Date Changed',
  purpose: 'Starts when the due date of a card on a watched board is set, moved or removed.',
  keywords: ['deadline', 'postponed', 'rescheduled'],
  icon: 'clock',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      cards: cardsConfig(),
      changes: z.array(z.enum(changes)).max(changes.length).optional().meta({
        title: 'Changes',
        description:
          'Only these: a date where there was none (set), another date (moved), no date any more (removed). None for all.',
      }),
    }),
  data: () =>
    z.object({
      ...onCard(),
      change: z.enum(changes).meta({ description: 'set, moved or removed.' }),
      due: z.string().nullable().meta({ description: 'The due date now, in UTC; null: none.' }),
      dueBefore: z.string().nullable().meta({ description: 'The due date before, in UTC; null: none.' }),
    }),
  fields: { boards: boardsField, lists: listsField, cards: cardsField, changes: { labels: specs.dueChanges } },
  caveat: 'A due date that a card is created with starts nothing, and neither does marking it complete.',
  on: ['updateCard'],
  match(event, config, facts: BoardFacts) {
    if (event.before?.due === undefined) return undefined
    const [due, dueBefore] = [date(event.after?.due), date(event.before.due)]
    const change: Change = dueBefore === null ? 'set' : due === null ? 'removed' : 'moved'
    if (config.changes?.length && !config.changes.includes(change)) return undefined
    return { ...cardEventData(event, facts), change, due, dueBefore }
  },
})
