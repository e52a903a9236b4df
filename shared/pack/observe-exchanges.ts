import type { Exchanged } from '../pack-types.ts'
import { createScrubber } from '../wire/index.ts'
import type { Account, Wire } from '../wire/index.ts'

const secretsOf = ({ secrets, app, baseUrl }: Account): string[] => [
  ...Object.getOwnPropertyNames(secrets)
    .map((name) => secrets[name]!)
    .filter((value) => value !== '' && value !== baseUrl),
  ...(app ? [app.secret] : []),
]

/**
 * Reports each exchange after it has finished. Secrets do not leave the wire: the listener can only ask whether a text
 * contains one.
 */
export const observeExchanges =
  (wire: Pick<Wire, 'exchange' | 'preview'>, onExchange: (exchanged: Exchanged) => void): Wire['exchange'] =>
  async (call) => {
    const reply = await wire.exchange(call)
    const { profile, account } = call
    const secrets = secretsOf(account)
    const scrubber = createScrubber(secrets)
    onExchange({
      profile,
      type: account.type,
      baseUrl: profile.endpoints?.[call.endpoint ?? '']?.baseUrl ?? account.baseUrl ?? profile.baseUrl!,
      isToAddress: call.address !== undefined,
      sent: wire.preview(call),
      reply,
      // A short secret occurs in other texts by chance, so it must be the whole text.
      holdsSecret: (text) => secrets.includes(text) || scrubber.text(text) !== text,
    })
    return reply
  }
