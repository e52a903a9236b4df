/** A plain client for the board sandbox's tests; it adds credentials and reads whatever comes back. */
import { startBoardSandbox, type BoardSandbox, type BoardSandboxOptions } from '../../shared/sandbox/board/index.ts'

export type Answered = { status: number; type: string; text: string; headers: Headers; json: any }
export type Ask = {
  token?: string
  key?: string
  auth?: 'header' | 'query' | 'none'
  body?: unknown
  form?: Record<string, string>
  headers?: Record<string, string>
}
export type Client = (method: string, path: string, ask?: Ask) => Promise<Answered>

const withQuery = (path: string, more: Record<string, string>): string => {
  const query = new URLSearchParams(more).toString()
  return query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path
}

export const read = async (response: Response): Promise<Answered> => {
  const text = await response.text()
  const type = response.headers.get('content-type') ?? ''
  return {
    status: response.status,
    type,
    text,
    headers: response.headers,
    json: type.startsWith('application/json') ? JSON.parse(text) : undefined,
  }
}

export const clientOf =
  (sandbox: BoardSandbox): Client =>
  async (method, path, ask = {}) => {
    const key = ask.key ?? sandbox.credentials.key
    const token = ask.token ?? sandbox.credentials.token
    const headers: Record<string, string> = { ...ask.headers }
    const how = ask.auth ?? 'header'
    if (how === 'header') headers['authorization'] = `OAuth oauth_consumer_key="${key}", oauth_token="${token}"`
    const body =
      ask.body === undefined ? ask.form && new URLSearchParams(ask.form).toString() : JSON.stringify(ask.body)
    if (ask.body !== undefined) headers['content-type'] = 'application/json'
    else if (ask.form) headers['content-type'] = 'application/x-www-form-urlencoded'
    const address = sandbox.origin + (how === 'query' ? withQuery(path, { key, token }) : path)
    return read(await fetch(address, { method, headers, ...(body === undefined ? {} : { body }) }))
  }

/** Ids of the demo seed, found by name so that tests do not depend on their values. */
export type Found = {
  board: string
  other: string
  list: (name: string) => string
  card: (name: string) => string
  label: (name: string) => string
}
export const findIds = (sandbox: BoardSandbox): Found => {
  const named =
    <T extends { id: string; name: string }>(all: Map<string, T>) =>
    (name: string): string => {
      const item = [...all.values()].find((each) => each.name === name)
      if (!item) throw new Error(`nothing is named ${name}`)
      return item.id
    }
  const board = named(sandbox.state.boards)
  return {
    board: board('Launch plan'),
    other: board('Support desk'),
    list: named(sandbox.state.lists),
    card: named(sandbox.state.cards),
    label: named(sandbox.state.labels),
  }
}

export const noon = Date.parse('2026-03-02T12:00:00.000Z')

/** A sandbox whose clock stands still until it is moved. */
export const startFrozen = async (
  options: BoardSandboxOptions = {},
): Promise<{ sandbox: BoardSandbox; ask: Client; ids: Found; clock: { at: number } }> => {
  const clock = { at: noon }
  const sandbox = await startBoardSandbox({ now: () => clock.at, ...options })
  return { sandbox, ask: clientOf(sandbox), ids: options.seed === 'empty' ? ({} as Found) : findIds(sandbox), clock }
}
