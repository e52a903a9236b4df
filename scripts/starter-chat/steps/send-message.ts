import { defineStep, path, valueAt, z } from '#kit'
import { channel, messageText } from '../inputs.ts'
import { message } from '../records.ts'

export default defineStep({
  id: 'send-message',
  title: 'Send Message',
  purpose: 'Sends a message to a channel and returns it.',
  keywords: ['post', 'write', 'chat'],
  icon: 'comment',
  effect: 'create',
  input: () => z.strictObject({ channel: channel(), text: messageText() }),
  output: message,
  run: async (ctx, { channel: to, text }) =>
    valueAt(await ctx.send({ method: 'POST', path: path`/v1/messages`, body: { channel: to, text } }), 'message'),
})
