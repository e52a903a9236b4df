import { expect } from 'vitest'
import nock from 'nock'
import { methods } from '#kit'
import type { ExampleCase, ExampleFile, Json } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { overlay } from '../../shared/runtime/catalogue/profile.ts'
import { createMemoryStore, createVault } from '../../shared/store/index.ts'
import { fakeClock } from '../support/clock.ts'
import type { Subject } from './structure.ts'

export type Sent = {
  method: string
  path: string
  query: Record<string, string | string[]>
  body: Json | undefined
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

const queryOf = (url: URL) => {
  const query: Record<string, string | string[]> = {}
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name)
    query[name] = values.length === 1 ? values[0]! : values
  }
  return query
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

const bodyOf = async (request: Request): Promise<Json | undefined> => {
  if (request.headers.get('content-type')?.startsWith('multipart/form-data')) return formOf(request)
  const text = await request.text()
  return text === '' ? undefined : (JSON.parse(text) as Json)
}

/** Answers every request to an origin with `answer` and keeps what was sent. */
export const intercept = (
  origin: string,
  answer: (sent: Sent) => { status: number; headers?: Record<string, string>; body: Json },
) => {
  const sent: Sent[] = []
  for (const method of methods) {
    nock(origin)
      .persist()
      .intercept(/.*/, method)
      .reply(async (request: Request) => {
        const url = new URL(request.url)
        const headers = Object.fromEntries(request.headers)
        const body = await bodyOf(request)
        const sentRequest: Sent = { method, path: url.pathname, query: queryOf(url), body, headers }
        sent.push(sentRequest)
        const { status, headers: extra, body: reply } = answer(sentRequest)
        const answered =
          typeof reply === 'string' && extra?.['content-type']?.startsWith('text/') ? reply : JSON.stringify(reply)
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
    expect(where[key], `the credential field "${name}" in ${placement.place}`).toBe(filled(template))
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
  let at = -1
  const sent = intercept(originOf(subject, wire), () => {
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
      .map((request) => takeAuth(request, placement, made.secrets))
      .map(({ method, path, query, body }) => ({
        method,
        path,
        ...(Object.keys(query).length > 0 ? { query } : {}),
        ...(body === undefined ? {} : { body }),
      }))
    expect(requests).toEqual(exampleCase.exchanges.map(({ request }) => request))
    if (exampleCase.failure) {
      expect(
        outcome.ok
          ? 'it succeeded'
          : {
              code: outcome.failure.code,
              ...(exampleCase.failure.providerStatus === undefined
                ? {}
                : { providerStatus: outcome.failure.providerStatus }),
            },
      ).toEqual(exampleCase.failure)
    } else {
      // Ids of stored files and when those expire differ from run to run.
      const shown = JSON.stringify(outcome.ok ? outcome.value : outcome.failure)
        .replace(/"fil_[0-9a-f-]{36}"/g, '"fil_example"')
        .replace(/("file":"fil_example"[^{}]*"expiresAt":)"[^"]*"/g, '$1"2026-01-08T00:00:00.000Z"')
      expect(JSON.parse(shown)).toEqual(exampleCase.output)
    }
    expect(markersIn(JSON.stringify(outcome), made.secrets)).toEqual([])
  } finally {
    await pack?.close()
    nock.cleanAll()
  }
}

/** A pack whose account was connected before, so that the provider under test is asked by the step alone. */
export const unprovenPack = async ({ integration }: Subject, wire: Record<string, unknown>, origin: string) => {
  const clock = fakeClock()
  const masterKey = Buffer.alloc(32, 7)
  const store = createMemoryStore()
  const auth = overlay(integration.wire.auth as never, ((wire.auth as never) ?? {}) as never)
  const type = integration.connections.find(({ id }) => auth[id] !== null)!
  const secrets = markersFor(Object.keys(type.secrets.shape))
  const now = clock.now()
  await store.connections.add({
    id: 'con_test',
    tenant: 'default',
    integration: integration.id,
    type: type.id,
    name: 'Example',
    state: 'connected',
    stateReason: null,
    stateAt: now,
    accountId: null,
    accountName: null,
    secrets: createVault({ masterKey }).seal({ tenant: 'default', owner: 'con_test' }, secrets),
    hints: {},
    policy: null,
    externalId: null,
    labels: {},
    isDefault: false,
    createdAt: now,
    updatedAt: now,
    lastUsedAt: null,
  })
  const pack = await createPack({
    integrations: [integration],
    wire: { [integration.id]: wire },
    store,
    masterKey,
    clock,
    random: () => 0,
    egress: { privateOrigins: [origin] },
  })
  return { pack, secrets }
}
