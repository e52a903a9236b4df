/**
 * Client of toolyard's HTTP API for packages of other platforms. It is copied into each of them as source, so it uses
 * nothing but Node's crypto, and sends by a function of the platform: proxies and certificates of the platform then
 * hold for it.
 */
import { failureOf, noAnswer, strangeReply } from './failure.ts'

export type HttpRequest = {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers: Record<string, string>
  body?: string | Uint8Array
}
/** `send` gives every status as a reply and rejects only where there is no answer. */
export type HttpReply = { status: number; headers: Record<string, string>; body: string | Uint8Array }
export type Send = (request: HttpRequest) => Promise<HttpReply>

/** The form that choices are loaded for. */
export type FormOf = { kind: 'step' | 'trigger'; integration: string; id: string }
export type Values = Record<string, unknown>
export type OptionPage = { options: { value: string; label: string; hint?: string }[]; next?: string }
export type Connection = { id: string; name: string; integration: string; state: string; isDefault: boolean }
export type RunDone = { output: unknown; meta: { runId: string; durationMs: number; attempts: number } & Values }
/** Fields made from the account: a layout as in the manifest, and the schema of their values. */
export type AccountFields = { layout: { fields: Values[]; oneOf: unknown }; schema: Values } & Values
/** `agent.secret` is there only in the answer to `create`. */
export type Subscription = {
  id: string
  state: string
  stateReason: string | null
  agent: { url: string | null; secret?: string }
} & Values
/** What an agent gets; `data.event` is the trigger's data, `data.start` the same however often it is delivered. */
export type Start = {
  type: string
  timestamp: string
  data: { id: string; start: string; trigger: string; event: unknown; test?: true } & Values
}
export type FileInfo = { id: string; name: string; mediaType: string; size: number } & Values

export type Client = {
  /** Fails where address or token are wrong. */
  check(): Promise<void>
  connections(integration: string): Promise<Connection[]>
  /** `connection`: id or name; absent: the default one of the integration. */
  run(
    integration: string,
    step: string,
    call: {
      input: Values
      connection?: string | undefined
      idempotencyKey?: string | undefined
      startId?: string | undefined
    },
  ): Promise<RunDone>
  /** `values`: the fields filled so far. */
  options(
    form: FormOf,
    query: {
      field: string
      connection?: string | undefined
      values?: Values
      query?: string | undefined
      cursor?: string | undefined
    },
  ): Promise<OptionPage>
  /** Of a step. */
  fields(
    integration: string,
    step: string,
    query: { connection?: string | undefined; values: Values },
  ): Promise<AccountFields>
  files: {
    upload(file: { bytes: Uint8Array; name: string; type: string }): Promise<FileInfo>
    download(id: string): Promise<{ bytes: Uint8Array; name: string; type: string }>
  }
  subscriptions: {
    /** `url`: where starts are sent. */
    create(subscription: {
      integration: string
      trigger: string
      connection?: string | undefined
      config: Values
      options?: Values
      url: string
      externalId?: string
    }): Promise<Subscription>
    /** null: there is none. */
    get(id: string): Promise<Subscription | null>
    /** Those with this id of ours. */
    find(externalId: string): Promise<Subscription[]>
    /** Sends one start marked `test`, of the newest event that matches or the example. */
    test(id: string): Promise<void>
    /** Safe to repeat. */
    remove(id: string): Promise<void>
    /** What the agent would get: of the newest event that matches, else the example. */
    sample(id: string): Promise<{ from: 'history' | 'example'; start: Start }>
  }
}

const textOf = (body: string | Uint8Array) => (typeof body === 'string' ? body : Buffer.from(body).toString('utf8'))

const parse = (body: string | Uint8Array): unknown => {
  try {
    return JSON.parse(textOf(body)) as unknown
  } catch {
    return undefined
  }
}

/** Of Content-Disposition, the plain or the encoded form. */
const nameIn = (header: string | undefined) => {
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(header ?? '')?.[1]
  return encoded === undefined ? (/filename="([^"]+)"/.exec(header ?? '')?.[1] ?? 'file') : decodeURIComponent(encoded)
}

