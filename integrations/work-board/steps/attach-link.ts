import { boundedText, defineStep, flag, given, path, webAddress, z } from '#kit'
import { attachment } from '../records.ts'
import { cardFields, cardInput, checkCard } from '../scoped-card.ts'

export default defineStep({
  id: 'attach-link',
  title: 'Attach Link',
  group: 'Attachments',
  purpose: 'Attaches a web address to a card and returns the attachment.',
  keywords: ['url', 'web page', 'reference'],
  icon: 'attachment',
  oauthScopes: ['read', 'write'],
  effect: 'create',
  input: () =>
    z.strictObject({
      ...cardInput(),
      url: webAddress('Address', 'The web address.'),
      name: boundedText('Name', 'Name of the attachment; the address by default.', {
        min: 1,
        max: 256,
        by: 'the board',
      }).optional(),
      setCover: flag('Set as cover', 'Whether an image becomes the cover of the card.').optional(),
    }),
  output: attachment,
  agentFields: ['id', 'name', 'url'],
  fields: {
    ...cardFields,
    url: { placeholder: 'https://www.example.com/brief' },
    name: { placeholder: 'The brief' },
    setCover: { rare: true },
  },
  async run(ctx, { idBoard, idList, idCard, ...attachmentFields }) {
    await checkCard(ctx, { idBoard, idList, idCard })
    return await ctx.send({ method: 'POST', path: path`/1/cards/${idCard}/attachments`, body: given(attachmentFields) })
  },
})
