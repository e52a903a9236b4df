/**
 * A data directory that version 0.1.0 left behind when it was killed (test/fixtures/former-data) opens, loses nothing
 * and starts nothing twice.
 */
import { createHmac } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack, Store } from '../../shared/pack.ts'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { openSqliteStore } from '../../shared/store/index.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { exportStore, importStore } from '../../shared/store/transfer/index.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { startProvider } from '../support/provider.ts'
import { startDoor, until } from '../support/agent-world.ts'

type Row = { id: string; subscription: string; state: string; attempts: number; event: string }
type Expected = {
  writtenAt: number
  provider: string
  agent: string
  door: string
  token: string
  connections: { board: string; oauth: string; foreign: string }
  list: string
  board: string
  card: string
  created: Record<string, unknown>
  subscriptions: Record<string, string>
  agentSecrets: Record<string, string>
  called: { path: string; id: string }[]
  rows: Record<string, number>
  starts: Row[]
}

const fixture = join(import.meta.dirname, '../fixtures/former-data')
const expected = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as Expected
const caller = { tenant: 'default' }
const keys = [12, 11].map((byte) => ({ id: `former-${byte - 10}`, key: Buffer.alloc(32, byte) }))

/**
 * Seven minutes after the kill, and on from there: claims of the killed process, quiet periods and second waits are
 * over, whatever frees them sooner.
 */
const began = performance.now()
const now = () => expected.writtenAt + 7 * 60_000 + Math.floor(performance.now() - began)
const clock = {
  now,
  monotonic: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal): Promise<void> => wait(ms, undefined, signal ? { signal } : {}),
}

const restore = (sandbox: BoardSandbox, door: string): void => {
  const tagged = readFileSync(join(fixture, 'provider.json'), 'utf8').replaceAll(expected.door, door)
  const state = JSON.parse(tagged, (_, value: { map?: [unknown, unknown][]; set?: unknown[] } | null) =>
    Array.isArray(value?.map) ? new Map(value.map) : Array.isArray(value?.set) ? new Set(value.set) : value,
  ) as BoardSandbox['state']
  Object.assign(sandbox.state, state)
}

/** The loopback addresses of the process that wrote it are those of this run now; nothing else is touched. */
const moveAddresses = (file: string, agent: string, door: string): void => {
  const db = new DatabaseSync(file)
  db.prepare('update subscriptions set agent = replace(agent, ?, ?)').run(expected.agent, agent)
  db.prepare('update hooks set callback_url = replace(callback_url, ?, ?)').run(expected.door, door)
  db.close()
}

/** Where the data is opened: as it was left, and after a move by export and import. */
type Place = { name: string; open(directory: string): Promise<{ store: Store; leave(): Promise<void> }> }

const log = () => {}
const present = keys.map(({ id }) => id)
const exported = async (directory: string) => {
  const file = join(directory, 'moved.jsonl')
  await exportStore({ place: { directory }, file, clock, log })
  return file
}
const places: Place[] = [
  {
    name: 'as it was left',
    open: async (directory) => ({ store: await openSqliteStore({ directory, now }), leave: async () => {} }),
  },
  {
    name: 'moved to another directory',
    async open(directory) {
      const other = join(directory, 'other')
      await importStore({
        place: { directory: other },
        file: await exported(directory),
        clock,
        log,
        keys: present,
        lost: [],
      })
      return { store: await openSqliteStore({ directory: other, now }), leave: async () => {} }
    },
  },
  ...(postgresIsMissing()
    ? []
    : [
        {
          name: 'moved to PostgreSQL',
          async open(directory: string) {
            const server = await startPostgres()
            const url = await server.createDatabase()
            await importStore({ place: { url }, file: await exported(directory), clock, log, keys: present, lost: [] })
            return { store: await openPostgresStore({ url, clock, log }), leave: server.close }
          },
        },
      ]),
]

