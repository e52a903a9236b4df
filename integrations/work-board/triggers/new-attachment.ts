import { defineTrigger, z } from '#kit'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { aboutOf, name, onCard, thing, cardEventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, isWatched, listsConfig, needsList, resolveWatched, watchBoards } from '../event-filters.ts'

/** The board serves uploaded files under the attachment's own id; anything else is a link. */
const kindOf = ({ id, url }: { id: string; [field: string]: unknown }) =>
  typeof url === 'string' && url.includes(`/attachments/${id}/`) ? ('file' as const) : ('link' as const)

export default defineTrigger({
  id: 'new-attachment',
  title: 'New Attachment',
  purpose: 'Starts when a file or link is attached to a card of a watched board.',
  keywords: ['file', 'link', 'upload', 'document'],
  icon: 'attachment',
  oauthScopes: ['read', 'write'],
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
  recoverable: 'all',
  caveat: "The address of an uploaded file opens only with the account's credentials.",
  resolve: resolveWatched,
  webhook: {
    watch: watchBoards,
    types: () => ['addAttachmentToCard'],
    needs: needsList,
    match(event: BoardEvent, config, facts: BoardFacts) {
      const attachment = aboutOf(event, 'attachment')
      if (event.type !== 'addAttachmentToCard' || attachment === undefined || !isWatched(event, config, facts))
        return undefined
      return { ...cardEventData(event, facts), attachment, kind: kindOf(attachment) }
    },
  },
})
