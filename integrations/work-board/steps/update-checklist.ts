import { defineStep, fail, given, path, z } from '#kit'
import * as specs from '../field-specs.ts'
import { boardRef, cardRef, idOf, listId, position, positionValue, text } from '../inputs.ts'
import { boardScope, cardChoice, checklistsOfCard, listScope } from '../options.ts'
import { checklist } from '../records.ts'
import { checkScopes } from '../refs.ts'

export default defineStep({
  id: 'update-checklist',
  title: 'Update Checklist',
  group: 'Checklists',
  purpose: 'Renames a checklist or moves it among the checklists of its card, and returns it.',
  keywords: ['rename checklist', 'reorder', 'to-do list'],
  icon: 'checklist',
  oauthScopes: ['read', 'write'],
  effect: 'update',
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
        'Id of the checklist; Get Checklists returns it.',
        'The checklist of the card.',
      ),
      name: text('Name', 'New name.', 1).optional(),
      pos: position('Place on the card.').optional(),
    }),
  output: checklist,
  agentFields: ['id', 'name', 'idCard', 'pos'],
  fields: {
    idBoard: boardScope,
    idList: listScope('idBoard'),
    idCard: { ...cardChoice('idBoard', 'idList'), scope: true },
    idChecklist: { options: checklistsOfCard('idCard'), names: 'checklist', dependsOn: ['idCard'] },
    name: { placeholder: 'Before publishing' },
    pos: specs.position,
  },
  async run(ctx, { idBoard, idList: _idList, idCard, idChecklist, name, pos }) {
    if (name === undefined && pos === undefined)
      throw fail('invalid_input', 'No change is given. Give name, pos or both.')
    await checkScopes(ctx, { kind: 'checklist', ref: idChecklist }, [
      { field: 'idBoard', names: 'board', ref: idBoard },
      { field: 'idCard', names: 'card', ref: idCard },
    ])
    return await ctx.send({
      method: 'PUT',
      path: path`/1/checklists/${idChecklist}`,
      body: given({ name, pos: positionValue(pos) }),
    })
  },
})
