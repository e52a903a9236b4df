import nock from 'nock'
import { methods } from '#kit'
import type { ExampleCase, ExampleFile, Json } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { overlay } from '../../shared/runtime/catalogue/profile.ts'
import { createMemoryStore, createVault } from '../../shared/store/index.ts'
import { fakeClock } from '../support/clock.ts'
import { requireNone, requireSame } from './messages.ts'
import type { Subject } from './structure.ts'

export type Sent = {
  method: string
  origin: string
  path: string
  query: Record<string, string | string[]>
  body: Json | undefined
  bodyAs?: 'form' | 'text' | 'raw'
  headers: Record<string, string>
}

const caller = { tenant: 'default' }

/** Secrets nobody could mistake for anything else, one per field. */
export const markersFor = (fields: string[]) =>
  Object.fromEntries(fields.map((field) => [field, `marker${field}0123456789abcdef0123456789abcdef`]))

export const markersIn = (text: string, secrets: Record<string, string>) =>
  Object.values(secrets).filter((secret) =>
    [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      Buffer.from(secret).toString('hex'),
    ].some((form) => text.includes(form)),
  )

/** Secrets of the account that an outcome contains. */
export const leakProblems = (where: string, outcome: unknown, secrets: Record<string, string>): string[] =>
  markersIn(JSON.stringify(outcome), secrets).map(
    () => `${where}: the outcome contains a secret of the account. Return only what the provider answered.`,
  )

/** The wire in force for a subject: what an example file lays over it, and an address where the documents show none. */
export const wireFor = ({ integration }: Subject, file?: ExampleFile) => {
  const base = integration.wire.baseUrl === null ? { baseUrl: 'https://provider.example' } : {}
  return overlay(base, (file?.wire ?? {}) as Record<string, unknown>)
}

/** A pack with one connected account whose secrets are markers. The account's own test request gets a 503. */
export const connectedPack = async (
  subject: Subject,
  wire: Record<string, unknown>,
  options: Parameters<typeof createPack>[0] = {},
) => {
  const { integration } = subject
  const pack = await createPack({
    integrations: [integration],
    wire: { [integration.id]: wire },
    clock: fakeClock(),
    random: () => 0,
    ...options,
  })
  const auth = overlay(integration.wire.auth as never, ((wire.auth as never) ?? {}) as never)
  const type = integration.connections.find(({ id }) => auth[id] !== null)!
  const secrets = markersFor(Object.keys(type.secrets.shape))
  const connection = await pack.connections.create(caller, {
    integration: integration.id,
    type: type.id,
    name: 'Example',
    secrets,
  })
  return { pack, secrets, connection, type }
}

/** Names and values of a query or a form; a name that is repeated has a list. */
const valuesIn = (parameters: URLSearchParams) => {
  const values: Record<string, string | string[]> = {}
  for (const name of new Set(parameters.keys())) {
    const all = parameters.getAll(name)
    values[name] = all.length === 1 ? all[0]! : all
  }
  return values
}

/** A multipart body as examples write it: texts, and files with their content as base64. */
const formOf = async (request: Request): Promise<Json> => {
  const fields: { [name: string]: Json } = {}
  for (const [name, value] of (await request.formData()).entries())
    fields[name] =
      typeof value === 'string'
        ? value
        : {
            filename: value.name,
            contentType: value.type,
            base64: Buffer.from(await value.arrayBuffer()).toString('base64'),
          }
  return fields
}

/** The body of a request as examples write it, and how it was sent. */
const bodyOf = async (request: Request): Promise<Pick<Sent, 'body' | 'bodyAs'>> => {
  const type = request.headers.get('content-type') ?? 'application/json'
  if (type.startsWith('multipart/form-data')) return { body: await formOf(request) }
  const bytes = Buffer.from(await request.arrayBuffer())
  if (bytes.length === 0) return { body: undefined }
  if (type.includes('json')) return { body: JSON.parse(bytes.toString()) as Json }
  if (type.startsWith('application/x-www-form-urlencoded'))
    return { body: valuesIn(new URLSearchParams(bytes.toString())), bodyAs: 'form' }
  if (/^text\/|xml/.test(type)) return { body: bytes.toString(), bodyAs: 'text' }
  return { body: { contentType: type, base64: bytes.toString('base64') }, bodyAs: 'raw' }
}

