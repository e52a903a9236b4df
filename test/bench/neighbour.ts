/** How much a provider that hangs slows the calls to another one. */
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { WireProfile } from '#kit'
import { createWire } from '../../shared/wire/index.ts'
import { row } from './support.ts'
import type { Row } from './support.ts'

const rounds = 5
const answerMs = 60

const startServer = async (answer: RequestListener) => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

const profileAt = (baseUrl: string): WireProfile => ({
  profile: 'bench',
  baseUrl,
  auth: { 'api-key': { place: 'header', fields: { 'X-Api-Key': '{apiKey}' } } },
  reserved: [],
  pace: { limits: [], concurrency: 10 },
  timeouts: { connectMs: 300, headersMs: 300, bodyMs: 300, totalMs: 500, deadlineMs: 2000 },
  maxReplyBytes: 1024 * 1024,
  errors: [],
  assumed: {},
})

const p99 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]!

export const neighbourRows = async (): Promise<Row[]> => {
  let hangs = false
  const answer: RequestListener = (request, response) => void setTimeout(() => response.end('{}'), answerMs)
  const well = await startServer(answer)
  const sick = await startServer((request, response) => (hangs ? undefined : answer(request, response)))
  const profiles = { sick: profileAt(sick.origin), well: profileAt(well.origin) }

  const round = async (isSick: boolean) => {
    hangs = isSick
    const wire = createWire({
      now: () => Date.now(),
      monotonic: () => performance.now(),
      sleep: (ms, signal) => delay(ms, undefined, { signal }),
      random: () => Math.random(),
      egress: { privateOrigins: [sick.origin, well.origin], production: false },
    })
    const call = (integration: 'sick' | 'well', key: string) =>
      wire.exchange({
        integration,
        profile: profiles[integration],
        account: { key, tenant: 't', appKey: key, type: 'api-key', secrets: { apiKey: 'bench-api-key' } },
        policy: { methods: ['GET'], under: '/', deny: [] },
        method: 'GET',
        path: '/1/things',
        effect: 'read',
      })
    let running = true
    const beside = Array.from({ length: 20 }, async (_, index) => {
      while (running) {
        await call('sick', `s${index}`).catch(() => undefined)
        await delay(20)
      }
    })
    const times: number[] = []
    const lane = async () => {
      for (let index = 0; index < 25; index += 1) {
        const started = performance.now()
        await call('well', 'w')
        times.push(performance.now() - started)
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
    running = false
    await Promise.all(beside)
    await wire.close()
    return p99(times)
  }
  await round(false)
  const [calm, hanging]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < rounds; turn += 1) {
    calm.push(await round(false))
    hanging.push(await round(true))
  }
  sick.close()
  well.close()
  // The best of the rounds: a busy machine only ever adds.
  return [
    row(
      'p99 of one provider while another one hangs, against none hanging',
      Math.min(...hanging) / Math.min(...calm),
      'x',
      '< 1.1',
    ),
  ]
}
