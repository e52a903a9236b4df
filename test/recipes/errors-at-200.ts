import { defineStep, path, z } from '#kit'
import { recipe } from './recipe.ts'

const sendMessage = defineStep({
  id: 'send-message',
  title: 'Send Message',
  purpose: 'Sends a message.',
  effect: 'create',
  input: () => z.strictObject({ text: z.string().meta({ title: 'Text', description: 'The message.' }) }),
  output: () => z.looseObject({ ok: z.literal(true) }),
  run: (ctx, { text }) => ctx.send({ method: 'POST', path: path`/messages.send`, body: { text } }),
})

export default recipe({
  id: 'errors-at-200',
  steps: [sendMessage],
  wire: {
    errors: [
      { path: 'error', equals: 'ratelimited', failure: 'rate_limited' },
      { path: 'error', equals: 'invalid_token', failure: 'not_connected' },
      { path: 'error', equals: 'channel_not_found', failure: 'not_found' },
      // The rule for all others comes last: the first one that fits decides.
      { path: 'ok', equals: false, failure: 'rejected' },
    ],
    errorDetails: { message: ['error'] },
  },
})
