import { defineStep, path, z } from '#kit'
import { idOf } from '../inputs.ts'
import { itemsOfCard } from '../options.ts'
import { checkItem } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'complete-checklist-item',
  title: 'Complete Checklist Item',
  group: 'Checklists',
  purpose: 'Ticks off a checklist item and returns it. Update Checklist Item (state: incomplete) unticks it.',
  keywords: ['check', 'tick', 'done', 'finish subtask', 'cross out', 'cross off'],
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
    }),
  output: checkItem,
  agentFields: ['id', 'name', 'state', 'idChecklist'],
  fields: { ...cardFields, idCheckItem: { options: itemsOfCard('idCard'), names: 'checkItem', dependsOn: ['idCard'] } },
  async run(ctx, { idCheckItem, ...card }) {
    await checkCard(ctx, card)
    return await ctx.send({
      method: 'PUT',
      path: path`/1/cards/${card.idCard}/checkItem/${idCheckItem}`,
      body: { state: 'complete' },
    })
  },
})
