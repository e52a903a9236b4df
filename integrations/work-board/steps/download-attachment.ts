import { defineStep, savedFile, textOf, z } from '#kit'
import { idOf } from '../inputs.ts'
import { attachmentsOfCard } from '../options.ts'
import { cardFields, cardInput } from '../scoped-card.ts'
import { findUpload } from '../uploads.ts'

export default defineStep({
  id: 'download-attachment',
  title: 'Download Attachment',
  group: 'Attachments',
  purpose: 'Stores an uploaded attachment of a card as a file, which other steps take, and returns its id.',
  keywords: ['get file', 'save file', 'open attachment'],
  icon: 'attachment',
  oauthScopes: ['read'],
  effect: 'read',
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
  output: () => savedFile('The stored file.'),
  fields: {
    ...cardFields,
    idAttachment: { options: attachmentsOfCard('idCard'), names: 'attachment', dependsOn: ['idCard'] },
  },
  async run(ctx, input) {
    const { row, at } = await findUpload(ctx, input)
    return await ctx.save({ method: 'GET', path: at }, { name: textOf(row, 'name') || textOf(row, 'fileName') })
  },
})
