import { defineStep, flag, z } from '#kit'
import { changeSet } from '../card-set.ts'
import { idOf } from '../inputs.ts'
import { changeMany, manyAgentFields, manyOutput, whichCards, whichCardsFields } from '../many-cards.ts'
import { labels } from '../options.ts'

export default defineStep({
  id: 'label-cards',
  title: 'Label Cards',
  group: 'Many cards',
  purpose: 'Adds a label to up to 200 cards in one run, or removes it, and reports the result of each.',
  keywords: ['bulk label', 'tag many cards', 'batch'],
  icon: 'label-add',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  resumes: true,
  input: () =>
    z.strictObject({
      ...whichCards(),
      idLabel: idOf(
        'label',
        'Label',
        "Id of a label of the cards' board; Get Labels returns it.",
        'A label of the board.',
      ),
      remove: flag('Take off', 'Whether to remove the label instead.').default(false),
    }),
  output: manyOutput,
  agentFields: manyAgentFields,
  fields: {
    ...whichCardsFields,
    idLabel: { options: labels({ boards: ['idBoard'] }), names: 'label', dependsOn: ['idBoard'] },
    remove: { rare: true },
  },
  run: (ctx, { idLabel, remove, ...which }) =>
    changeMany(
      ctx,
      which,
      async (card) => (await changeSet(ctx, { idCard: card }, 'idLabels', idLabel, !remove)).changed,
    ),
})
