import { defineStep, path, z } from '#kit'
import { deletionOutput } from '../outputs.ts'
import { idOf } from '../inputs.ts'
import { attachmentsOfCard } from '../options.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'delete-attachment',
  title: 'Delete Attachment',
  group: 'Attachments',
  purpose: 'Deletes an attachment of a card for good.',
  keywords: ['remove file', 'remove link'],
  icon: 'attachment',
  oauthScopes: ['read', 'write'],
  effect: 'delete',
  input: () =>
    z.strictObject({
      ...cardInput(),
      idAttachment: idOf(
        'attachment',
        'Attachment',
        'Id of the attachment; Get Attachments returns it.',
        'The attachment of the card.',
      ),
    }),
  output: deletionOutput('attachment'),
  fields: {
    ...cardFields,
    idAttachment: { options: attachmentsOfCard('idCard'), names: 'attachment', dependsOn: ['idCard'] },
  },
  async run(ctx, { idAttachment, ...card }) {
    await checkCard(ctx, card)
    await ctx.send({ method: 'DELETE', path: path`/1/cards/${card.idCard}/attachments/${idAttachment}` })
    return { id: idAttachment, deleted: true }
  },
})
