import { defineStep, path, z } from '#kit'
import { deletionOutput } from '../outputs.ts'
import { idOf } from '../inputs.ts'
import { checklistsOfCard } from '../options.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'delete-checklist',
  title: 'Delete Checklist',
  group: 'Checklists',
  purpose: 'Deletes a checklist of a card for good, with its items.',
  keywords: ['remove checklist', 'to-do list'],
  icon: 'checklist',
  oauthScopes: ['read', 'write'],
  effect: 'delete',
  input: () =>
    z.strictObject({
      ...cardInput(),
      idChecklist: idOf(
        'checklist',
        'Checklist',
        'Id of the checklist; Get Checklists returns it.',
        'The checklist of the card.',
      ),
    }),
  output: deletionOutput('checklist'),
  fields: {
    ...cardFields,
    idChecklist: { options: checklistsOfCard('idCard'), names: 'checklist', dependsOn: ['idCard'] },
  },
  async run(ctx, { idChecklist, ...card }) {
    await checkCard(ctx, card)
    await ctx.send({ method: 'DELETE', path: path`/1/cards/${card.idCard}/checklists/${idChecklist}` })
    return { id: idChecklist, deleted: true }
  },
})
