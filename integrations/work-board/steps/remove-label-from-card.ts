import { defineStep, z } from '#kit'
import { changeSet, setOutput } from '../card-set.ts'
import { idOf } from '../inputs.ts'
import { labelsOfCard } from '../options.ts'
import { cardFields, cardInput } from '../scoped-card.ts'

export default defineStep({
  id: 'remove-label-from-card',
  title: 'Remove Label from Card',
  group: 'Labels',
  purpose: 'Takes one label off a card and keeps its other labels.',
  keywords: ['untag', 'unlabel'],
  icon: 'label',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      ...cardInput(),
      idLabel: idOf('label', 'Label', 'Id of a label of the card.', 'A label that the card has.'),
    }),
  output: setOutput('idLabels', 'labels'),
  fields: { ...cardFields, idLabel: { options: labelsOfCard('idCard'), names: 'label', dependsOn: ['idCard'] } },
  run: (ctx, { idLabel, ...card }) => changeSet(ctx, card, 'idLabels', idLabel, false),
})
