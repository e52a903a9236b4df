import { defineEventTrigger, z } from '#kit'
import { events } from '../events.ts'

export default defineEventTrigger(events, {
  id: 'new-message',
  title: 'New Message',
  purpose: 'Starts when somebody writes in one of the watched channels.',
  keywords: ['chat', 'posted'],
  icon: 'comment',
  config: () =>
    z.strictObject({
      channels: z
        .array(z.string().min(1).max(50))
        .min(1)
        .max(20)
        .meta({ title: 'Channels', description: 'Ids of the channels to watch, 1 to 20.' }),
    }),
  data: () =>
    z.object({
      id: z.string().meta({ description: 'Id of the message.' }),
      channel: z.string().meta({ description: 'Id of the channel.' }),
      user: z.string().meta({ description: 'Id of the person who wrote it.' }),
      text: z.string().meta({ description: 'What the message says.' }),
    }),
  on: ['message.sent'],
  within: { kind: 'channel', field: 'channels' },
  waits: 'a message in',
  match: ({ subject, container, actor, text }) => ({
    id: subject!.id,
    channel: container!.id,
    user: actor!.id,
    text,
  }),
})
