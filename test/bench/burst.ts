/**
 * 200 runs at once on a served pack with the embedded store: how late its event loop is meanwhile, and the memory it
 * still holds a minute afterwards: `node test/bench/burst.ts`.
 */
import { fork } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { residentMb } from './processor-time.ts'
import type { Busy, Ready } from './served-server.ts'
import { drive, median, report, row, startMock } from './support.ts'

const width = 200
const generations = 7
const restMs = 60_000

const id = (end: string) => end.padStart(24, '0')
const works = {
  'Create Card': { step: 'create-card', input: { idList: id('1'), name: 'Call the printer', pos: '1' }, count: 20_000 },
  'lists of 100 cards': { step: 'get-list-cards', input: { idList: id('100') }, count: 2_000 },
}
type Work = keyof typeof works

/** A process of its own that is warm, does the work, and then, where `rests`, has a minute of peace. */
const measure = async (work: Work, provider: string, rests: boolean) => {
  const { step, input, count } = works[work]
  const child = fork(fileURLToPath(new URL('./served-server.ts', import.meta.url)), ['burst', provider], {
    // As the launcher of the server sets it.
    env: { ...process.env, MALLOC_TRIM_THRESHOLD_: '131072' },
  })
  const next = <T>() => new Promise<T>((resolve) => child.once('message', (message) => resolve(message as T)))
  const { port, token } = await next<Ready>()
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: width, pipelining: 1 })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ input })
  const run = async () => {
    const reply = await pool.request({ method: 'POST', path: `/v1/steps/work-board/${step}/run`, headers, body })
    const answer = await reply.body.text()
    if (reply.statusCode !== 200) throw new Error(`${step}: ${reply.statusCode} ${answer.slice(0, 400)}`)
  }
  const busy = async () => {
    const answer = next<Busy>()
    child.send('busy')
    return (await answer).lateMs
  }
  await drive(width, count / 2, run)
  await busy()
  await drive(width, count, run)
  const lateMs = await busy()
  const peakMb = residentMb(child.pid!)
  if (rests) await wait(restMs)
  const restMb = residentMb(child.pid!)
  await pool.close()
  child.send('end')
  return { lateMs, peakMb, restMb }
}

const { origin, stop } = await startMock()
const rows = []
for (const work of Object.keys(works) as Work[]) {
  const late: number[] = []
  for (let generation = 1; generation < generations; generation += 1)
    late.push((await measure(work, origin, false)).lateMs)
  const { lateMs, peakMb, restMb } = await measure(work, origin, true)
  rows.push(
    row(`200 runs at once (${work}): event loop, p99 of its delay`, median([...late, lateMs]), 'ms', '<= 50'),
    row(`200 runs at once (${work}): memory a minute afterwards`, restMb, 'MB', '<= 200'),
    row(`200 runs at once (${work}): memory at the end of them`, peakMb, 'MB'),
  )
}
stop()
report('burst', rows)