describe.each(places)('a former data directory, $name', ({ open }) => {
  let directory: string
  let sandbox: BoardSandbox
  let agent: Awaited<ReturnType<typeof startProvider>>
  const calls: { path: string; id: string; genuine: boolean; start: { data: { test?: boolean } } }[] = []
  let door: Awaited<ReturnType<typeof startDoor>>
  let pack: Pack
  let leave = async (): Promise<void> => {}
  const refused: unknown[] = []

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'toolyard-former-'))
    cpSync(join(fixture, 'toolyard.db'), join(directory, 'toolyard.db'))
    sandbox = await startBoardSandbox({ now })
    agent = await startProvider(({ url = '', headers }, response, body) => {
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers
      const key = Buffer.from(expected.agentSecrets[url]!.replace('whsec_', ''), 'base64')
      // By hand, since the public library holds the time of signing to today's.
      const genuine =
        signature ===
        `v1,${createHmac('sha256', key)
          .update(`${id as string}.${at as string}.${body}`)
          .digest('base64')}`
      calls.push({ path: url, id: String(id), genuine, start: JSON.parse(body) as (typeof calls)[number]['start'] })
      response.writeHead(200).end()
    })
    door = await startDoor(() => pack)
    restore(sandbox, door.origin)
    moveAddresses(join(directory, 'toolyard.db'), agent.origin, door.origin)
    const opened = await open(directory)
    leave = opened.leave
    pack = await createPack({
      store: opened.store,
      masterKey: { keys } as never,
      clock,
      wire: { 'work-board': { baseUrl: sandbox.origin, authUrl: sandbox.origin } },
      egress: { privateOrigins: [sandbox.origin], ownOrigins: [sandbox.origin], production: false },
      agentOrigins: [agent.origin],
      publicUrl: door.origin,
      log: (level, event, fields) => void (level === 'error' && refused.push([event, fields])),
    })
  })
  afterAll(async () => {
    await pack?.close()
    await leave()
    await Promise.all([sandbox?.close(), agent?.close(), door?.close()])
    rmSync(directory, { recursive: true, force: true })
  })

  const posts = () =>
    sandbox.control.requests({}).filter(({ method, path }) => method === 'POST' && path === '/1/cards').length
  const createCard = (name: string, idempotencyKey: string) => ({
    integration: 'work-board',
    step: 'create-card',
    connection: expected.connections.board,
    input: { idList: expected.list, name },
    idempotencyKey,
  })

  describe('before any background work', () => {
    test('every connection is there and its sealed secrets open', async () => {
      const items = await pack.connections.list(caller)
      expect(items.map(({ name }) => name).sort()).toEqual(['Ada’s boards', 'By consent', 'Harbour data'])
      expect(items.find(({ id }) => id === expected.connections.board)).toMatchObject({
        externalId: 'crm-17',
        labels: { team: 'blue' },
        state: 'connected',
      })
      for (const connection of [expected.connections.board, expected.connections.oauth]) {
        const read = await pack.steps.run(caller, {
          integration: 'work-board',
          step: 'get-boards',
          connection,
          input: {},
        })
        expect(read).toMatchObject({ ok: true })
      }
      const foreign = {
        integration: 'work-board',
        step: 'get-boards',
        connection: expected.connections.foreign,
        input: {},
      }
      expect(await pack.steps.run(caller, foreign)).toMatchObject({ ok: false, failure: { code: 'not_found' } })
      expect(await pack.steps.run({ tenant: 'second' }, foreign)).toMatchObject({ ok: true })
    })

    test('tokens, runs and the audit trail are there', async () => {
      expect(await pack.tokens.authenticate(expected.token)).toMatchObject({ tenant: 'default' })
      const runs = (await pack.runs.list(caller, { limit: 100 })).items.filter(
        ({ createdAt }) => Date.parse(createdAt) <= expected.writtenAt,
      )
      expect(runs).toHaveLength(expected.rows['runs']!)
      expect(runs.filter(({ code }) => code === 'outcome_unknown')).toHaveLength(1)
      expect(await pack.audit.verify('default')).toMatchObject({ ok: true })
    })

    test('a stored outcome is returned again and nothing is sent', async () => {
      expect(await pack.steps.run(caller, createCard('Written once', 'key-done'))).toMatchObject({
        ok: true,
        value: expected.created,
        meta: { cached: true },
      })
      expect(await pack.steps.run(caller, createCard('Perhaps written', 'key-unknown'))).toMatchObject({
        ok: false,
        failure: { code: 'outcome_unknown' },
      })
      expect(posts()).toBe(0)
    })

    test('a write interrupted by the kill is unknown and is not sent again', async () => {
      expect(await pack.steps.run(caller, createCard('Cut off', 'key-sending'))).toMatchObject({
        ok: false,
        failure: { code: 'outcome_unknown' },
      })
      expect(posts()).toBe(0)
    })

    test('subscriptions, hooks, events, gaps and history marks are there', async () => {
      const { items } = await pack.subscriptions.list(caller, { limit: 100 })
      const states = Object.fromEntries(items.map(({ externalId, state }) => [externalId, state]))
      expect(states).toMatchObject({
        'sub/done': 'active',
        'sub/slow': 'active',
        'sub/polled': 'active',
        'sub/paused': 'paused',
      })
      expect(states['sub/removed']).toBeUndefined()
      expect((await pack.hooks.list(caller, { limit: 100 })).items).toMatchObject([
        { state: 'active', connection: expected.connections.board },
      ])
      expect((await pack.events.list(caller, { limit: 100 })).items).toHaveLength(expected.rows['events']!)
      expect((await pack.gaps.list(caller, { limit: 100 })).items).toMatchObject([{ id: 'gap_of_the_fixture' }])
      const starts = (await pack.starts.list(caller, { limit: 100 })).items
      expect(starts.map(({ id }) => id).sort()).toEqual(expected.starts.map(({ id }) => id).sort())
    })
  })

  describe('once it works again', () => {
    const pathOf = (row: Row) => Object.entries(expected.subscriptions).find(([, id]) => id === row.subscription)![0]
    const taken = () => calls.filter(({ start }) => start.data.test !== true)

    test('open starts reach their agent with the same start key and signature, ended ones do not', async () => {
      await pack.start()
      const open = expected.starts.filter(({ state }) => state === 'pending' || state === 'leased')
      // A start that was in flight, one that waits for a repeat, one that waits for quiet.
      expect(new Set(open.map(pathOf))).toEqual(new Set(['/slow', '/later', '/settles']))
      await until(
        'what was open has arrived',
        () => open.every(({ id }) => taken().some((delivery) => delivery.id === id)),
        40_000,
      )
      expect(taken().every(({ genuine }) => genuine)).toBe(true)
      const ended = new Set(
        expected.starts.filter(({ state }) => state === 'done' || state === 'dead').map(({ id }) => id),
      )
      expect(taken().filter(({ id }) => ended.has(id))).toEqual([])
    })

    test('an event that waited for its facts starts its agent', async () => {
      await until('the event is matched', () => taken().some(({ path }) => path === '/waiting'), 40_000)
    })

    test('a repeated event starts no agent, a new one does', async () => {
      const hook = (await pack.hooks.list(caller, { limit: 10 })).items[0]!
      const deliver = async (action: object) => {
        const body = Buffer.from(JSON.stringify({ model: { id: expected.board }, action }))
        const signature = createHmac('sha1', sandbox.credentials.appSecret)
          .update(body)
          .update(hook.callbackUrl)
          .digest('base64')
        return pack.receive({
          integration: 'work-board',
          hookId: hook.id,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-trello-webhook': signature },
          body,
        })
      }
      const doneStart = expected.starts.find((row) => pathOf(row) === '/done' && row.state === 'done')!
      const raw = (await pack.events.get(caller, doneStart.event)) as unknown as {
        event?: { raw?: object }
        raw?: object
      }
      expect(await deliver(raw.raw ?? raw.event!.raw!)).toMatchObject({ status: 200 })
      const before = taken().filter(({ path }) => path === '/slow').length
      sandbox.control.createCard({ idList: expected.list, name: 'After the restart', by: 'odettequill' } as never)
      await until(
        'the new card starts an agent',
        () => taken().filter(({ path }) => path === '/slow').length > before,
        40_000,
      )
      const starts = (await pack.starts.list(caller, { limit: 100 })).items
      expect(
        starts.filter(
          ({ event, subscription }) => event === doneStart.event && subscription === doneStart.subscription,
        ),
      ).toHaveLength(1)
    })

    test('each start key was delivered once, and no error was logged', () => {
      const ids = taken().map(({ id }) => id)
      expect(ids).toHaveLength(new Set(ids).size)
      expect(refused).toEqual([])
    })
  })
})
