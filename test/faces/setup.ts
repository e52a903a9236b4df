import { allScopes } from '../../shared/api/rules.ts'
import type { Scope } from '../../shared/api/rules.ts'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { HttpApp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack, PackOptions } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'

export type Ask = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
  body?: unknown
  token?: string
  headers?: Record<string, string>
  raw?: string
}
export type Face = {
  pack: Pack
  http: HttpApp
  sandbox: Sandbox
  /** Lines of the log. */
  lines: Record<string, unknown>[]
  /** Token with every scope. */
  token: string
  tokenWith(scopes: Scope[], tenant?: string): Promise<string>
  /** One request without a socket; bodies are sent as JSON. */
  ask(
    url: string,
    request?: Ask,
  ): Promise<{ status: number; headers: Record<string, unknown>; text: string; json: any }>
  close(): Promise<void>
}

export const secretsOf = (sandbox: Sandbox) => ({
  key: sandbox.board.credentials.key,
  token: sandbox.board.credentials.token,
})

/** The HTTP face over a pack in memory, with the sandbox board connected. */
export const openFace = async (options: PackOptions = {}): Promise<Face> => {
  const sandbox = await startSandbox()
  const lines: Record<string, unknown>[] = []
  const log: NonNullable<PackOptions['log']> = (level, event, fields) => void lines.push({ level, event, ...fields })
  const pack = await createPack({
    wire: sandbox.wire,
    log,
    ...options,
    egress: { ownOrigins: sandbox.places.map(({ origin }) => origin), ...options.egress },
  })
  const http = await createHttp({ pack, version: '0.0.0', log })
  const { text: token } = await pack.tokens.create('default', { name: 'All', scopes: [...allScopes] })
  await pack.connections.create(
    { tenant: 'default' },
    { integration: 'work-board', type: 'key-token', name: 'Board', secrets: secretsOf(sandbox) },
  )
  return {
    pack,
    http,
    sandbox,
    lines,
    token,
    tokenWith: async (scopes, tenant = 'default') =>
      (await pack.tokens.create(tenant, { name: scopes.join(), scopes })).text,
    async ask(url, { method, body, token: other, headers = {}, raw } = {}) {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const reply = await http.inject({
        method: method ?? (payload === undefined ? 'GET' : 'POST'),
        url,
        headers: {
          authorization: `Bearer ${other ?? token}`,
          ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(payload === undefined ? {} : { payload }),
      })
      const text = reply.body
      return {
        status: reply.statusCode,
        headers: reply.headers,
        text,
        json: /json/.test(String(reply.headers['content-type'])) && text !== '' ? JSON.parse(text) : undefined,
      }
    },
    async close() {
      await http.close()
      await pack.close()
      await sandbox.close()
    },
  }
}

export const firstList = async (face: Face) => {
  const { json } = await face.ask('/v1/steps/work-board/get-boards/run', { body: { input: { lists: 'open' } } })
  const board = json.output.boards[0] as { id: string; url: string; lists: { id: string; name: string }[] }
  return { board, list: board.lists[0]! }
}
