import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack, PackOptions } from '../../shared/pack.ts'
import type { Caller } from '../../shared/runtime/ports/index.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { decide } from './provider-pages.ts'

export const caller: Caller = { tenant: 'default' }
export type LogLine = { level: string; event: string } & Record<string, unknown>

/** A pack in memory with all sandboxes and the app set up, no account connected. */
const wide = {
  pace: { limits: [{ per: 'connection', max: 100_000, windowMs: 10_000 }], concurrency: 64, remaining: [] },
}

/** Real time that can be moved on: sleeps last as long as they say, so that calls at the same time keep their order. */
export const movableClock = () => {
  let shift = 0
  return {
    now: () => Date.now() + shift,
    monotonic: () => performance.now() + shift,
    sleep: (ms: number, signal?: AbortSignal): Promise<void> => wait(ms, undefined, signal ? { signal } : {}),
    advance: (ms: number) => void (shift += ms),
  }
}

export const openHouse = async (
  options: PackOptions & {
    oauth?: '1.0a' | '2.0'
    sandbox?: Sandbox
    /** It is given its address by `serve`. */ isServed?: boolean
  } = {},
) => {
  const { oauth = '1.0a', sandbox: givenSandbox, isServed = false, wire = {}, egress = {}, ...packOptions } = options
  const sandbox =
    givenSandbox ?? (await startSandbox({ board: { limits: { token: 100_000, key: 100_000, memberRoute: 100_000 } } }))
  const lines: LogLine[] = []
  const board = sandbox.wire['work-board'] as { oauth: object }
  const pack = await createPack({
    ...(isServed ? {} : { publicUrl: 'http://127.0.0.1:8750' }),
    egress: { ...egress, ownOrigins: [...sandbox.places.map(({ origin }) => origin), ...(egress.ownOrigins ?? [])] },
    log: (level, event, fields) => void lines.push({ level, event, ...fields }),
    wire: { ...sandbox.wire, 'work-board': { ...board, ...wide, oauth: { ...board.oauth, version: oauth } }, ...wire },
    ...packOptions,
  })
  const { key, appSecret, oauth2 } = sandbox.board.credentials
  await pack.apps.put(caller, 'work-board', {
    key,
    secret: appSecret,
    clientId: oauth2.clientId,
    clientSecret: oauth2.clientSecret,
  })
  return {
    pack,
    sandbox,
    lines,
    events: (event: string) => lines.filter((line) => line.event === event),
    async close() {
      await pack.close()
      if (!givenSandbox) await sandbox.close()
    },
  }
}
export type House = Awaited<ReturnType<typeof openHouse>>

export const newBrowser = () => randomBytes(32).toString('base64url')

/** Who the sandbox's people are, in the order they are signed in as by default. */
export const peopleOf = ({ sandbox }: House) =>
  [...sandbox.board.state.members.values()].map(({ id, fullName, username }) => ({ id, fullName, username }))

type Wanted = Parameters<Pack['connections']['authorize']>[1]

/** Opens our page and goes on to the provider; gives the address of its page. */
export const leaveFor = async (pack: Pack, state: string, browser: string) => {
  await pack.connect.open(state, browser)
  const gone = await pack.connect.submit(state, browser, { leave: 'yes' })
  if (gone.kind !== 'redirect') throw new Error(`not sent on: ${JSON.stringify(gone)}`)
  return gone.url
}

/** Connects as a person with a browser would; the provider's page is decided by `member`. */
export const connectByOAuth = async (
  { pack }: House,
  request: Wanted = {},
  { decision = 'allow', member, by = caller }: { decision?: 'allow' | 'deny'; member?: string; by?: Caller } = {},
) => {
  const browser = newBrowser()
  const { state } = await pack.connections.authorize(by, { integration: 'work-board', type: 'oauth', ...request })
  const returned = await decide(await leaveFor(pack, state, browser), decision, member)
  return { state, browser, returned, page: await pack.connect.finish('work-board', browser, returned) }
}

/** The id of what was connected. */
export const connected = (page: Awaited<ReturnType<Pack['connect']['finish']>>) => {
  if (page.kind !== 'done') throw new Error(`not connected: ${JSON.stringify(page)}`)
  return page.done.connection
}

export const firstListOf = ({ sandbox }: House) => [...sandbox.board.state.lists.values()][0]!.id

export const createCard = ({ pack }: House, house: House, connection: string | undefined, by: Caller = caller) =>
  pack.steps.run(by, {
    integration: 'work-board',
    step: 'create-card',
    connection,
    input: { idList: firstListOf(house), name: 'Made by a connected account' },
  })

/** The HTTP face of a house, listening. `host`: how its pages are reached. */
export const serve = async (house: House, host = '127.0.0.1') => {
  const http = await createHttp({
    pack: house.pack,
    version: '0.0.0',
    log: (level, event, fields) => void house.lines.push({ level, event, ...fields }),
  })
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as AddressInfo
  const origin = `http://${host}:${port}`
  house.pack.servedAt(origin)
  return { http, origin, close: () => http.close() }
}
