import { z } from '#kit'
import type { Trigger } from '#kit'
import { cardTrigger } from './card-trigger.ts'
import { cardEventData, onCard } from './event-schemas.ts'
import { boardsConfig, listsConfig } from './event-filters.ts'
import type { BoardFacts } from './event.ts'
import { boardsField, listsField } from './watch-fields.ts'

type ArchiveTrigger = Pick<Trigger, 'id' | 'title' | 'purpose' | 'keywords' | 'icon' | 'caveat'> & {
  isArchived: boolean
}

/** Defines a trigger that starts when a card is archived, or restored. */
export const archiveTrigger = ({ isArchived, ...texts }: ArchiveTrigger) =>
  cardTrigger({
    ...texts,
    config: () =>
      z.strictObject({
        boards: boardsConfig(),
        lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      }),
    data: () => z.object(onCard()),
    fields: { boards: boardsField, lists: listsField },
    on: ['updateCard'],
    match(event, config, facts: BoardFacts) {
      const hasTurned = event.before?.closed === !isArchived && event.after?.closed === isArchived
      return hasTurned ? cardEventData(event, facts) : undefined
    },
  })
