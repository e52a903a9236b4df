import { defineTrigger, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { onlyByWebhook } from '../action-types.ts'
import { aboutOf, name, onCard, thing, cardEventData } from '../event-schemas.ts'
import { idsOf } from '../inputs.ts'
import { boardsField, cardsField, labelsField, listsField } from '../watch-fields.ts'
import { boardsConfig, cardsConfig, isWatched, listsConfig, needsList, resolveWatched, watchBoards } from '../event-filters.ts'

const types = ['removeLabelFromCard']

export default defineTrigger({
  id: 'label-removed-from-card',
  title: 'Label Removed from Card',
  purpose: 'Starts when a label is taken off a card of a watched board.',
  keywords: ['untagged', 'category', 'unlabelled'],
  icon: 'label',
  oauthScopes: ['read', 'write'],
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
      cards: cardsConfig(),
      labels: idsOf('label', 'Labels', 'Only these labels, by id; none for every label.').optional(),
    }),
  data: () => z.object({ ...onCard(), label: thing('The label taken off: id, name and colour; without a colour it has none.', { name: name() }) }),
  fields: { boards: boardsField, lists: listsField, cards: cardsField, labels: labelsField },
  recoverable: 'none',
  webhookOnly: onlyByWebhook(types),
  caveat: 'Webhook only: labels taken off while the server could not be reached are not recovered. Deleting a label of the board starts nothing.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => types,
    needs: needsList,
    match(event: BoardEvent, config, facts: BoardFacts) {
      const label = aboutOf(event, 'label')
      if (event.type !== 'removeLabelFromCard' || label === undefined || !isWatched(event, config, facts)) return undefined
      if (config.labels?.length && !config.labels.includes(label.id)) return undefined
      return { ...cardEventData(event, facts), label }
    },
  },
})
