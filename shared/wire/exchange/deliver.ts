import { fail } from '#kit'
import type { Egress, Place } from '../guard/egress.ts'
import { reasons } from './outcome.ts'
import { isBroken } from './raw-reply.ts'
import type { Transport } from './transport.ts'
import type { Delivered, Outbound } from '../types.ts'

/** Enough for a reason in words; a longer answer is not read. */
const maxReplyBytes = 8 * 1024
const connectMs = 5_000
const maxTargets = 10_000

type Target = { place: Place; target: string }

const readTarget = (egress: Egress, address: string): Target => {
  if (!URL.canParse(address))
    throw fail(
      'invalid_input',
      'The agent\'s address is not a URL. Give it whole, like "https://agents.example/start".',
    )
  const url = new URL(address)
  if (url.username !== '' || url.password !== '')
    throw fail('invalid_input', "The agent's address holds a user name or password. Leave them out: starts are signed.")
  return { place: egress.placeOfAgent(url.origin), target: url.pathname + url.search }
}

/** Addresses are read and checked once each, since the egress rules of a process do not change. */
const createTargets = (egress: Egress) => {
  const targets = new Map<string, Target>()
  return (address: string): Target => {
    const readBefore = targets.get(address)
    if (readBefore) return readBefore
    const target = readTarget(egress, address)
    if (targets.size >= maxTargets) targets.clear()
    targets.set(address, target)
    return target
  }
}

/** Calls agents under the egress rules, without credentials, retries or redirects. */
export const createDeliver = (egress: Egress, transport: Transport) => {
  const targetOf = createTargets(egress)

  const deliver = async ({ url, headers, body, timeoutMs, signal }: Outbound): Promise<Delivered> => {
    const { place, target } = targetOf(url)
    const pool = transport.poolFor(place, connectMs)
    const request = { method: 'POST', target, headers: Object.entries(headers).flat(), body }
    const sent = await transport.send(
      pool,
      request,
      { headersMs: timeoutMs, bodyMs: timeoutMs, totalMs: timeoutMs, maxBytes: maxReplyBytes },
      signal,
    )
    if (!isBroken(sent)) return { status: sent.status, headers: sent.headers, message: sent.bytes.toString('utf8') }
    // The status says how the call ended, even where the rest of the answer could not be read.
    if (sent.status !== undefined)
      return {
        status: sent.status,
        headers: {},
        message: '',
        unread: `The answer could not be read: ${reasons[sent.kind]}.`,
      }
    if (sent.kind === 'closed') throw fail('unavailable', `The agent was not called to the end: ${reasons.closed}.`)
    if (sent.kind === 'blocked') throw fail('not_allowed', `Nothing was sent to the agent: ${reasons.blocked}.`)
    throw fail('unreachable', `The agent could not be reached or did not answer: ${reasons[sent.kind]}.`)
  }

  return { checkTarget: (address: string): void => void readTarget(egress, address), deliver }
}
