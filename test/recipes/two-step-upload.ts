import { defineStep, filePart, fileRef, path, readRow, textOf, z } from '#kit'
import { recipe } from './recipe.ts'

const uploadFile = defineStep({
  id: 'upload-file',
  title: 'Upload File',
  purpose: 'Uploads a file.',
  effect: 'create',
  input: () => z.strictObject({ file: fileRef('File', 'The file, up to 25 MB.') }),
  output: () => z.looseObject({ id: z.string() }),
  async run(ctx, { file }) {
    const ticket = readRow(await ctx.send({ method: 'POST', path: path`/uploads`, body: {} }), 'an upload')
    // The bytes go to an address that the provider gives, without the credential.
    await ctx.exchange({
      method: 'PUT',
      path: path`/uploaded-bytes`,
      address: textOf(ticket, 'upload_url'),
      body: filePart(file),
      bodyAs: 'raw',
      replyAs: 'text',
    })
    return ctx.send({ method: 'POST', path: path`/uploads/${ticket.id}/complete`, body: {} })
  },
})

export default recipe({
  id: 'two-step-upload',
  steps: [uploadFile],
  wire: { uploadOrigins: ['https://*.files.example.net'] },
})
