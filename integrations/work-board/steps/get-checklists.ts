import { defineStep, path, readRows, z } from '#kit'
import { listOutput } from '../outputs.ts'
import { checklists } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'get-checklists',
  title: 'Get Checklists',
  group: 'Checklists',
  purpose: 'Returns the checklists of a card with their items.',
  keywords: ['subtasks', 'to-dos', 'open items'],
  icon: 'checklist',
  oauthScopes: ['read'],
  effect: 'read',
  input: () => z.strictObject(cardInput()),
  output: () => listOutput('checklists', checklists('The checklists of the card, each with its items as checkItems.')),
  agentFields: [
    ...[
      'id',
      'name',
      'checkItems.id',
      'checkItems.name',
      'checkItems.state',
      'checkItems.due',
      'checkItems.idMember',
    ].map((name) => `checklists.${name}`),
    'count',
  ],
  fields: cardFields,
  async run(ctx, input) {
    await checkCard(ctx, input)
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/cards/${input.idCard}/checklists` }),
      'checklists',
    )
    return { checklists: rows, count: rows.length }
  },
})
