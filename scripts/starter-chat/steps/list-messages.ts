import { defineStep, given, path, readPage, z } from '#kit'
import { channel, cursor, pageSize } from '../inputs.ts'
import { message, readMessages } from '../records.ts'
import { paging } from '../wire.ts'

export default defineStep({
  id: 'list-messages',
  title: 'List Messages',
  purpose: 'Returns the messages of a channel, and how to get the rest.',
  keywords: ['read', 'history of a channel'],
  icon: 'list',
  effect: 'read',
  input: () => z.strictObject({ channel: channel(), limit: pageSize(), cursor: cursor() }),
  output: () =>
    z.object({
      messages: z.array(message()).meta({ description: 'The messages, newest first.' }),
      next: z.string().optional().meta({ description: 'Give it as cursor to get the rest. Absent at the end.' }),
    }),
  async run(ctx, { channel: of, limit, cursor: next }) {
    const request = { method: 'GET' as const, path: path`/v1/messages`, query: { channel: of } }
    const page = await readPage(ctx, request, paging, { items: 'messages', limit, next })
    return { messages: readMessages(page.items), ...given({ next: page.next }) }
  },
})
