import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import { findIds } from '../sandbox/board-client.ts'
import type { Asked, Told } from './many-cards-worker.ts'

const worker = fileURLToPath(new URL('./many-cards-worker.ts', import.meta.url))
const count = 200

const start = async (args: string[]) => {
  const child: ChildProcess = fork(worker, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const heard: ((message: Told) => void)[] = []
  child.on('message', (message: Told) => heard.forEach((hear) => hear(message)))
  const until = <T>(find: (message: Told) => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The worker ended with ${code}.`)))
      heard.push((message) => {
        const result = find(message)
        if (result !== undefined) resolve(result)
      })
    })
  await until((message) => ('ready' in message ? true : undefined))
  return {
    ask: (request: Asked) => void child.send(request),
    until,
    kill: () =>
      new Promise<void>((done) => {
        child.once('exit', () => done())
        child.kill('SIGKILL')
      }),
  }
}

it(`${count} cards are moved in one run, under faults and one kill: each once, and other calls of the account go on`, async () => {
  const sandbox = await startSandbox()
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-many-'))
  const { control, credentials, state } = sandbox.board
  const { baseUrl, authUrl } = sandbox.wire['work-board'] as { baseUrl: string; authUrl?: string }
  const args = [
    directory,
    JSON.stringify({ baseUrl, ...(authUrl ? { authUrl } : {}) }),
    JSON.stringify({ key: credentials.key, token: credentials.token }),
  ]
  const ids = findIds(sandbox.board)
  const idCards = Array.from(
    { length: count },
    (_, n) => control.createCard({ idList: ids.list('Ideas'), name: `Card ${n}` }).id,
  )
  // A server error now and then, and answers that are lost after the move was made.
  for (let at = 7; at < count; at += 23)
    control.fault({ match: { method: 'PUT' }, skip: at, answer: { status: 503, body: 'busy' } as never })
  for (let at = 15; at < count; at += 31)
    control.fault({ match: { method: 'PUT' }, skip: at, cut: 'reset', when: 'after' })
  // Somebody else's process with the same account.
  const other = await createPack({
    wire: { 'work-board': JSON.parse(args[1]!) as Record<string, unknown> },
    egress: { privateOrigins: [baseUrl] },
  })
  const caller = { tenant: 'default' }
  await other.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: { key: credentials.key, token: credentials.token },
  })
  const waits: number[] = []
  let isOver = false
  const interactive = (async () => {
    while (!isOver) {
      const outcome = await other.steps.run(caller, {
        integration: 'work-board',
        step: 'get-card',
        input: { idCard: idCards[0], fields: 'name' },
      })
      if (!outcome.ok) throw new Error(outcome.failure.message)
      waits.push(outcome.meta.durationMs)
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
  })()
  try {
    const request = { idCards, idList: ids.list('Done'), key: 'move-all' }
    const first = await start(args)
    first.ask(request)
    await first.until((message) => ('progress' in message && message.progress >= 80 ? true : undefined))
    await first.kill()
    const second = await start(args)
    // By now the board has taken what the killed process had sent.
    const movedBefore = idCards.filter((id) => state.cards.get(id)!.idList === ids.list('Done')).length
    expect(movedBefore).toBeGreaterThanOrEqual(80)
    expect(movedBefore).toBeLessThan(count)
    second.ask(request)
    const outcome = (await second.until((message) => ('ended' in message ? message.ended : undefined))) as {
      ok: boolean
      value: any
      failure?: unknown
    }
    expect(outcome.ok ? undefined : outcome.failure).toBeUndefined()
    expect(outcome.value).toMatchObject({ total: count, problems: [] })
    // What was done before the kill is not done again.
    expect(outcome.value.unchanged).toBe(movedBefore)
    // The board saw each card move once.
    const moves = new Map<string, number>()
    for (const action of state.actions) {
      const { type, data } = action as unknown as {
        type: string
        data: { card?: { id: string }; listAfter?: { id: string } }
      }
      if (type === 'updateCard' && data.listAfter && data.card)
        moves.set(data.card.id, (moves.get(data.card.id) ?? 0) + 1)
    }
    expect(idCards.filter((id) => moves.get(id) !== 1)).toEqual([])
    // The same key again: the stored outcome, and nothing is sent.
    const sent = control.requests().filter(({ method }) => method !== 'GET').length
    second.ask(request)
    expect(await second.until((message) => ('ended' in message ? message.ended : undefined))).toMatchObject({
      ok: true,
      meta: { cached: true },
    })
    expect(control.requests().filter(({ method }) => method !== 'GET').length).toBe(sent)
    await second.kill()
    isOver = true
    await interactive
    // No call waited for a window of the limit (10 s) that the run had used up.
    const refused = control.requests().filter(({ status }) => status === 429).length
    console.log(
      `calls beside it: ${waits.length}, the longest took ${Math.max(...waits)} ms; refused for the limit: ${refused}`,
    )
    expect(waits.length).toBeGreaterThan(20)
    expect(refused).toBe(0)
  } finally {
    isOver = true
    await interactive.catch(() => undefined)
    await other.close()
    await sandbox.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