/** Answers every request to these origins with `answer` and keeps what was sent. */
export const intercept = (
  origins: string | string[],
  answer: (sent: Sent) => { status: number; headers?: Record<string, string>; body: Json },
) => {
  const sent: Sent[] = []
  for (const [origin, method] of [origins].flat().flatMap((at) => methods.map((each) => [at, each] as const))) {
    nock(origin)
      .persist()
      .intercept(/.*/, method)
      .reply(async (request: Request) => {
        const url = new URL(request.url)
        const headers = Object.fromEntries(request.headers)
        const sentBody = await bodyOf(request)
        const sentRequest = {
          method,
          origin,
          path: url.pathname,
          query: valuesIn(url.searchParams),
          ...sentBody,
          headers,
        }
        sent.push(sentRequest)
        const { status, headers: extra, body: reply } = answer(sentRequest)
        const answered =
          typeof reply === 'string' && /^(text\/|application\/pdf$)/.test(extra?.['content-type'] ?? '')
            ? reply
            : JSON.stringify(reply)
        return [status, answered, { 'content-type': 'application/json; charset=utf-8', ...extra }]
      })
  }
  return sent
}

const originOf = (subject: Subject, wire: Record<string, unknown>) =>
  new URL((wire.baseUrl as string | undefined) ?? subject.integration.wire.baseUrl!).origin

/** Takes the credential out of a request, and says whether every secret the placement names was there. */
const takeAuth = (
  sent: Sent,
  placement: { place: string; fields: Record<string, string> },
  secrets: Record<string, string>,
) => {
  const filled = (template: string) => template.replaceAll(/\{(\w+)\}/g, (_, name: string) => secrets[name] ?? '')
  const strippedRequest = { ...sent, query: { ...sent.query } }
  for (const [name, template] of Object.entries(placement.fields)) {
    const where =
      placement.place === 'header'
        ? sent.headers
        : placement.place === 'query'
          ? sent.query
          : ((sent.body ?? {}) as Record<string, unknown>)
    const key = placement.place === 'header' ? name.toLowerCase() : name
    if (where[key] !== filled(template))
      throw new Error(
        `The credential field "${name}" in the ${placement.place} of ${sent.method} ${sent.path} is not what \`auth\` in wire.ts says. Leave it to the profile.`,
      )
    if (placement.place === 'query') delete strippedRequest.query[name]
    if (placement.place === 'body') {
      const { [name]: _, ...body } = sent.body as Record<string, Json>
      strippedRequest.body = body
    }
  }
  return strippedRequest
}

