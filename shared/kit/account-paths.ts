import type { DenyRule } from './integration.ts'
import type { Method } from './request.ts'

const byOwner = 'Whoever owns the account does that at the provider.'
const credential = `This reads or replaces a credential of the account. ${byOwner}`
const hook =
  'A webhook sends what the account pays for to an address of the caller, and goes on when the run has ended. ' +
  'Whoever owns the account sets it up at the provider.'
const change = `This changes the account itself. ${byOwner}`
const elsewhere =
  'The provider would send the result to an address of the caller, past the list of those who opted out. Ask without it.'

const writes: Method[] = ['POST', 'PUT', 'PATCH', 'DELETE']
const anywhere = (words: string, reason: string, methods?: Method[]): DenyRule[] =>
  words.split(' ').map((word) => ({ path: `/**/${word}/**`, ...(methods ? { methods } : {}), reason }))

/**
 * Deny rules of API Call that fit any data provider, whatever its paths look like. They refuse to read credentials, set
 * up webhooks, change the account, or have results sent to an address in the request.
 */
export const accountPaths: DenyRule[] = [
  ...anywhere(
    'secret secrets credentials api-key api-keys api_key api_keys apikey apikeys keys token tokens oauth oauth2',
    credential,
  ),
  ...anywhere('webhook webhooks hooks subscriptions audit-logs', hook),
  ...anywhere('billing', change),
  ...anywhere('account user users team teams', change, writes),
  {
    path: '/**',
    query: ['webhook', 'webhook_url', 'webhookUrl', 'callback', 'callback_url', 'callbackUrl'],
    reason: elsewhere,
  },
]
