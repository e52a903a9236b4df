import { fail, failField, isFailure } from '#kit'
import type { Failure } from '#kit'
import type { Egress, Place } from '../guard/egress.ts'
import type { SaveBody, Wire } from '../types.ts'
import { decoding } from './decode-stream.ts'
import { reasons } from './outcome.ts'
import { isBroken } from './raw-reply.ts'
import type { Transport } from './transport.ts'
import type { Broken, RawReply } from './raw-reply.ts'

const connectMs = 5_000
/** `maxBytes` bounds an answer that is not stored. */
const limits = { headersMs: 30_000, bodyMs: 30_000, totalMs: 600_000, maxBytes: 64 * 1024 }
const maxRedirects = 3
const headers = ['accept', '*/*', 'accept-encoding', 'identity', 'user-agent', 'toolyard']

type Target = { place: Place; path: string }

const readTarget = (egress: Egress, address: string): Target => {
  if (!URL.canParse(address))
    throw failField(
      'url',
      'This is not a URL. Give the whole address of the file, like "https://files.example/report.pdf".',
    )
  const url = new URL(address)
  if (url.username !== '' || url.password !== '')
    throw failField(
      'url',
      'The address holds a user name or password, which would be sent. Give an address that needs none, or upload the file.',
    )
  return { place: egress.placeOfFile(url.origin), path: url.pathname + url.search }
}

const brokenFailure = ({ kind, status, cause }: Broken): Failure => {
  if (isFailure(cause)) return cause
  if (kind === 'blocked')
    return fail(
      'not_allowed',
      `Nothing was fetched: ${reasons.blocked}. Give a public https address, or upload the file.`,
    )
  if (kind === 'cancelled') return fail('cancelled', 'It was cancelled while the file was fetched. Nothing was stored.')
  if (kind === 'too_large' && status !== undefined) return refused(status)
  return fail(
    'unreachable',
    `The file could not be fetched: ${reasons[kind]}. Nothing was stored; check the address, or try again later.`,
  )
}

const refused = (status: number) =>
  fail(
    'rejected',
    `The address answered ${status}, not with a file. Nothing was stored; check the address, or upload the file.`,
    { providerStatus: status },
  )

type Change = (text: string) => string

const plainHeaders = (replyHeaders: RawReply['headers'], change: Change): Record<string, string> =>
  Object.fromEntries(
    Object.entries(replyHeaders).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, change([value].flat().join(', '))]],
    ),
  )

/** What `SaveBody.open` is told about a body: an encoded body has no announced length, since decoding changes it. */
export const announcedOf = (
  replyHeaders: RawReply['headers'],
  change: Change = (text) => text,
): Parameters<SaveBody['open']>[0] => {
  const encoding = String(replyHeaders['content-encoding'] ?? 'identity').toLowerCase()
  const length = replyHeaders['content-length']
  return {
    headers: plainHeaders(replyHeaders, change),
    length: encoding === 'identity' && typeof length === 'string' ? Number(length) : undefined,
  }
}

/** Fetches files from addresses that callers give, under the egress rules, without credentials or retries. */
export const createFetchFile =
  (egress: Egress, transport: Transport): Wire['fetchFile'] =>
  async (address, open, signal) => {
    const { place, path } = readTarget(egress, address)
    const pool = transport.poolFor(place, connectMs)
    const save = (status: number, replyHeaders: RawReply['headers']) =>
      status === 200 ? decoding(replyHeaders['content-encoding'], open(announcedOf(replyHeaders))) : undefined
    let target = path
    for (let hops = 0; hops <= maxRedirects; hops += 1) {
      const sent = await transport.send(pool, { method: 'GET', target, headers, body: undefined }, limits, signal, save)
      if (isBroken(sent)) throw brokenFailure(sent)
      if (sent.saved) return
      const location = sent.status >= 300 && sent.status < 400 ? sent.headers['location'] : undefined
      if (typeof location !== 'string' || !URL.canParse(location, place.origin + target)) throw refused(sent.status)
      const next = new URL(location, place.origin + target)
      if (next.origin !== place.origin || next.username !== '' || next.password !== '')
        throw fail(
          'rejected',
          'The address redirects to another host, which is not followed. Give the address of the file itself, or upload the file.',
          {
            providerStatus: sent.status,
          },
        )
      target = next.pathname + next.search
    }
    throw fail(
      'rejected',
      `The address redirects more than ${maxRedirects} times. Give the address of the file itself, or upload the file.`,
    )
  }