/** Runs one example through the real runtime and compares requests, outcome and what leaks. */
export const replay = async (subject: Subject, file: ExampleFile, exampleCase: ExampleCase) => {
  const wire = wireFor(subject, file)
  const origin = originOf(subject, wire)
  const otherOrigins = exampleCase.exchanges.flatMap(({ request }) => request.origin ?? [])
  let at = -1
  const sent = intercept([...new Set([origin, ...otherOrigins])], () => {
    if (at < 0) return { status: 503, body: { message: 'not now' } }
    const next = exampleCase.exchanges[at]
    at += 1
    if (!next) return { status: 599, body: { message: 'no such exchange in the example' } }
    return { status: next.reply.status, headers: next.reply.headers ?? {}, body: next.reply.body }
  })
  let pack: Pack | undefined
  try {
    const made = await connectedPack(subject, wire)
    pack = made.pack
    sent.length = 0
    at = 0
    const outcome = await pack.steps.run(caller, {
      integration: subject.integration.id,
      step: file.step,
      input: exampleCase.input,
    })
    const placement = overlay(subject.integration.wire.auth as never, ((wire.auth as never) ?? {}) as never)[
      made.type.id
    ] as Parameters<typeof takeAuth>[1]
    const requests = sent
      .map((request) => (request.origin === origin ? takeAuth(request, placement, made.secrets) : request))
      .map(({ method, origin: sentTo, path, query, body, bodyAs }) => ({
        method,
        path,
        ...(sentTo === origin ? {} : { origin: sentTo }),
        ...(Object.keys(query).length > 0 ? { query } : {}),
        ...(body === undefined ? {} : { body }),
        ...(bodyAs === undefined ? {} : { bodyAs }),
      }))
    const where = `${subject.integration.id}: examples/${file.step}.json, "${exampleCase.title}"`
    if (!outcome.ok && !exampleCase.failure)
      throw new Error(
        `${where}: the run failed with ${outcome.failure.code}: ${outcome.failure.message} (requests sent: ${requests.length} of ${exampleCase.exchanges.length}). Correct the step, the profile or the example.`,
      )
    const requestsOfExample = exampleCase.exchanges.map(({ request }) => request)
    const elsewhere = sent.filter((request) => request.origin !== origin)
    requireNone(leakProblems(`${where}: at an address that was given`, elsewhere, made.secrets))
    requireSame(where, 'what was sent', { requests }, { requests: requestsOfExample })
    if (exampleCase.failure) {
      const code = outcome.ok ? 'none: it succeeded' : outcome.failure.code
      const providerStatus = outcome.ok ? undefined : outcome.failure.providerStatus
      const ended = { code, ...(exampleCase.failure.providerStatus === undefined ? {} : { providerStatus }) }
      requireSame(where, 'the failure', ended, exampleCase.failure)
    } else {
      // Ids of stored files and when those expire differ from run to run.
      const shown = JSON.stringify(outcome.ok ? outcome.value : null)
        .replace(/"fil_[0-9a-f-]{36}"/g, '"fil_example"')
        .replace(/("file":"fil_example"[^{}]*"expiresAt":)"[^"]*"/g, '$1"2026-01-08T00:00:00.000Z"')
      requireSame(where, 'the output', { output: JSON.parse(shown) as Json }, { output: exampleCase.output })
    }
    requireNone(leakProblems(where, outcome, made.secrets))
  } finally {
    await pack?.close()
    nock.cleanAll()
  }
}

/**
 * A pack whose account was connected before, so that the provider under test is asked by the step alone. Each tenant has
 * an account of its own, so that what a failure leaves behind (a wait, a lost account) does not reach the next.
 */
export const unprovenPack = async (
  { integration }: Subject,
  wire: Record<string, unknown>,
  origin: string,
  tenants: string[] = ['default'],
) => {
  const clock = fakeClock()
  const masterKey = Buffer.alloc(32, 7)
  const store = createMemoryStore()
  const auth = overlay(integration.wire.auth as never, ((wire.auth as never) ?? {}) as never)
  const type = integration.connections.find(({ id }) => auth[id] !== null)!
  const markers = Object.entries(markersFor(Object.keys(type.secrets.shape)))
  const secretsOf = (tenant: string) => Object.fromEntries(markers.map(([name, value]) => [name, `${value}-${tenant}`]))
  const now = clock.now()
  const accounts = tenants.map((tenant) => ({
    id: `con_${tenant}`,
    tenant,
    integration: integration.id,
    type: type.id,
    name: 'Example',
    state: 'connected' as const,
    stateReason: null,
    stateAt: now,
    accountId: null,
    accountName: null,
    secrets: createVault({ masterKey }).seal({ tenant, owner: `con_${tenant}` }, secretsOf(tenant)),
    hints: {},
    policy: null,
    externalId: null,
    labels: {},
    isDefault: false,
    createdAt: now,
    updatedAt: now,
    lastUsedAt: null,
  }))
  for (const account of accounts) await store.connections.add(account)
  const pack = await createPack({
    integrations: [integration],
    wire: { [integration.id]: wire },
    store,
    masterKey,
    clock,
    random: () => 0,
    egress: { privateOrigins: [origin] },
  })
  return { pack, secretsOf }
}
