import { describe, expect, it } from 'vitest'
import type { Outcome } from '#kit'
import { runCommand } from '../../shared/faces/cli/index.ts'
import { createInProcess } from '../../shared/faces/http/index.ts'
import type { Pack } from '../../shared/pack.ts'
import { failures } from '../../shared/kit/index.ts'
import { openHttpWorld } from '../support/http-world.ts'

const caller = { tenant: 'default' }
const face = await openHttpWorld()

type Log = { level: string; event: string }[]
const open = async (changes: Partial<Pack> = {}, signal = new AbortController().signal) => {
  const lines: Log = []
  const log = (level: string, event: string) => void lines.push({ level, event })
  const api = await createInProcess({ pack: { ...face.pack, ...changes }, caller, version: '0.0.0', signal, log })
  const ask = async (path: string, body?: unknown) => {
    const init =
      body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const reply = await api.answer(new Request(`http://anything.example${path}`, init))
    return { status: reply.status, json: (await reply.json()) as any }
  }
  return { ...api, ask, lines }
}
/** A command line without a server, over that HTTP API. */
const command = async (
  argv: string[],
  inProcess: Awaited<ReturnType<typeof open>>,
  signal: AbortSignal,
  status?: (text: string) => void,
) => {
  let err = ''
  const notHere = () => Promise.reject(new Error('not in this test'))
  const terminal = {
    out: () => {},
    err: (text: string) => void (err += text),
    readStdin: async () => '',
    width: 80,
    signal,
    status,
  }
  const env = { TOOLYARD_DATA: '/nowhere/toolyard' }
  const code = await runCommand({
    argv,
    env,
    cwd: '/tmp',
    version: '1',
    terminal,
    dev: async () => 0,
    serve: notHere,
    mcp: notHere,
    demo: notHere,
    openInProcess: async () => inProcess,
  })
  return { code, err }
}

describe('the HTTP API in this process', () => {
  it('is the caller’s without a token, and repeats no host', async () => {
    const { ask, close } = await open()
    expect(await ask('/v1/steps/work-board/get-boards/run', { input: { limit: 1 } })).toMatchObject({
      status: 200,
      json: { output: { count: 1 } },
    })
    expect(await ask('/v1/admin/tenants')).toMatchObject({ status: 200, json: { items: [{ id: 'default' }] } })
    expect((await ask('/openapi.json')).json.servers).toEqual([{ url: '/' }])
    expect((await face.ask('/v1/runs', { token: 'none' })).status, 'the app that listens').toBe(401)
    await close()
  })

  it('ends a run with the command, and says which run it was', async () => {
    const ending = new AbortController()
    const inProcess = await open({}, ending.signal)
    face.sandbox.board.control.fault({ match: { path: '/1/members/me/boards' }, delayMs: 60_000 })
    const before = face.sandbox.board.control.counters().faulted
    const ended = command(['run', 'work-board', 'get-boards'], inProcess, ending.signal)
    await expect.poll(() => face.sandbox.board.control.counters().faulted, { timeout: 10_000 }).toBe(before + 1)
    ending.abort()
    const { code, err } = await ended
    face.sandbox.board.control.clearFaults()
    expect([code, err]).toEqual([failures.cancelled.exit, expect.stringMatching(/\(cancelled, run [0-9a-f-]{36}\)/)])
    const id = /run ([0-9a-f-]{36})/.exec(err)![1]!
    expect(await face.pack.runs.get(caller, id)).toMatchObject({ state: 'failed', code: 'cancelled' })
  })

  it('shows how far a run is', async () => {
    const done = Promise.withResolvers<Outcome>()
    const run: Pack['steps']['run'] = (_caller, { onProgress }) => {
      onProgress!(100, 250)
      return done.promise
    }
    const inProcess = await open({ steps: { ...face.pack.steps, run } })
    const shown: string[] = []
    const ended = command(
      ['run', 'work-board', 'get-boards'],
      inProcess,
      new AbortController().signal,
      (text) => void shown.push(text),
    )
    await expect.poll(() => shown, { timeout: 10_000 }).toContainEqual(expect.stringContaining('100 of 250'))
    done.resolve({ ok: true, value: {}, meta: { runId: 'r', durationMs: 1, attempts: 1 } })
    expect(await ended).toMatchObject({ code: 0 })
  })

  it('logs a defect, which no response shows', async () => {
    const list = async () => Promise.reject(new TypeError('a defect of ours'))
    const { ask, lines } = await open({ runs: { ...face.pack.runs, list } })
    expect(await ask('/v1/runs')).toMatchObject({ status: 500, json: { code: 'internal' } })
    expect(lines).toContainEqual({ level: 'error', event: 'http.defect' })
  })
})
