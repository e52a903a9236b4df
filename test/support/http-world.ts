/** A world with the HTTP face, reached with or without a socket. */
import { allScopes } from '../../shared/api/rules.ts'
import type { Scope } from '../../shared/api/rules.ts'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { Pack } from '../../shared/pack.ts'
import { createCloser } from './closing.ts'
import { openSandboxWorld } from './world.ts'
import type { SandboxWorldOptions, World } from './world.ts'

export type Ask = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
  body?: unknown
  token?: string
  headers?: Record<string, string>
  raw?: string
}
export type Answer = { status: number; headers: Record<string, unknown>; text: string; json: any }
type HttpOptions = Partial<Parameters<typeof createHttp>[0]>
type NewToken = Parameters<Pack['tokens']['create']>[1]

/** Serves the pack of a world; closing the result closes the world too. `newToken`: the one it is asked with. */
export const serveWorld = async <W extends World>(
  world: W,
  options: HttpOptions = {},
  newToken: NewToken = { name: 'All', scopes: [...allScopes] },
) => {
  const { close, add } = createCloser()
  add(world.close)
  const { pack, log } = world
  const http = await createHttp({ pack, version: '0.0.0', log, ...options })
  add(() => http.close())
  let address: Promise<string> | undefined
  const { text: token } = await pack.tokens.create('default', newToken)
  return {
    ...world,
    http,
    /** A token of the tenant `default`; it has every scope unless `newToken` says otherwise. */
    token,
    tokenWith: async (scopes: Scope[], tenant = 'default') =>
      (await pack.tokens.create(tenant, { name: scopes.join(), scopes })).text,
    /** The address it listens at, from the first call on. */
    listen: () => (address ??= http.listen({ host: '127.0.0.1', port: 0 })),
    /** One request without a socket; bodies are sent as JSON. */
    async ask(url: string, request: Ask = {}): Promise<Answer> {
      const { body, token: other = token, raw } = request
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const reply = await http.inject({
        method: request.method ?? (payload === undefined ? 'GET' : 'POST'),
        url,
        headers: {
          authorization: `Bearer ${other}`,
          ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
          ...request.headers,
        },
        ...(payload === undefined ? {} : { payload }),
      })
      const { statusCode: status, headers, body: text } = reply
      const isJson = /json/.test(String(headers['content-type'])) && text !== ''
      return { status, headers, text, json: isJson ? JSON.parse(text) : undefined }
    },
    close,
  }
}

export type HttpWorldOptions = SandboxWorldOptions & {
  http?: HttpOptions
  /** Stands between the pack and its server. */
  change?(pack: Pack): Pack
  newToken?: NewToken
}

/** The sandboxes with an account at the board, served. */
export const openHttpWorld = async ({ http, change, newToken, ...options }: HttpWorldOptions = {}) => {
  const world = await openSandboxWorld({ accounts: 'board', ...options })
  return serveWorld(world, { ...(change ? { pack: change(world.pack) } : {}), ...http }, newToken)
}
export type HttpWorld = Awaited<ReturnType<typeof openHttpWorld>>

/** The board that the sandbox shows first, and its first list. */
export const firstList = async ({ ask }: Pick<HttpWorld, 'ask'>) => {
  const { json } = await ask('/v1/steps/work-board/get-boards/run', { body: { input: { lists: 'open' } } })
  const board = json.output.boards[0] as { id: string; url: string; lists: { id: string; name: string }[] }
  return { board, list: board.lists[0]! }
}
