import { defineStep, given, path, z } from '#kit'
import * as specs from '../field-specs.ts'
import { idOf, position, positionValue, text } from '../inputs.ts'
import { checklistsOfBoard } from '../options.ts'
import { checklist } from '../records.ts'
import { resolveId } from '../refs.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'add-checklist',
  title: 'Add Checklist',
  group: 'Checklists',
  purpose: 'Adds a checklist to a card, empty or as a copy of another checklist, and returns it.',
  keywords: ['to-do list', 'subtasks', 'copy checklist'],
  icon: 'checklist',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      ...cardInput(),
      name: text('Name', 'Name of the checklist, "Checklist" by default.', 1).optional(),
      idChecklistSource: idOf(
        'checklist',
        'Copy from checklist',
        'Id of a checklist to copy the items of.',
        'A checklist whose items are copied.',
      ).optional(),
      pos: position('Place among the checklists of the card.').optional(),
    }),
  output: checklist,
  agentFields: ['id', 'name', 'idCard', 'checkItems.id', 'checkItems.name', 'checkItems.state'],
  fields: {
    ...cardFields,
    idChecklistSource: {
      options: checklistsOfBoard({ boards: ['idBoard'], card: 'idCard' }),
      names: 'checklist',
      dependsOn: ['idCard'],
    },
    name: { placeholder: 'Before the launch' },
    pos: specs.position,
  },
  async run(ctx, { idBoard, idList, idCard, pos, ...checklistFields }) {
    const cardId = await checkCard(ctx, { idBoard, idList, idCard })
    const body = given({
      idCard: cardId ?? (await resolveId(ctx, 'card', idCard)),
      ...checklistFields,
      pos: positionValue(pos),
    })
    return await ctx.send({ method: 'POST', path: path`/1/checklists`, body })
  },
})
