import { fail } from '#kit'
import type { ExampleCase, Integration, Json, Method, WireProfile } from '#kit'
import { redacted } from '../pack.ts'
import type { Exchanged } from '../pack-types.ts'

type Exchange = ExampleCase['exchanges'][number]

/** The address at which the contract test reaches an integration without a documented address. */
const undocumented = 'https://provider.example'

/** Headers of a reply that change what a handler does with it. */
const meaningful = ['link', 'location', 'etag', 'last-modified', 'retry-after']

const trimmed = (address: string) => address.replace(/(?<!\/)\/+$/, '')

export const documentedAddress = ({ wire }: Integration) => trimmed(wire.baseUrl ?? undocumented)

const placedNames = ({ auth }: WireProfile, type: string, place: 'query' | 'body'): string[] => {
  const placement = auth[type]
  return placement && placement.place === place ? Object.keys(placement.fields) : []
}

const without = (body: Json | undefined, names: string[]): Json | undefined => {
  if (names.length === 0 || typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const keptEntries = Object.entries(body).filter(([name]) => !names.includes(name))
  return keptEntries.length === 0 ? undefined : Object.fromEntries(keptEntries)
}

const queryOf = (url: URL, left: string[]) => {
  const names = [...new Set(url.searchParams.keys())].filter((name) => !left.includes(name))
  return Object.fromEntries(
    names.map((name): [string, string | string[]] => {
      const values = url.searchParams.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    }),
  )
}

const formValue = (value: Json): Json => (Array.isArray(value) ? value.map(formValue) : String(value ?? ''))

/** A body as an example writes it, and how it was sent where that is neither JSON nor multipart. */
const bodyAs = (body: Json, contentType = ''): Pick<Exchange['request'], 'body' | 'bodyAs'> => {
  if (/^text\/|xml/.test(contentType)) return { body, bodyAs: 'text' }
  if (!contentType.startsWith('application/x-www-form-urlencoded')) return { body }
  const fields = Object.entries(body as { [name: string]: Json }).map(([name, value]) => [name, formValue(value)])
  return { body: Object.fromEntries(fields) as Json, bodyAs: 'form' }
}

/** The request as it was sent, without what the account adds. */
const requestOf = (
  { profile, type, sent, baseUrl, isToAddress }: Exchanged,
  documented: string,
): Exchange['request'] => {
  if (isToAddress)
    throw fail(
      'conflict',
      'A request went to an address that the provider gave, which is not stored, so nothing was recorded. Write this case by hand: its request has an "origin".',
    )
  const url = new URL(documented + sent.url.slice(trimmed(baseUrl).length))
  if (url.pathname.includes(redacted))
    throw fail(
      'not_allowed',
      'The path of a request holds a secret, so this run cannot be an example. Nothing was recorded.',
    )
  const query = queryOf(url, placedNames(profile, type, 'query'))
  const body = without(sent.body, placedNames(profile, type, 'body'))
  return {
    method: sent.method as Method,
    path: url.pathname,
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(body === undefined ? {} : bodyAs(body, sent.headers['content-type'])),
  }
}

/** Headers that the profile reads, those that change what a handler does, and the type of a body that is not JSON. */
const headersOf = ({ profile, reply }: Exchanged, shown: string[]): Record<string, string> => {
  const read = [
    ...profile.errors.map(({ header }) => header?.name),
    ...Object.values(profile.endpoints ?? {}).map(({ credits }) => credits && 'header' in credits && credits.header),
  ]
  const headerNames = new Set([
    ...meaningful,
    ...shown,
    ...read.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()),
  ])
  const headers = Object.fromEntries(
    Object.entries(reply.headers).filter(([name]) => headerNames.has(name.toLowerCase())),
  )
  const contentType = reply.headers['content-type']
  return reply.json || reply.body === null || contentType === undefined
    ? headers
    : { ...headers, 'content-type': contentType }
}

/**
 * Exchanges of a run as an example writes them.
 * @throws Failure `conflict` for a refusal that was repeated: how often depends on what was sent before
 */
export const exchangesOf = (exchanges: Exchanged[], integration: Integration, shown: string[]): Exchange[] =>
  exchanges.map((exchange) => {
    const { status, body, attempts } = exchange.reply
    if (status >= 400 && attempts > 1)
      throw fail(
        'conflict',
        `The request was sent ${attempts} times, as the provider may recover from status ${status}. How often depends on what was sent before, so nothing was recorded. Record a refusal that is final, such as a 404.`,
      )
    const headers = headersOf(exchange, shown)
    return {
      request: requestOf(exchange, documentedAddress(integration)),
      reply: { status, ...(Object.keys(headers).length > 0 ? { headers } : {}), body },
    }
  })

/** Puts the documented address of the provider in place of those in use. */
export const readdressing = (exchanges: Exchanged[], integration: Integration) => {
  const here = new Set(exchanges.map(({ baseUrl }) => new URL(baseUrl).origin))
  const there = new URL(documentedAddress(integration)).origin
  return (text: string): string => [...here].reduce((sum, origin) => sum.replaceAll(origin, there), text)
}
