import { readFile } from 'node:fs/promises'
import performanceHooks from 'node:perf_hooks'
import { describe, expect, it, vi } from 'vitest'
import { failures } from '../../shared/kit/index.ts'
import type { Pack } from '../../shared/pack.ts'
import { createMetrics } from '../../shared/faces/http/metrics.ts'
import { openHttpWorld } from '../support/http-world.ts'

const face = await openHttpWorld()

type Sample = { name: string; labels: Record<string, string>; value: number }
const read = async (): Promise<Sample[]> => {
  const { status, headers, text } = await face.ask('/metrics')
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)!
      return {
        name: name!,
        labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key!, text!])),
        value: Number(value),
      }
    })
}
const valueOf = (samples: Sample[], name: string, labels: Record<string, string> = {}) =>
  samples.find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value

const run = (step: string, body: object) => face.ask(`/v1/steps/${step}/run`, { body })

describe('/metrics', () => {
  it('has exactly the metrics that docs/metrics.md lists, with the same types and descriptions', async () => {
    const { text } = await face.ask('/metrics')
    const types = new Map([...text.matchAll(/^# TYPE (toolyard_\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]))
    const served = [...text.matchAll(/^# HELP (toolyard_\w+) (.+)$/gm)].map(
      ([, name, help]) => `| \`${name}\` | ${types.get(name!)} | ${help} |`,
    )
    const page = await readFile(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
    expect(page.split('\n').filter((line) => line.startsWith('| `toolyard_'))).toEqual(served)
  })

  it('counts requests, runs, provider requests and what arrived', async () => {
    const at = { integration: 'work-board', step: 'get-boards' }
    await run('work-board/get-boards', { input: {} })
    await run('work-board/get-boards', { input: { limit: 0 } })
    await run('work-board/get-boards', { input: {}, dryRun: true })
    const samples = await read()
    expect(valueOf(samples, 'toolyard_info', { version: '0.0.0', build: '' })).toBe(1)
    expect(valueOf(samples, 'toolyard_runs_total', { ...at, code: 'ok' })).toBe(1)
    expect(valueOf(samples, 'toolyard_runs_total', { ...at, code: 'invalid_input' })).toBe(1)
    expect(valueOf(samples, 'toolyard_provider_requests_total', { integration: 'work-board' })).toBe(1)
    expect(valueOf(samples, 'toolyard_run_duration_seconds_count', { integration: 'work-board' })).toBe(2)
    const route = '/v1/steps/:integration/:step/run'
    expect(valueOf(samples, 'toolyard_http_requests_total', { method: 'POST', route, status: '200' })).toBe(2)
    expect(valueOf(samples, 'toolyard_http_requests_total', { method: 'POST', route, status: '400' })).toBe(1)
    expect(valueOf(samples, 'toolyard_http_request_duration_seconds_count', { route })).toBe(3)
    for (const [name, labels] of [
      ['toolyard_deliveries_total', { result: 'received' }],
      ['toolyard_events_total', { result: 'stored' }],
      ['toolyard_starts_open', {}],
      ['toolyard_starts_dead', {}],
      ['toolyard_subscriptions', {}],
      ['toolyard_runs_waiting', {}],
    ] as const)
      expect(valueOf(samples, name, labels), name).toBe(0)
  })

  it('counts deliveries', async () => {
    const before = valueOf(await read(), 'toolyard_deliveries_total', { result: 'refused' })
    await face.pack.receive({
      method: 'POST',
      integration: 'work-board',
      hookId: 'nobody',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{}'),
    })
    expect(valueOf(await read(), 'toolyard_deliveries_total', { result: 'refused' })).toBe(before! + 1)
  })

  it('counts a stored outcome as a run, and as no further request to the provider', async () => {
    const before = await read()
    for (let turn = 0; turn < 3; turn += 1)
      await face.ask('/v1/steps/work-board/get-boards/run', {
        body: { input: {} },
        headers: { 'idempotency-key': 'metrics-1' },
      })
    const after = await read()
    const grown = (name: string, labels: Record<string, string>) =>
      valueOf(after, name, labels)! - valueOf(before, name, labels)!
    expect(grown('toolyard_runs_total', { step: 'get-boards', code: 'ok' })).toBe(3)
    expect(grown('toolyard_provider_requests_total', { integration: 'work-board' })).toBe(1)
  })

  it('leaves a run as it ended when it cannot be counted, and logs why', async () => {
    const ended = {
      ok: true,
      value: {},
      meta: { runId: 'run_1', durationMs: Number.NaN, attempts: 1, cached: false, credits: null },
    }
    const steps = { run: async () => ended, begin: () => ({ runId: 'run_1', coming: Promise.resolve(ended) }) }
    const fakePack = { steps, registry: { all: [] }, limits: { waiting: () => 0 } } as unknown as Pack
    const events: unknown[] = []
    const { pack } = createMetrics(fakePack, {
      version: '0.0.0',
      build: '',
      ofProcess: false,
      log: (level, event, fields) => void events.push([level, event, fields?.['runId']]),
    })
    const call = { integration: 'work-board', step: 'get-boards', input: {} }
    expect(await pack.steps.run({ tenant: 'default' }, call)).toBe(ended)
    expect(await pack.steps.begin({ tenant: 'default' }, call).coming).toBe(ended)
    const unreported = ['error', 'run.uncounted', 'run_1']
    await expect.poll(() => events).toEqual([unreported, unreported])
  })

  it('samples the event loop only once its metrics are read, and has a sample then', async () => {
    const monitor = vi.spyOn(performanceHooks, 'monitorEventLoopDelay')
    const { page } = createMetrics(face.pack, { version: '0.0.0', build: '', ofProcess: true, log: () => {} })
    expect(monitor).not.toHaveBeenCalled()
    const texts = await Promise.all([page(), page()])
    expect(monitor).toHaveBeenCalledTimes(1)
    for (const text of texts) {
      const least = Number(/^nodejs_eventloop_lag_min_seconds (\S+)$/m.exec(text)![1])
      expect(least).toBeGreaterThan(0)
      expect(least).toBeLessThan(60)
    }
  })

  it('takes no label from a request, so that nobody outside can make it grow', async () => {
    const before = (await read()).length
    for (let turn = 0; turn < 40; turn += 1) {
      await face.ask(`/v1/steps/made-up-${turn}/get-boards/run`, { body: { input: {} } })
      await face.ask(`/v1/steps/work-board/made-up-${turn}/run`, { body: { input: {} } })
      await face.ask(`/nowhere/${turn}`)
      await face.ask(`/v1/runs/made-up-${turn}`)
    }
    const samples = await read()
    expect(JSON.stringify(samples)).not.toContain('made-up')
    expect(valueOf(samples, 'toolyard_runs_total', { integration: 'unknown', code: 'not_found' })).toBe(40)
    expect(
      valueOf(samples, 'toolyard_runs_total', { integration: 'work-board', step: 'unknown', code: 'not_found' }),
    ).toBe(40)
    expect(valueOf(samples, 'toolyard_http_requests_total', { route: 'none', status: '404' })).toBe(40)
    // Two kinds of run and two routes came, each with its buckets; after that nothing grows.
    expect(samples.length - before).toBeLessThan(60)
    const codes = new Set(samples.flatMap(({ labels }) => (labels.code === undefined ? [] : [labels.code])))
    for (const code of codes) expect(['ok', ...Object.keys(failures)]).toContain(code)
    expect((await read()).length).toBeLessThanOrEqual(samples.length + 15)
  })
})
