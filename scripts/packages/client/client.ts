/**
 * Client of toolyard's HTTP API for packages of other platforms. It is copied into each package as source, so it uses
 * only Node's crypto module, and sends requests through a function of the platform, so that the platform's proxies and
 * certificates apply.
 */
import { failureOf, noAnswer, strangeReply } from './failure.ts'

export type HttpRequest = {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers: Record<string, string>
  body?: string | Uint8Array
}
/** `send` resolves with a reply for every status and rejects only when there is no reply. */
export type HttpReply = { status: number; headers: Record<string, string>; body: string | Uint8Array }
export type Send = (request: HttpRequest) => Promise<HttpReply>

/** The form whose choices are loaded. */
export type FormOf = { kind: 'step' | 'trigger'; integration: string; id: string }
export type Values = Record<string, unknown>
export type OptionPage = { options: { value: string; label: string; hint?: string }[]; next?: string }
export type Connection = { id: string; name: string; integration: string; state: string; isDefault: boolean }
export type RunResult = { output: unknown; meta: { runId: string; durationMs: number; attempts: number } & Values }
/** Fields that the account defines: a layout as in the manifest, and the schema of their values. */
export type AccountFields = { layout: { fields: Values[]; oneOf: unknown }; schema: Values } & Values
/** What became of a run that had to be approved. `erased`: its content and outcome are not stored any more. */
export type HeldRun = {
  state: string
  title: string | null
  reason: string | null
  code: string | null
  erased: boolean
} & Values
/** `agent.secret` is present only in the response to `create`. */
export type Subscription = {
  id: string
  state: string
  stateReason: string | null
  agent: { url: string | null; secret?: string }
} & Values
/**
 * What an agent receives. `data.event` is the trigger's data; `data.start` stays the same across repeated deliveries.
 */
export type Start = {
  type: string
  timestamp: string
  data: { id: string; start: string; trigger: string; event: unknown; test?: true } & Values
}
export type FileInfo = { id: string; name: string; mediaType: string; size: number } & Values

export type Client = {
  /** Checks address and token. @throws ToolyardError when either is wrong */
  check(): Promise<void>
  connections(integration: string): Promise<Connection[]>
  /** `connection`: id or name; when absent, the integration's default connection is used. */
  run(
    integration: string,
    step: string,
    call: {
      input: Values
      connection?: string | undefined
      idempotencyKey?: string | undefined
      startId?: string | undefined
    },
  ): Promise<RunResult>
  /** `values`: the fields filled in so far. */
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
  /** The fields that the account defines for a step. */
  fields(
    integration: string,
    step: string,
    query: { connection?: string | undefined; values: Values },
  ): Promise<AccountFields>
  approvals: {
    /** Resolves to null when there is none that the token may see. */
    get(id: string): Promise<HeldRun | null>
  }
  files: {
    /** `idempotencyKey`: a repeat with it and the same content resolves to the file that is stored already. */
    upload(file: { bytes: Uint8Array; name: string; type: string; idempotencyKey?: string }): Promise<FileInfo>
    download(id: string): Promise<{ bytes: Uint8Array; name: string; type: string }>
  }
  subscriptions: {
    /** `url`: the address that starts are sent to. */
    create(subscription: {
      integration: string
      trigger: string
      connection?: string | undefined
      config: Values
      options?: Values
      url: string
      externalId?: string
    }): Promise<Subscription>
    /** Resolves to null when there is no such subscription. */
    get(id: string): Promise<Subscription | null>
    /** The subscriptions that this platform created with the given id of its own. */
    find(externalId: string): Promise<Subscription[]>
    /** Sends one start marked `test`, with the newest matching event or the example. */
    test(id: string): Promise<void>
    /** Removes a subscription; safe to repeat. */
    remove(id: string): Promise<void>
    /** What the agent would receive for the newest matching event, otherwise for the example. */
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

/** The file name in a Content-Disposition header, in its plain or encoded form. */
const nameIn = (header: string | undefined) => {
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(header ?? '')?.[1]
  return encoded === undefined ? (/filename="([^"]+)"/.exec(header ?? '')?.[1] ?? 'file') : decodeURIComponent(encoded)
}

/** `url`: the server's address without a path. `token`: when absent, `send` must add it. */
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
    // Another server, or a proxy's page, may also answer with status 200.
    if (typeof value !== 'object' || value === null) throw strangeReply(reply.status)
    return value as T
  }
  const find = <T>(path: string): Promise<T | null> =>
    askJson<T>('GET', path).catch((error: { code?: string }) =>
      error.code === 'not_found' ? null : Promise.reject(error as Error),
    )
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
    approvals: {
      get: (id) => find<HeldRun>(`/v1/approvals/${part(id)}`),
    },
    files: {
      upload: async ({ bytes, name, type, idempotencyKey }) => {
        // These two types would make the server read the body as the description of a file instead of its content.
        const isContent = !/^(application\/json|multipart\/)/i.test(type)
        const headers = {
          'content-type': isContent ? type : 'application/octet-stream',
          'file-name': part(name),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        }
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
      get: (id) => find<Subscription>(`/v1/subscriptions/${part(id)}`),
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
