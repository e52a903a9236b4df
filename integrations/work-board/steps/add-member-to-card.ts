import { defineStep, z } from '#kit'
import { changeSet, setOutput } from '../card-set.ts'
import { idOf } from '../inputs.ts'
import { members } from '../options.ts'
import { cardFields, cardInput } from '../scoped-card.ts'

export default defineStep({
  id: 'add-member-to-card',
  title: 'Add Member to Card',
  group: 'Members',
  purpose: 'Assigns one member of the board to a card and keeps its other members.',
  keywords: ['assign', 'assignee', 'owner', 'responsible', 'in charge'],
  icon: 'person-add',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      ...cardInput(),
      idMember: idOf(
        'member',
        'Member',
        "Id of a member of the card's board; Get Members returns it.",
        'A member of the board.',
      ),
    }),
  output: setOutput('idMembers', 'members'),
  fields: {
    ...cardFields,
    idMember: { options: members({ boards: ['idBoard'], card: 'idCard' }), names: 'member', dependsOn: ['idCard'] },
  },
  run: (ctx, { idMember, ...card }) => changeSet(ctx, card, 'idMembers', idMember, true),
})
