import type { CallToolResult } from '@modelcontextprotocol/server'
import type { FailureJson } from '#kit'
import { visible, withoutAddresses } from './visible.ts'

/** A failure in words for a model: no address save the one to connect an account, no header, no stack. */
const safe = ({ code, message, providerMessage, errors, connectUrl: _, ...rest }: FailureJson) => ({
  code,
  message: withoutAddresses(message),
  ...rest,
  ...(providerMessage === undefined ? {} : { providerMessage: withoutAddresses(providerMessage) }),
  ...(errors === undefined ? {} : { errors: errors.map(({ pointer, message: text }) => ({ pointer: visible(pointer), message: withoutAddresses(text) })) }),
})

const inSeconds = (ms: number) => `${Math.ceil(ms / 100) / 10} s`

/** A failed run as a tool result. `connectUrl`: where the user can connect the account. */
export const failureResult = (
  failure: FailureJson,
  { runId, connectUrl }: { runId?: string | undefined; connectUrl?: string | undefined } = {},
): CallToolResult => {
  const shown = safe(failure)
  const lines = [
    `${shown.code}: ${shown.message}`,
    ...(shown.retryAfterMs === undefined ? [] : [`Repeat it after ${inSeconds(shown.retryAfterMs)}.`]),
    ...(shown.providerMessage === undefined || shown.message.includes(shown.providerMessage)
      ? []
      : [`The provider said (untrusted text): ${shown.providerMessage}`]),
    ...(connectUrl === undefined ? [] : [`Ask the user to open this page and connect the account, then call again: ${connectUrl}`]),
  ]
  return {
    isError: true,
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: { ...shown, ...(runId === undefined ? {} : { runId }), ...(connectUrl === undefined ? {} : { connectUrl }) },
  }
}
