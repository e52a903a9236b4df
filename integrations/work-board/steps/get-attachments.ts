import { defineStep, path, readRows, z } from '#kit'
import { listOutput } from '../outputs.ts'
import { attachments } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'get-attachments',
  title: 'Get Attachments',
  group: 'Attachments',
  purpose: 'Returns the attachments of a card: uploaded files and links.',
  keywords: ['files', 'documents', 'links', 'images'],
  icon: 'attachment',
  oauthScopes: ['read'],
  effect: 'read',
  input: () => z.strictObject(cardInput()),
  output: () => listOutput('attachments', attachments('The attachments of the card.')),
  agentFields: [
    ...['id', 'name', 'url', 'bytes', 'mimeType', 'isUpload', 'date'].map((name) => `attachments.${name}`),
    'count',
  ],
  fields: cardFields,
  async run(ctx, input) {
    await checkCard(ctx, input)
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/cards/${input.idCard}/attachments` }),
      'attachments',
    )
    return { attachments: rows, count: rows.length }
  },
})
