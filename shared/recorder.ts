import { AsyncLocalStorage } from 'node:async_hooks'
import { fail } from '#kit'
import type { ExampleCase, FailureJson, Integration, Json, Method, WireProfile } from '#kit'
import { redacted } from './pack.ts'
import type { Exchanged, Pack } from './pack-types.ts'
import type { Caller } from './runtime/ports/index.ts'

export type RecordCall = {
  integration: string
  step: string
  connection?: string | undefined
  input: Record<string, unknown>
  title: string
}
export type Recorder = {
  /** Folder of the integration, where the server knows it. */
  folder: string | undefined
  /** The `onExchange` of the pack whose runs are recorded. */
  onExchange(exchanged: Exchanged): void
  /**
   * Runs a step and makes an example case of the run.
   * @throws Failure that of the run, or `not_allowed` when the case would contain a secret
   */
  record(pack: Pack, caller: Caller, call: RecordCall): Promise<ExampleCase>
}

/** The address at which the contract test reaches an integration without a documented address. */
const undocumented = 'https://provider.example'

/** Headers of a reply that change what a handler does with it. */
const meaningful = ['link', 'location', 'etag', 'last-modified', 'retry-after']

/** Names of fields that hold a credential, whatever the provider. */
const secretNames = ['password', 'secret', 'clientsecret', 'accesstoken', 'refreshtoken', 'apikey', 'privatekey']

/** Text that looks like a well-known kind of credential. */
const secretLooking =
  /ATTA[0-9A-Za-z]{20}|Bearer [A-Za-z0-9]{16}|[sr]k_live_|AKIA[0-9A-Z]{12}|gh[pousr]_[A-Za-z0-9]{20}|xox[abprs]-|eyJ[\w-]{10,500}\.[\w-]{10,500}\.|PRIVATE KEY-----/

const normal = (name: string) => name.toLowerCase().replaceAll(/[\s._-]/g, '')

const mapTexts = (value: unknown, change: (text: string, name: string) => string, name = ''): unknown => {
  if (typeof value === 'string') return change(value, name)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, name))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change, key)]))
}

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

const trimmed = (address: string) => address.replace(/(?<!\/)\/+$/, '')

/** The request as it was sent, without what the account adds. */
const requestOf = (
  { profile, type, sent, baseUrl }: Exchanged,
  documented: string,
): ExampleCase['exchanges'][number]['request'] => {
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
    ...(body === undefined ? {} : { body }),
  }
}

/** Headers that the profile reads, and those that change what a handler does. */
const headersOf = ({ profile, reply }: Exchanged, shown: string[]) => {
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

/** Replaces addresses inside a cursor of `readPage` too, which contains the address of the next page. */
const readdressCursor = (text: string, readdress: (text: string) => string): string => {
  const decoded = /^eyJ[\w-]+$/.test(text) ? Buffer.from(text, 'base64url').toString() : ''
  return decoded.startsWith('{"at":') ? Buffer.from(readdress(decoded)).toString('base64url') : text
}

/** @throws Failure `not_allowed` when a secret is left in spite of the masking */
const requireNoSecret = (example: ExampleCase, exchanges: Exchanged[]): void => {
  const texts = [JSON.stringify(example)]
  mapTexts(example, (text) => (texts.push(text), text))
  if (secretLooking.test(texts[0]!) || exchanges.some(({ holdsSecret }) => texts.some(holdsSecret)))
    throw fail(
      'not_allowed',
      'The example would hold a secret, or a text that looks like one, so nothing was recorded. Run it with another input.',
    )
}

const documentedAddress = ({ wire }: Integration) => trimmed(wire.baseUrl ?? undocumented)

const headersShown = (output: unknown) =>
  Object.keys((output as { headers?: Record<string, string> } | null)?.headers ?? {})

/** Makes example cases of real runs, without secrets and without the addresses of this installation. */
export const createRecorder = (folder?: string): Recorder => {
  // Other runs, and polls, continue in the meantime and must not be recorded.
  const recording = new AsyncLocalStorage<Exchanged[]>()
  return {
    folder,
    onExchange: (exchanged) => void recording.getStore()?.push(exchanged),

    async record(pack, caller, { title, ...call }) {
      const exchanges: Exchanged[] = []
      const outcome = await recording.run(exchanges, () => pack.steps.run(caller, call))
      if (!outcome.ok) {
        const { code, message, ...details } = outcome.failure satisfies FailureJson
        throw fail(code, message, details)
      }
      const used = outcome.meta.connection && (await pack.connections.get(caller, outcome.meta.connection.id))
      if (used?.policy?.scopes?.length)
        throw fail(
          'not_allowed',
          `The connection "${used.name}" is limited, and checking that adds requests. Record with a connection without limits.`,
        )
      const { integration } = pack.registry.integration(call.integration)
      const documented = documentedAddress(integration)
      const shown = call.step === 'api-call' ? headersShown(outcome.value) : []
      const made = {
        title,
        input: call.input,
        exchanges: exchanges.map((exchange) => ({
          request: requestOf(exchange, documented),
          reply: { status: exchange.reply.status, headers: headersOf(exchange, shown), body: exchange.reply.body },
        })),
        output: outcome.value,
      }
      const reserved = new Set([...integration.wire.reserved.map(normal), ...secretNames])
      const hide = (text: string, name: string) => (text !== '' && reserved.has(normal(name)) ? redacted : text)
      const here = new Set(exchanges.map(({ baseUrl }) => new URL(baseUrl).origin))
      const there = new URL(documented).origin
      const readdress = (text: string) => [...here].reduce((sum, origin) => sum.replaceAll(origin, there), text)
      const maskedCase = {
        ...made,
        exchanges: made.exchanges.map(({ request, reply }) => ({
          request,
          reply: { ...reply, body: mapTexts(reply.body, hide) },
        })),
        output: mapTexts(made.output, hide),
      }
      const clean = mapTexts(maskedCase, (text) => readdressCursor(readdress(text), readdress)) as ExampleCase
      for (const { reply } of clean.exchanges) if (Object.keys(reply.headers!).length === 0) delete reply.headers
      requireNoSecret(clean, exchanges)
      return clean
    },
  }
}
