import { defineStep, flag, z } from '#kit'
import { changeSet } from '../card-set.ts'
import { idOf } from '../inputs.ts'
import { changeMany, manyAgentFields, manyOutput, whichCards, whichCardsFields } from '../many-cards.ts'
import { labels } from '../options.ts'

export default defineStep({
  id: 'label-cards',
  title: 'Label Cards',
  group: 'Many cards',
  purpose: 'Puts a label on up to 200 cards in one run, or takes it off, and says of each what became of it.',
  keywords: ['bulk label', 'tag many cards', 'batch'],
  icon: 'label-add',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  resumes: true,
  input: () =>
    z.strictObject({
      ...whichCards(),
      idLabel: idOf('label', 'Label', 'Id of a label of the board of the cards; Get Labels returns it.'),
      remove: flag('Take off', 'Whether to take the label off instead.').default(false),
    }),
  output: manyOutput,
  agentFields: manyAgentFields,
  fields: {
    ...whichCardsFields,
    idLabel: { options: labels({ boards: ['idBoard'] }), dependsOn: ['idBoard'] },
    remove: { rare: true },
  },
  run: (ctx, { idLabel, remove, ...which }) =>
    changeMany(ctx, which, async (card) => (await changeSet(ctx, { idCard: card }, 'idLabels', idLabel, !remove)).changed),
})
