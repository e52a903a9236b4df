import { z } from '#kit'
import { boardTrigger } from '../board-trigger.ts'
import type { BoardFacts } from '../event.ts'
import { attachmentKind } from '../event-parts.ts'
import { aboutOf, name, onCard, thing, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, listsConfig } from '../event-filters.ts'

export default boardTrigger({
  id: 'new-attachment',
  title: 'New Attachment',
  purpose: 'Starts when a file or link is attached to a card of a watched board.',
  keywords: ['file', 'link', 'upload', 'document'],
  icon: 'attachment',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig('Only cards in these lists, by id; none for every list.'),
    }),
  data: () =>
    z.object({
      ...onCard(),
      attachment: thing('The attachment; images also have previewUrl.', {
        name: name(),
        url: z.string().optional().meta({ description: 'Address of the file or link.' }),
      }),
      kind: z
        .enum(['file', 'link'])
        .meta({ description: 'A file uploaded to the board, or a link to somewhere else.' }),
    }),
  fields: { boards: boardsField, lists: listsField },
  caveat: "The address of an uploaded file opens only with the account's credentials.",
  on: ['addAttachmentToCard'],
  match(event, _config, facts: BoardFacts) {
    const attachment = aboutOf(event, 'attachment')
    if (attachment === undefined) return undefined
    return { ...cardEventData(event, facts), attachment, kind: attachmentKind(attachment) }
  },
})
