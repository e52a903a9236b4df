/**
 * docs/operating.md, "Upgrades": from the release before, under load, and back again. Lost is exactly what was stored
 * after the upgrade; what the provider's history has of it is started again under the same keys.
 */
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { toolyard } from '../faces/process.ts'
import { startAgent } from '../nodes/agent.ts'
import { createNode } from '../nodes/node.ts'
import { adminToken, must, until } from '../nodes/place.ts'
import { freePort } from '../support/free-port.ts'
import { attached, happen, onlyTold, prepareBoards, randomFrom, startsWanted } from '../support/board-events.ts'
import { attach, subscribe } from './attach.ts'
import { figure } from './figures.ts'
import { checkOutRelease, releaseIsMissing, versionBefore } from './release-before.ts'

const rounds = figure(10)
const perSecond = 20
const phaseMs = 3_000
/** The provider's waits before it tries again, as documented, thirty times shorter. */
const retriesMs = [1_000, 2_000, 4_000]

/** One data directory, a server of each version for it, a board and an agent. */
const openPlace = async (entryBefore: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-upgrade-'))
  const board = await startBoardSandbox({
    hooks: { retriesMs, timeoutMs: 5_000 },
    limits: { token: 1e9, key: 1e9, memberRoute: 1e9 },
  })
  const agent = await startAgent(randomFrom(1), 20)
  const port = await freePort()
  const data = join(folder, 'data')
  const { origin } = board
  const wireFile = join(folder, 'wire.json')
  await writeFile(wireFile, JSON.stringify({ 'work-board': { baseUrl: origin, authUrl: origin } }))
  const env = {
    TOOLYARD_DATA: data,
    TOOLYARD_PORT: String(port),
    TOOLYARD_PUBLIC_URL: `http://127.0.0.1:${port}`,
    TOOLYARD_TOKEN: adminToken,
    TOOLYARD_WIRE: wireFile,
    TOOLYARD_PRIVATE_ORIGINS: origin,
    TOOLYARD_AGENT_ORIGINS: agent.origin,
    TOOLYARD_SCAN_SECONDS: '10',
  }
  const before = createNode(port, env, { entry: entryBefore })
  const after = createNode(port, { ...env, TOOLYARD_LOG: 'json' })
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') console.log(before.log(), after.log())
    await Promise.all([before.kill(), after.kill()])
    agent.close()
    await board.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const run = async (args: string[], entry?: string) => {
    const { code, out, err } = await toolyard(args, env, entry === undefined ? {} : { entry })
    expect([args[0], code], out + err).toEqual([args[0], 0])
    return out
  }
  const doctor = () => toolyard(['doctor'], env)
  return { folder, data, env, board, agent, before, after, run, doctor, origin: `http://127.0.0.1:${port}` }
}
type Place = Awaited<ReturnType<typeof openPlace>>

/** Steps 1 to 3 of the page. */
const upgrade = async ({ folder, env, before, after, doctor }: Place, entryBefore: string) => {
  // That of 0.1.0 fails now and then while the server writes, as the changelog says, and is repeated.
  const backup = () => toolyard(['backup', join(folder, 'before.db')], env, { entry: entryBefore })
  await until('a backup', async () => (await backup()).code === 0, 60_000)
  expect((await before.stop()).code).toBe(0)
  expect(await after.start()).toBe(true)
  expect(after.log()).toMatch(/"event":"store\.migrated"/)
  // It asks the server itself, which has the missed events to start first.
  let last = await doctor()
  const isWell = async () => (last = await doctor()).code === 0
  await until('the doctor finds no problem', isWell, 120_000).catch((error: Error) => {
    throw new Error(`${error.message}:\n${last.out}`)
  })
}

/** The page's last paragraph: the copy that the migration made is restored by the version before. */
const rollBack = async ({ folder, data, before, after, run }: Place, entryBefore: string) => {
  expect((await after.stop()).code).toBe(0)
  const away = join(folder, 'away')
  renameSync(data, away)
  await mkdir(data, { mode: 0o700 })
  await copyFile(join(away, 'master.key'), join(data, 'master.key'))
  const [copy] = readdirSync(away).filter((name) => /^schema-\d+-before-\d+-.*\.db$/.test(name))
  await run(['restore', join(away, copy!)], entryBefore)
  expect(await before.start()).toBe(true)
}

