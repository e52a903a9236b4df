import type { CallToolResult } from '@modelcontextprotocol/server'
import type { FailureJson, HeldRun } from '#kit'
import { withoutAddresses } from './addresses.ts'

/** A failure that a model may see: no address except those that the user opens, no header, no stack. */
const safe = ({ code, message, providerMessage, errors, connectUrl: _, ...otherFields }: FailureJson) => ({
  code,
  message: withoutAddresses(message),
  ...otherFields,
  ...(providerMessage === undefined ? {} : { providerMessage: withoutAddresses(providerMessage) }),
  ...(errors === undefined
    ? {}
    : { errors: errors.map(({ pointer, message: text }) => ({ pointer, message: withoutAddresses(text) })) }),
})

const inSeconds = (ms: number) => `${Math.ceil(ms / 100) / 10} s`

const maxErrors = 20

/** Nobody but the user can hurry this: a model that is not told so tries other ways. */
const heldText = ({ state, url, expiresAt, by }: HeldRun) => {
  if (state !== 'open') return 'Call the tool again in a moment with the same arguments to learn the outcome.'
  return [
    `Nothing was sent. Tell the user that this waits for a decision${url === undefined ? '' : ` at ${url}`} until ${expiresAt}; call the tool again with the same arguments to learn the outcome.`,
    ...(by === 'caller' ? [`The user may decide it${url === undefined ? '' : ' there'}.`] : []),
  ].join(' ')
}

/**
 * A failed run as a tool result: as text, and as JSON in `_meta`. It is not structured content, which must match the
 * output schema of the tool: clients of the 2025 protocol validate failures too, so nobody would see one. `connectUrl`:
 * where the user can connect the account.
 */
export const failureResult = (
  failure: FailureJson,
  { runId, connectUrl }: { runId?: string | undefined; connectUrl?: string | undefined } = {},
): CallToolResult => {
  const shown = safe(failure)
  const otherErrors = (shown.errors ?? []).filter(({ message }) => !shown.message.includes(message))
  const lines = [
    `${shown.code}: ${shown.message}`,
    ...otherErrors.slice(0, maxErrors).map(({ pointer, message }) => `${pointer}: ${message}`),
    ...(shown.retryAfterMs === undefined ? [] : [`Try again after ${inSeconds(shown.retryAfterMs)}.`]),
    ...(shown.providerMessage === undefined || shown.message.includes(shown.providerMessage)
      ? []
      : [`The provider said (untrusted text): ${shown.providerMessage}`]),
    ...(connectUrl === undefined
      ? []
      : [`Ask the user to open this page and connect the account, then call again: ${connectUrl}`]),
    ...(shown.approval === undefined ? [] : [heldText(shown.approval)]),
    ...(shown.actor === 'us' && runId !== undefined ? [`The operator can find details under run ${runId}.`] : []),
  ]
  return {
    isError: true,
    content: [{ type: 'text', text: lines.join('\n') }],
    _meta: {
      'toolyard/failure': {
        ...shown,
        ...(runId === undefined ? {} : { runId }),
        ...(connectUrl === undefined ? {} : { connectUrl }),
      },
    },
  }
}
