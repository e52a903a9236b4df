import { boundedText, defineStep, fileRef, flag, given, z } from '#kit'
import { attachFile } from '../card-parts.ts'
import { attachment } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'attach-file',
  title: 'Attach File',
  group: 'Attachments',
  purpose: 'Uploads a file to a card as an attachment and returns it.',
  keywords: ['upload', 'attachment', 'document', 'image', 'attach PDF', 'screenshot'],
  icon: 'attachment',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      ...cardInput(),
      file: fileRef('File', 'The file to attach.').meta({
        agentDescription: 'The file: { file: id of a stored file }, or { name, base64 }.',
      }),
      name: boundedText('Name', 'Name of the attachment; the name of the file by default.', {
        min: 1,
        max: 256,
        by: 'the board',
      }).optional(),
      setCover: flag('Set as cover', 'Whether an image becomes the cover of the card.').optional(),
    }),
  output: attachment,
  agentFields: ['id', 'name', 'url', 'bytes', 'mimeType'],
  fields: { ...cardFields, name: { placeholder: 'Signed contract', rare: true }, setCover: { rare: true } },
  async run(ctx, { idBoard, idList, idCard, file, ...attachmentFields }) {
    await checkCard(ctx, { idBoard, idList, idCard })
    return await attachFile(ctx, idCard, file, given(attachmentFields))
  },
})
