import { defineStep, flag, given, moment, path, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardRef, cardRef, idOf, listId, position, positionValue, reminder, text } from '../inputs.ts'
import { boardScope, cardChoice, checklistsOfCard, listScope, members } from '../options.ts'
import { checkItem } from '../records.ts'
import { checkScopes } from '../refs.ts'

export default defineStep({
  id: 'create-a-checklist-item',
  title: 'Create a Checklist Item',
  group: 'Checklists',
  purpose: 'Adds an item to an existing checklist and returns it.',
  keywords: ['subtask', 'to-do', 'add item', 'checkbox'],
  icon: 'check-item',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      idBoard: boardRef('Board of the checklist; only narrows the choice of cards.').optional(),
      idList: listId(
        'Id of the list whose cards are offered; only narrows the choice of cards.',
        'List',
        'Narrows the choice of cards.',
      ).optional(),
      idCard: cardRef('Card of the checklist; only narrows the choice of checklists.').optional(),
      idChecklist: idOf(
        'checklist',
        'Checklist',
        'Id of the checklist; Get Card with checklists true returns it.',
        'The checklist of the card.',
      ),
      name: text('Item', 'Text of the item.', 1),
      pos: position('Place in the checklist; last by default.').optional(),
      checked: flag('Checked', 'Whether the item is already done.').optional(),
      due: moment('Due', 'When the item is due (a paid feature of the board).').optional(),
      dueReminder: reminder('Minutes before the due time at which the board reminds.').optional(),
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
    idBoard: boardScope,
    idList: listScope('idBoard'),
    idCard: { ...cardChoice('idBoard', 'idList'), scope: true },
    idChecklist: { options: checklistsOfCard('idCard'), names: 'checklist', dependsOn: ['idCard'] },
    name: { placeholder: 'Send the invoice' },
    pos: specs.position,
    due: { ...specs.due, rare: true },
    dueReminder: specs.dueReminder,
    idMember: {
      options: members({ boards: ['idBoard'], card: 'idCard' }),
      names: 'member',
      dependsOn: ['idCard'],
      rare: true,
    },
  },
  async run(ctx, { idBoard, idList: _idList, idCard, idChecklist, pos, ...itemFields }) {
    await checkScopes(ctx, { kind: 'checklist', ref: idChecklist }, [
      { field: 'idBoard', names: 'board', ref: idBoard },
      { field: 'idCard', names: 'card', ref: idCard },
    ])
    return await ctx.send({
      method: 'POST',
      path: path`/1/checklists/${idChecklist}/checkItems`,
      body: given({ ...itemFields, pos: positionValue(pos) }),
    })
  },
})
