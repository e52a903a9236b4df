import { defineTrigger, z } from '#kit'
import type { Trigger } from '#kit'
import { onlyByWebhook } from './action-types.ts'
import { aboutOf, cardEventData, name, onCard, thing } from './event-schemas.ts'
import {
  boardsConfig,
  cardsConfig,
  isWatched,
  listsConfig,
  needsList,
  resolveWatched,
  watchBoards,
} from './event-filters.ts'
import type { BoardEvent, BoardFacts } from './event.ts'
import { idsOf } from './inputs.ts'
import { boardsField, cardsField, labelsField, listsField } from './watch-fields.ts'

type LabelTrigger = Pick<Trigger, 'id' | 'title' | 'purpose' | 'keywords' | 'icon' | 'caveat'> & {
  eventType: 'addLabelToCard' | 'removeLabelFromCard'
  labelMeaning: string
}

/** Defines a trigger that starts when a label is added to a card, or removed from it. */
export const labelTrigger = ({ eventType, labelMeaning, ...texts }: LabelTrigger) =>
  defineTrigger({
    ...texts,
    oauthScopes: ['read', 'write'],
    config: () =>
      z.strictObject({
        boards: boardsConfig(),
        lists: listsConfig('Only cards in these lists, by id; none for every list.'),
        cards: cardsConfig(),
        labels: idsOf('label', 'Labels', 'Only these labels, by id; none for every label.').optional(),
      }),
    data: () => z.object({ ...onCard(), label: thing(labelMeaning, { name: name() }) }),
    fields: { boards: boardsField, lists: listsField, cards: cardsField, labels: labelsField },
    recoverable: 'none',
    webhookOnly: onlyByWebhook([eventType]),
    resolve: resolveWatched,
    webhook: {
      watch: watchBoards,
      types: () => [eventType],
      needs: needsList,
      match(event: BoardEvent, config, facts: BoardFacts) {
        const label = aboutOf(event, 'label')
        if (event.type !== eventType || label === undefined || !isWatched(event, config, facts)) return undefined
        if (config.labels?.length && !config.labels.includes(label.id)) return undefined
        return { ...cardEventData(event, facts), label }
      },
    },
  })
