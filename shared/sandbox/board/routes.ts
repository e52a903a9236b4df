/** The route table: the parts of a route, the matching of paths, and the checks before authentication. */
import type { Identity, Presented } from './auth.ts'
import { isId, isShortLink } from './ids.ts'
import type { Params } from './params.ts'
import type { Actor, World } from './records.ts'
import type { Answer } from './refusals.ts'

export type Call = {
  world: World
  /** Decoded path parameters. */
  path: Record<string, string>
  params: Params
  identity: Identity | null
  presented: Presented
  /** Id of the requesting member, or null. */
  viewer: string | null
  actor: Actor
  /** Runs another GET route with the same credentials (for /batch). */
  again(path: string): Promise<{ status: number; body: unknown }>
}
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** The word in the message `unauthorized … permission requested`. */
  of: string
  /** Parameters that are documented but that no handler here reads, for example switches for nested resources. */
  knows: string[]
  account: boolean
  /** The permission that the token must have; follows from the method unless the route sets it. */
  need: 'read' | 'write'
  /** The model in the OAuth 2.0 scope `read:<scope>:trello`; there is no `read:board:membership:trello`. */
  scope: 'board' | 'board:membership' | 'member' | 'organization'
  run(call: Call): unknown
}
/** A reply that is not JSON of status 200. */
export type RawReply = { raw: Answer | { status: number; bytes: Uint8Array; contentType: string } }
export const isRaw = (value: unknown): value is RawReply =>
  typeof value === 'object' && value !== null && 'raw' in value

type Options = { knows?: string; account?: boolean; need?: Route['need']; scope?: Route['scope'] }
export const route = (head: string, of: string, run: Route['run'], options: Options = {}): Route => {
  const [method, path] = head.split(' ') as [Route['method'], string]
  return {
    method,
    path,
    of,
    knows: (options.knows ?? '').split(' ').filter(Boolean),
    account: options.account ?? false,
    need: options.need ?? (method === 'GET' ? 'read' : 'write'),
    scope: options.scope ?? 'board',
    run,
  }
}

export type Table = Map<string, { route: Route; parts: string[] }[]>
const bucket = (method: string, length: number): string => `${method} ${length}`

export const createTable = (routes: Route[]): Table => {
  const table: Table = new Map()
  for (const definedRoute of routes) {
    const parts = definedRoute.path.split('/').slice(1)
    const name = bucket(definedRoute.method, parts.length)
    table.set(name, [...(table.get(name) ?? []), { route: definedRoute, parts }])
  }
  return table
}

export type RouteMatch = { route: Route; path: Record<string, string> }

/**
 * Finds the route for a path below /1, with or without the trailing slash that some documented paths have. Fixed words
 * take precedence over parameters.
 */
export const findRoute = (table: Table, method: string, path: string): RouteMatch | undefined => {
  const pathParts = path.replace(/\/$/, '').split('/').slice(1)
  let best: RouteMatch | undefined
  let bestFixed = -1
  for (const { route: candidate, parts } of table.get(bucket(method, pathParts.length)) ?? []) {
    if (!parts.every((part, index) => part.startsWith(':') || part === pathParts[index])) continue
    const fixed = parts.filter((part) => !part.startsWith(':')).length
    if (fixed <= bestFixed) continue
    bestFixed = fixed
    best = {
      route: candidate,
      path: Object.fromEntries(
        parts.flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), decode(pathParts[index] ?? '')]] : [])),
      ),
    }
  }
  return best
}
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const loose = new Set(['field', 'token', 'filter', 'fileName'])
/** A malformed id is refused before authentication, so even a request with a bad token gets that error. */
export const malformedId = (path: Record<string, string>): boolean =>
  Object.entries(path).some(([name, value]) => {
    if (loose.has(name)) return false
    if (name === 'member' || name === 'organization') return !/^[A-Za-z0-9_]{2,100}$/.test(value)
    return !isId(value) && !((name === 'card' || name === 'board') && isShortLink(value))
  })
