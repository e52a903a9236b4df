import { defineStep, z } from '#kit'
import { changeSet, setOutput } from '../card-set.ts'
import { idOf } from '../inputs.ts'
import { labels } from '../options.ts'
import { cardFields, cardInput } from '../scoped-card.ts'

export default defineStep({
  id: 'add-label-to-card',
  title: 'Add Label to Card',
  group: 'Labels',
  purpose: 'Adds one label of the board to a card and keeps its other labels.',
  keywords: ['tag', 'categorise', 'label card'],
  icon: 'label-add',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      ...cardInput(),
      idLabel: idOf(
        'label',
        'Label',
        "Id of a label of the card's board; Get Labels returns it.",
        'A label of the board.',
      ),
    }),
  output: setOutput('idLabels', 'labels'),
  fields: {
    ...cardFields,
    idLabel: { options: labels({ boards: ['idBoard'], card: 'idCard' }), names: 'label', dependsOn: ['idCard'] },
  },
  run: (ctx, { idLabel, ...card }) => changeSet(ctx, card, 'idLabels', idLabel, true),
})
