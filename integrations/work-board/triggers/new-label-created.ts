import { defineTrigger, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { onlyByWebhook } from '../action-types.ts'
import { aboutOf, eventFields, name, thing, eventData } from '../event-schemas.ts'
import { boardsField } from '../watch-fields.ts'
import { boardsConfig, isWatched, resolveWatched, watchBoards } from '../event-filters.ts'

const types = ['createLabel']

export default defineTrigger({
  id: 'new-label-created',
  title: 'New Label Created',
  purpose: 'Starts when a label is created on a watched board.',
  keywords: ['tag', 'category', 'label of a board'],
  icon: 'label',
  oauthScopes: ['read', 'write'],
  config: () => z.strictObject({ boards: boardsConfig() }),
  data: () =>
    z.object({
      ...eventFields(),
      label: thing('The label: id, name and colour; without a colour it has none.', { name: name() }),
    }),
  fields: { boards: boardsField },
  recoverable: 'none',
  webhookOnly: onlyByWebhook(types),
  caveat:
    'Webhook only: labels created while the server could not be reached are not recovered. The labels that a new board comes with start nothing.',
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => types,
    match(event: BoardEvent, config, facts: BoardFacts) {
      const label = aboutOf(event, 'label')
      if (event.type !== 'createLabel' || label === undefined || !isWatched(event, config, facts)) return undefined
      return { ...eventData(event), label }
    },
  },
})
