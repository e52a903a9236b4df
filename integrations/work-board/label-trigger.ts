import { z } from '#kit'
import type { Trigger } from '#kit'
import { boardTrigger } from './board-trigger.ts'
import { aboutOf, cardEventData, name, onCard, thing } from './event-schemas.ts'
import { boardsConfig, cardsConfig, listsConfig } from './event-filters.ts'
import type { BoardFacts } from './event.ts'
import { idsOf } from './inputs.ts'
import { boardsField, cardsField, labelsField, listsField } from './watch-fields.ts'

type LabelTrigger = Pick<Trigger, 'id' | 'title' | 'purpose' | 'keywords' | 'icon' | 'caveat'> & {
  eventType: 'addLabelToCard' | 'removeLabelFromCard'
  labelMeaning: string
}

/** Defines a trigger that starts when a label is added to a card, or removed from it. */
export const labelTrigger = ({ eventType, labelMeaning, ...texts }: LabelTrigger) =>
  boardTrigger({
    ...texts,
    config: () =>
      z.strictObject({
        boards: boardsConfig(),
        lists: listsConfig('Only cards in these lists, by id; none for every list.'),
        cards: cardsConfig(),
        labels: idsOf(
          'label',
          'Labels',
          'Only these labels, by id; none for every label.',
          'Only these labels; leave empty for every label.',
        ).optional(),
      }),
    data: () => z.object({ ...onCard(), label: thing(labelMeaning, { name: name() }) }),
    fields: { boards: boardsField, lists: listsField, cards: cardsField, labels: labelsField },
    on: [eventType],
    match(event, config, facts: BoardFacts) {
      const label = aboutOf(event, 'label')
      if (label === undefined) return undefined
      if (config.labels?.length && !config.labels.includes(label.id)) return undefined
      return { ...cardEventData(event, facts), label }
    },
  })
