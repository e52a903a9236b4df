/** A world whose accounts are connected in a browser. */
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { Pack, PackOptions } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { decide } from '../connections/provider-pages.ts'
import { createCloser } from './closing.ts'
import { caller, openSandboxWorld } from './world.ts'

type OAuthWorldOptions = PackOptions & {
  oauth?: '1.0a' | '2.0'
  sandbox?: Sandbox
  /** Its address comes from `serve`. */
  isServed?: boolean
}

const limits = { token: 100_000, key: 100_000, memberRoute: 100_000 }
const pace = { limits: [{ per: 'connection', max: 100_000, windowMs: 10_000 }], concurrency: 64, remaining: [] }

/** All sandboxes and our app at the board, no account connected, and limits that no test reaches. */
export const openOAuthWorld = async (options: OAuthWorldOptions = {}) => {
  const { oauth: version = '1.0a', sandbox: openSandbox, isServed = false, wire, ...packOptions } = options
  const { close, add } = createCloser()
  const sandbox = openSandbox ?? (await startSandbox({ board: { limits } }))
  if (!openSandbox) add(() => sandbox.close())
  const { oauth } = sandbox.wire['work-board'] as { oauth: object }
  const world = await openSandboxWorld({
    ...(isServed ? {} : { publicUrl: 'http://127.0.0.1:8750' }),
    sandbox,
    hasApp: true,
    wire: { 'work-board': { pace, oauth: { ...oauth, version } }, ...wire },
    ...packOptions,
  })
  add(world.close)
  return { ...world, events: (event: string) => world.lines.filter((line) => line.event === event), close }
}
export type OAuthWorld = Awaited<ReturnType<typeof openOAuthWorld>>

export const newBrowser = () => randomBytes(32).toString('base64url')

/** The sandbox's people, in the order in which they are signed in by default. */
export const peopleOf = ({ sandbox }: OAuthWorld) =>
  [...sandbox.board.state.members.values()].map(({ id, fullName, username }) => ({ id, fullName, username }))

type AuthorizeRequest = Parameters<Pack['connections']['authorize']>[1]

/** Opens our page and goes on to the provider; returns the address of its page. */
export const leaveFor = async (pack: Pick<Pack, 'connect'>, state: string, browser: string) => {
  await pack.connect.open(state, browser)
  const next = await pack.connect.submit(state, browser, { leave: 'yes' })
  if (next.kind !== 'redirect') throw new Error(`not sent on: ${JSON.stringify(next)}`)
  return next.url
}

/** Connects as a person with a browser would; the provider's page is decided by `member`. */
export const connectByOAuth = async (
  { pack }: OAuthWorld,
  request: AuthorizeRequest = {},
  {
    decision = 'allow',
    member,
    by = caller,
  }: { decision?: 'allow' | 'deny'; member?: string; by?: typeof caller } = {},
) => {
  const browser = newBrowser()
  const { state } = await pack.connections.authorize(by, { integration: 'work-board', type: 'oauth', ...request })
  const returned = await decide(await leaveFor(pack, state, browser), decision, member)
  return { state, browser, returned, page: await pack.connect.finish('work-board', browser, returned) }
}

/** The connection that a finished page reports. */
export const connected = (page: Awaited<ReturnType<Pack['connect']['finish']>>) => {
  if (page.kind !== 'done') throw new Error(`not connected: ${JSON.stringify(page)}`)
  return page.done.connection
}

export const firstListOf = ({ sandbox }: Pick<OAuthWorld, 'sandbox'>) => [...sandbox.board.state.lists.values()][0]!.id

export const createCard = (world: OAuthWorld, connection?: string, by = caller) =>
  world.run(
    'work-board/create-card',
    { idList: firstListOf(world), name: 'Made by a connected account' },
    { connection },
    by,
  )

/** The HTTP face of a world, listening. `host`: how its pages are reached. */
export const serve = async ({ pack, log }: OAuthWorld, host = '127.0.0.1') => {
  const http = await createHttp({ pack, version: '0.0.0', log })
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as AddressInfo
  const origin = `http://${host}:${port}`
  pack.servedAt(origin)
  return { http, origin, close: () => http.close() }
}
