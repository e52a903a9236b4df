import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import { aboutOf, eventFields, name, thing, eventData } from '../event-schemas.ts'
import { boardsField } from '../watch-fields.ts'
import { boardsConfig } from '../event-filters.ts'

export default boardTrigger({
  id: 'new-label-created',
  title: 'New Label Created',
  purpose: 'Starts when a label is created on a watched board.',
  keywords: ['tag', 'category', 'label of a board'],
  icon: 'label',
  config: () => z.strictObject({ boards: boardsConfig() }),
  data: () =>
    z.object({
      ...eventFields(),
      label: thing('The label: id, name and colour; without a colour it has none.', { name: name() }),
    }),
  fields: { boards: boardsField },
  caveat:
    'Webhook only: labels created while the server could not be reached are not recovered. The labels that a new board comes with start nothing.',
  on: ['createLabel'],
  match(event) {
    const label = aboutOf(event, 'label')
    if (label === undefined) return undefined
    return { ...eventData(event), label }
  },
})