/** `url`: of the server, without a path. `token` absent: `send` adds it. */
export const createClient = ({ url, token, send }: { url: string; token?: string; send: Send }): Client => {
  const root = url.trim().replace(/(?<!\/)\/+$/, '')

  const ask = async (
    method: HttpRequest['method'],
    path: string,
    more: { headers?: Record<string, string>; body?: string | Uint8Array } = {},
  ) => {
    const headers = {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...more.headers,
    }
    const request = { method, url: root + path, headers, ...(more.body === undefined ? {} : { body: more.body }) }
    const reply = await send(request).catch((error: unknown) => noAnswer(request.url, error))
    if (reply instanceof Error) throw reply
    if (reply.status < 200 || reply.status > 299) throw failureOf(reply.status, parse(reply.body))
    return reply
  }
  const askJson = async <T>(
    method: HttpRequest['method'],
    path: string,
    body?: Values,
    headers: Record<string, string> = {},
  ): Promise<T> => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await ask(method, path, {
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...content,
    })
    const value = parse(reply.body)
    // Another server, or a page of a proxy, also answers with status 200.
    if (typeof value !== 'object' || value === null) throw strangeReply(reply.status)
    return value as T
  }
  const part = encodeURIComponent
  const stepPath = (integration: string, step: string) => `/v1/steps/${part(integration)}/${part(step)}`

  return {
    check: async () => {
      const { items } = await askJson<{ items?: unknown }>('GET', '/v1/integrations')
      if (!Array.isArray(items)) throw strangeReply(200)
    },
    connections: async (integration) => {
      const connections: Connection[] = []
      let next: string | undefined
      do {
        const cursor: string = next === undefined ? '' : `&cursor=${part(next)}`
        const page: { items: Connection[]; next?: string } = await askJson(
          'GET',
          `/v1/connections?integration=${part(integration)}&limit=200${cursor}`,
        )
        connections.push(...page.items)
        next = page.next
      } while (next !== undefined)
      return connections
    },
    run: (integration, step, { input, connection, idempotencyKey, startId }) =>
      askJson(
        'POST',
        `${stepPath(integration, step)}/run`,
        { connection, input },
        {
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...(startId === undefined ? {} : { 'start-id': startId }),
        },
      ),
    options: ({ kind, integration, id }, query) =>
      askJson('POST', `/v1/${kind}s/${part(integration)}/${part(id)}/options`, query),
    fields: (integration, step, query) => askJson('POST', `${stepPath(integration, step)}/fields`, query),
    files: {
      upload: async ({ bytes, name, type }) => {
        // These two say that the body describes a file, and is none.
        const isContent = !/^(application\/json|multipart\/)/i.test(type)
        const headers = { 'content-type': isContent ? type : 'application/octet-stream', 'file-name': part(name) }
        return parse((await ask('POST', '/v1/files', { headers, body: bytes })).body) as FileInfo
      },
      download: async (id) => {
        const { headers, body } = await ask('GET', `/v1/files/${part(id)}`, { headers: { accept: '*/*' } })
        const bytes = typeof body === 'string' ? Buffer.from(body) : body
        return {
          bytes,
          name: nameIn(headers['content-disposition']),
          type: headers['content-type'] ?? 'application/octet-stream',
        }
      },
    },
    subscriptions: {
      create: ({ url: agentUrl, ...subscription }) =>
        askJson('POST', '/v1/subscriptions', { ...subscription, agent: { url: agentUrl } }),
      get: (id) =>
        askJson<Subscription>('GET', `/v1/subscriptions/${part(id)}`).catch((error: { code?: string }) =>
          error.code === 'not_found' ? null : Promise.reject(error as Error),
        ),
      find: async (externalId) =>
        (await askJson<{ items: Subscription[] }>('GET', `/v1/subscriptions?externalId=${part(externalId)}`)).items,
      test: async (id) => {
        await ask('POST', `/v1/subscriptions/${part(id)}/test`)
      },
      remove: async (id) => {
        await ask('DELETE', `/v1/subscriptions/${part(id)}`).catch((error: { code?: string }) =>
          error.code === 'not_found' ? undefined : Promise.reject(error as Error),
        )
      },
      sample: (id) => askJson('GET', `/v1/subscriptions/${part(id)}/sample`),
    },
  }
}
