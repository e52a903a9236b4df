import { defineStep, fail, path, readRow, savedFile, textOf, z } from '#kit'
import { idOf } from '../inputs.ts'
import { attachmentsOfCard } from '../options.ts'
import { resolveId } from '../refs.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

/**
 * The last part of the download's path, which only names the file. Characters that a path cannot contain are replaced.
 */
const lastPart = (name: string) =>
  name.replaceAll(/[/\\%;?#\p{Cc}\p{Cf}]/gu, '_').replaceAll(/^[.\s]+|(?<![.\s])[.\s]+$/g, '') || 'file'

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
      idAttachment: idOf('attachment', 'Attachment', 'Id of the attachment; Get Attachments returns it.'),
    }),
  output: () => savedFile('The stored file.'),
  fields: { ...cardFields, idAttachment: { options: attachmentsOfCard('idCard'), dependsOn: ['idCard'] } },
  async run(ctx, { idAttachment, ...scoped }) {
    const card = (await checkCard(ctx, scoped)) ?? (await resolveId(ctx, 'card', scoped.idCard))
    const query = { fields: 'name,fileName,isUpload,url' }
    const row = readRow(
      await ctx.send({ method: 'GET', path: path`/1/cards/${card}/attachments/${idAttachment}`, query }),
      'an attachment',
    )
    if (row.isUpload !== true) {
      throw fail(
        'invalid_input',
        `The attachment ${idAttachment} is a link to ${textOf(row, 'url').slice(0, 200)}, and no uploaded file. Only uploads are downloaded.`,
      )
    }
    const fileName = textOf(row, 'fileName')
    const at = path`/1/cards/${card}/attachments/${idAttachment}/download/${lastPart(fileName)}`
    return await ctx.save({ method: 'GET', path: at }, { name: textOf(row, 'name') || fileName })
  },
})