const play = async (place: Place, entryBefore: string, seed: number) => {
  const { board, agent, origin } = place
  const { boards, places } = prepareBoards(board)
  await attach(place, boards)
  const began = Date.now()
  const random = randomFrom(seed)
  let isOver = false
  const streaming = (async () => {
    while (!isOver) await happen(board, places, perSecond / 2, perSecond, random, () => {})
  })()
  await wait(phaseMs)
  /** Starts whose call was over before the copy was made. */
  const known = [...agent.calls.keys()]
  await wait(1_000)
  const from = Date.now()
  await upgrade(place, entryBefore)
  await subscribe(origin, 'card-moved', boards, `${agent.origin}/after`)
  await wait(phaseMs)
  // The agent does not take what comes last, so that it is stored and nothing else.
  agent.refuseFirst(true)
  await wait(phaseMs)
  await rollBack(place, entryBefore)
  const to = Date.now()
  agent.refuseFirst(false)
  await wait(phaseMs)
  isOver = true
  await streaming
  return { boards, began, from, to, known }
}
type Played = Awaited<ReturnType<typeof play>>

/** Starts that must have come and have not, once everything that can come has. */
const missingStarts = async ({ board, agent, origin }: Place, { boards, began }: Played) => {
  await until(
    'every delivery is over',
    () => board.control.deliveries().every(({ state }) => state === 'done' || state === 'lost'),
    60_000,
  )
  const actions = () => new Map(board.state.actions.map(({ id, type, date }) => [id, { type, at: Date.parse(date) }]))
  const missing = () => {
    const known = actions()
    return startsWanted(board, boards, began)
      .filter((start) => !agent.keys.has(start))
      .map((start) => ({ start, ...known.get(start.split(' ')[1]!)! }))
  }
  const isOver = async () =>
    missing().every(({ type }) => type === onlyTold) &&
    (await must(origin, '/v1/starts?state=pending')).items.length === 0
  await until('what the history has is started', isOver, 120_000)
  return missing()
}

/** Those of `lost` that no gap covers. */
const unsaid = async ({ origin }: Place, lost: Awaited<ReturnType<typeof missingStarts>>) => {
  const gaps = (await must(origin, '/v1/gaps')).items as { kind: string; from: string; to: string }[]
  return lost.filter(
    ({ at }) => !gaps.some(({ kind, from, to }) => kind === onlyTold && Date.parse(from) <= at && at <= Date.parse(to)),
  )
}

describe.skipIf(releaseIsMissing())(`upgrading from ${versionBefore}, and back`, () => {
  let release: ReturnType<typeof checkOutRelease>
  beforeAll(() => void (release = checkOutRelease()))
  afterAll(() => release.remove())

  it.each(Array.from({ length: rounds }, (_, n) => n))(
    `round %i, under ${perSecond} events a second: lost is what was stored after the upgrade, and is in no history`,
    async (seed) => {
      const { entry } = release
      const place = await openPlace(entry)
      const { agent, origin } = place
      expect(await place.before.start()).toBe(true)
      const played = await play(place, entry, seed)
      const lost = await missingStarts(place, played)
      const { from, to } = played
      const calls = [...agent.calls.values()].reduce((sum, { length }) => sum + length, 0)
      console.log('upgrade and rollback:', { starts: agent.calls.size, calls, lost: lost.length, ms: to - from })
      expect(lost.length).toBeGreaterThan(0)
      // Dates are those of the provider, a delivery later.
      expect(lost.filter(({ type, at }) => type !== onlyTold || at < from - 1_000 || at > to)).toEqual([])
      expect([...agent.keys].filter(([, keys]) => keys.size > 1)).toEqual([])
      // What had ended before the copy was made is not called again.
      expect(played.known.length).toBeGreaterThan(0)
      expect(played.known.filter((key) => agent.calls.get(key)!.length > 1)).toEqual([])
      // A subscription of the time after the upgrade is lost, and the others are not.
      const { items } = await must(origin, '/v1/subscriptions')
      expect(items).toHaveLength(attached.length)
      // What no history has is said to be missing, once the histories of all boards have been read.
      await until('the gaps are recorded', async () => (await unsaid(place, lost)).length === 0, 60_000).catch(() => {})
      expect(await unsaid(place, lost)).toEqual([])
    },
  )
})
