import { defineEventTrigger, z } from '#kit'
import { events } from './events.ts'

export default defineEventTrigger(events, {
  id: 'new-message',
  title: 'New Message',
  purpose: 'Starts when somebody writes in a watched channel.',
  config: () =>
    z.strictObject({
      channels: z.array(z.string()).max(50).optional().meta({
        title: 'Channels',
        description: 'Only these channels, by id; none for all of them.',
      }),
      word: z.string().optional().meta({ title: 'Word', description: 'Only messages that contain this word.' }),
    }),
  data: () => z.object({ text: z.string().meta({ description: 'The message, as written.' }) }),
  on: ['message.posted'],
  within: { kind: 'channel', field: 'channels' },
  waits: 'a new message in',
  match: ({ text }, { word = '' }) => (text.includes(word) ? { text } : undefined),
})
