import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { startProvider } from '../support/provider.ts'
import type { Phase, Told } from './sending-worker.ts'

const kills = Number(process.env.KILLS ?? 200)
const worker = fileURLToPath(new URL('./sending-worker.ts', import.meta.url))
/** 1,600 processes load the same modules: each finds them compiled by the first. */
const compiled = mkdtempSync(join(tmpdir(), 'toolyard-compiled-'))
afterAll(() => rmSync(compiled, { recursive: true, force: true }))

/** One process after another over the same directory; each is killed where it was told to stop. */
const startWorker = async (directory: string, origin: string) => {
  const child = fork(worker, [directory, origin], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_COMPILE_CACHE: compiled },
  })
  const next = (): Promise<Told> =>
    new Promise((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`The worker ended with ${code}.`))
      child.once('exit', ended)
      child.once('message', (message: Told) => {
        child.off('exit', ended)
        resolve(message)
      })
    })
  expect(await next()).toEqual({ ready: true })
  return {
    ask(key: string, at?: Phase): Promise<Told> {
      const reply = next()
      child.send({ key, ...(at ? { at } : {}) })
      return reply
    },
    kill: () => killed(child),
  }
}

const killed = (child: ChildProcess) =>
  new Promise<void>((done) => {
    child.once('exit', () => done())
    child.kill('SIGKILL')
  })

/**
 * What must be true of a key after the kill, when it is asked again: how often the provider did it, and what the caller
 * is told.
 */
const expected: Record<Phase, { before: number; after: number; outcome: object }> = {
  // The key was looked for, nothing was written or sent: sent when asked again.
  begun: { before: 0, after: 1, outcome: { ok: true, cached: false } },
  // Said to be sending, not a byte left: reported as unknown, on the safe side.
  sending: { before: 0, after: 0, outcome: { ok: false, code: 'outcome_unknown' } },
  // Done at the provider, not recorded here: unknown, never sent again.
  answered: { before: 1, after: 1, outcome: { ok: false, code: 'outcome_unknown' } },
  // Recorded, the caller never heard: the stored outcome.
  recorded: { before: 1, after: 1, outcome: { ok: true, cached: true } },
}

it.concurrent.each(Object.keys(expected) as Phase[])(
  `killed ${kills} times when %s: the provider never does it twice`,
  async (phase) => {
    const counts = new Map<string, number>()
    const provider = await startProvider((request, response, body) => {
      const { name } = JSON.parse(body || '{}') as { name?: string }
      if (request.method === 'POST' && name) counts.set(name, (counts.get(name) ?? 0) + 1)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: 'a'.repeat(24), name: name ?? '', username: 'u', fullName: 'U' }))
    })
    const directory = mkdtempSync(join(tmpdir(), 'toolyard-kill-'))
    const { before, after, outcome } = expected[phase]
    try {
      let child = await startWorker(directory, provider.origin)
      for (let n = 0; n < kills; n += 1) {
        const key = `${phase}-${n}`
        expect(await child.ask(key, phase)).toEqual({ stopped: phase, key })
        await child.kill()
        expect(counts.get(key) ?? 0, `${key} at the provider when killed`).toBe(before)
        child = await startWorker(directory, provider.origin)
        expect(await child.ask(key), key).toMatchObject({ key, ...outcome })
        expect(counts.get(key) ?? 0, `${key} at the provider after it was asked again`).toBe(after)
      }
      await child.kill()
      expect(Math.max(0, ...counts.values())).toBeLessThanOrEqual(1)
      expect(counts.size).toBe(after === 0 ? 0 : kills)
    } finally {
      await provider.close()
      rmSync(directory, { recursive: true, force: true })
    }
  },
)
