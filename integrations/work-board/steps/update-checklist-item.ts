import { defineStep, fail, given, moment, path, z } from '#kit'
import * as specs from '../field-specs.ts'
import { idOf, position, positionValue, text } from '../inputs.ts'
import { checklistsOfCard, itemsOfCard, members } from '../options.ts'
import { checkItem } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'update-checklist-item',
  title: 'Update Checklist Item',
  group: 'Checklists',
  purpose:
    'Changes the given properties of a checklist item, or moves it to another checklist of the card, and returns it.',
  keywords: ['edit subtask', 'rename item', 'uncheck', 'reopen item'],
  icon: 'check-item',
  oauthScopes: ['read', 'write'],
  effect: 'update',
  input: () =>
    z.strictObject({
      ...cardInput(),
      idCheckItem: idOf(
        'checklist item',
        'Item',
        'Id of the item; Get Checklists returns it.',
        'The item of the checklist.',
      ),
      name: text('Text', 'New text.', 1).optional(),
      state: z
        .enum(['complete', 'incomplete'])
        .optional()
        .meta({ title: 'State', description: 'Whether the item is done.' }),
      idChecklist: idOf(
        'checklist',
        'Move to checklist',
        'Id of another checklist of the card.',
        'Another checklist of the card.',
      ).optional(),
      pos: position('Place in the checklist.').optional(),
      due: moment('Due', 'When the item is due (a paid feature of the board).').optional(),
      idMember: idOf(
        'member',
        'Member',
        'Id of the board member who does the item (a paid feature of the board).',
        'Who does the item (a paid feature of the board).',
      ).optional(),
    }),
  output: checkItem,
  agentFields: ['id', 'name', 'state', 'idChecklist', 'due', 'idMember'],
  fields: {
    ...cardFields,
    idCheckItem: { options: itemsOfCard('idCard'), names: 'checkItem', dependsOn: ['idCard'] },
    name: { placeholder: 'Send the invoice' },
    state: { labels: { complete: 'Done', incomplete: 'Not done' } },
    idChecklist: { options: checklistsOfCard('idCard'), names: 'checklist', dependsOn: ['idCard'], rare: true },
    pos: specs.position,
    due: { ...specs.due, rare: true },
    idMember: {
      options: members({ boards: ['idBoard'], card: 'idCard' }),
      names: 'member',
      dependsOn: ['idCard'],
      rare: true,
    },
  },
  async run(ctx, { idBoard, idList, idCard, idCheckItem, pos, ...changedFields }) {
    const body = given({ ...changedFields, pos: positionValue(pos) })
    if (Object.keys(body).length === 0)
      throw fail('invalid_input', 'No change is given. Give at least one property of the item, such as name or state.')
    await checkCard(ctx, { idBoard, idList, idCard })
    return await ctx.send({ method: 'PUT', path: path`/1/cards/${idCard}/checkItem/${idCheckItem}`, body })
  },
})
