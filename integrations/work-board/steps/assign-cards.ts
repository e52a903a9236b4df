import { defineStep, flag, z } from '#kit'
import { changeSet } from '../card-set.ts'
import { idOf } from '../inputs.ts'
import { changeMany, manyAgentFields, manyOutput, whichCards, whichCardsFields } from '../many-cards.ts'
import { members } from '../options.ts'

export default defineStep({
  id: 'assign-cards',
  title: 'Assign Cards',
  group: 'Many cards',
  purpose: 'Puts a member on up to 200 cards in one run, or takes them off, and says of each what became of it.',
  keywords: ['bulk assign', 'many cards', 'batch', 'owner'],
  icon: 'person-add',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  resumes: true,
  input: () =>
    z.strictObject({
      ...whichCards(),
      idMember: idOf('member', 'Member', 'Id of a member of the board of the cards; Get Members returns it.'),
      remove: flag('Take off', 'Whether to take the member off instead.').default(false),
    }),
  output: manyOutput,
  agentFields: manyAgentFields,
  fields: {
    ...whichCardsFields,
    idMember: { options: members({ boards: ['idBoard'] }), dependsOn: ['idBoard'] },
    remove: { rare: true },
  },
  run: (ctx, { idMember, remove, ...which }) =>
    changeMany(ctx, which, async (card) => (await changeSet(ctx, { idCard: card }, 'idMembers', idMember, !remove)).changed),
})
