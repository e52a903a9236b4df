import { defineStep, z } from '#kit'
import { changeSet, setOutput } from '../card-set.ts'
import { idOf } from '../inputs.ts'
import { membersOfCard } from '../options.ts'
import { cardFields, cardInput } from '../scoped-card.ts'

export default defineStep({
  id: 'remove-member-from-card',
  title: 'Remove Member from Card',
  group: 'Members',
  purpose: 'Takes one member off a card and keeps its other members.',
  keywords: ['unassign', 'remove assignee'],
  icon: 'person-add',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      ...cardInput(),
      idMember: idOf('member', 'Member', 'Id of a member of the card.', 'A member of the card.'),
    }),
  output: setOutput('idMembers', 'members'),
  fields: { ...cardFields, idMember: { options: membersOfCard('idCard'), names: 'member', dependsOn: ['idCard'] } },
  run: (ctx, { idMember, ...card }) => changeSet(ctx, card, 'idMembers', idMember, false),
})
