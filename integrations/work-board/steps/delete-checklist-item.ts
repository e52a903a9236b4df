import { defineStep, path, z } from '#kit'
import { deletionOutput } from '../outputs.ts'
import { idOf } from '../inputs.ts'
import { itemsOfCard } from '../options.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'delete-checklist-item',
  title: 'Delete Checklist Item',
  group: 'Checklists',
  purpose: 'Deletes an item of a checklist for good.',
  keywords: ['remove subtask', 'remove item'],
  icon: 'check-item',
  oauthScopes: ['read', 'write'],
  effect: 'delete',
  input: () =>
    z.strictObject({
      ...cardInput(),
      idCheckItem: idOf(
        'checklist item',
        'Item',
        'Id of the item; Get Checklists returns it.',
        'The item of the checklist.',
      ),
    }),
  output: deletionOutput('checklist item'),
  fields: { ...cardFields, idCheckItem: { options: itemsOfCard('idCard'), names: 'checkItem', dependsOn: ['idCard'] } },
  async run(ctx, { idCheckItem, ...card }) {
    await checkCard(ctx, card)
    await ctx.send({ method: 'DELETE', path: path`/1/cards/${card.idCard}/checkItem/${idCheckItem}` })
    return { id: idCheckItem, deleted: true }
  },
})
