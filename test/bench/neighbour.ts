/** How much a provider that hangs slows the calls to another one. */
import { setTimeout as delay } from 'node:timers/promises'
import { account, callTo, profileFor, wireTo } from '../wire/setup.ts'
import { faults, startFaultServer } from '../faults/server.ts'
import { row } from './support.ts'
import type { Row } from './support.ts'

const rounds = 5
const answerMs = 60
const timeouts = { connectMs: 300, headersMs: 300, bodyMs: 300, totalMs: 500, deadlineMs: 2000 }
const pace = { limits: [], concurrency: 10 }

const p99 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]!

export const neighbourRows = async (): Promise<Row[]> => {
  const [sick, well] = await Promise.all([startFaultServer(), startFaultServer()])
  well.choose = () => (_, __, execute, answer) => {
    execute()
    setTimeout(() => answer(200, { ok: true }), answerMs)
  }
  const round = async (hangs: boolean) => {
    const wire = wireTo([sick.origin, well.origin])
    sick.choose = () => (hangs ? faults.F09(false) : undefined)
    let running = true
    const beside = Array.from({ length: 20 }, async (_, index) => {
      while (running) {
        await wire.exchange(callTo(profileFor(sick.origin, { timeouts, pace }), { integration: 'sick', account: account({ key: `s${index}` }) })).catch(() => undefined)
        await delay(20)
      }
    })
    const profile = profileFor(well.origin, { timeouts, pace })
    const times: number[] = []
    const lane = async () => {
      for (let index = 0; index < 25; index += 1) {
        const started = performance.now()
        await wire.exchange(callTo(profile, { integration: 'well' }))
        times.push(performance.now() - started)
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
    running = false
    await Promise.all(beside)
    return p99(times)
  }
  await round(false)
  const [calm, hanging]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < rounds; turn += 1) {
    calm.push(await round(false))
    hanging.push(await round(true))
  }
  await Promise.all([sick.close(), well.close()])
  // The best of the rounds: a busy machine only ever adds.
  return [row('p99 of one provider while another one hangs, against none hanging', Math.min(...hanging) / Math.min(...calm), 'x', '< 1.1')]
}
