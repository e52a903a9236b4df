import { defineStep, flag, z } from '#kit'
import { changeSet } from '../card-set.ts'
import { idOf } from '../inputs.ts'
import { changeMany, manyAgentFields, manyOutput, whichCards, whichCardsFields } from '../many-cards.ts'
import { members } from '../options.ts'

export default defineStep({
  id: 'assign-cards',
  title: 'Assign Cards',
  group: 'Many cards',
  purpose: 'Assigns a member to up to 200 cards in one run, or removes them, and reports the result of each.',
  keywords: ['bulk assign', 'many cards', 'batch', 'owner'],
  icon: 'person-add',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  resumes: true,
  input: () =>
    z.strictObject({
      ...whichCards(),
      idMember: idOf(
        'member',
        'Member',
        "Id of a member of the cards' board; Get Members returns it.",
        'A member of the board.',
      ),
      remove: flag('Take off', 'Whether to remove the member instead.').default(false),
    }),
  output: manyOutput,
  agentFields: manyAgentFields,
  fields: {
    ...whichCardsFields,
    idMember: { options: members({ boards: ['idBoard'] }), names: 'member', dependsOn: ['idBoard'] },
    remove: { rare: true },
  },
  run: (ctx, { idMember, remove, ...which }) =>
    changeMany(
      ctx,
      which,
      async (card) => (await changeSet(ctx, { idCard: card }, 'idMembers', idMember, !remove)).changed,
    ),
})
