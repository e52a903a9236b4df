import { Counter, Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createTimedCounts } from '../../shared/faces/http/timed-counts.ts'

const counter = { name: 'requests_total', help: 'Requests' }
const histogram = { name: 'request_duration_seconds', help: 'Duration of requests' }
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

it('a page is the one that prom-client would print', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const names = ['method', 'route', 'status'] as const
  const count = createTimedCounts([ours], names, counter, { by: 'route', ...histogram })
  const registers = [theirs]
  const requests = new Counter({ ...counter, labelNames: names, registers })
  const durations = new Histogram({ ...histogram, labelNames: ['route'], buckets, registers })
  expect(await ours.metrics()).toBe(await theirs.metrics())

  for (const [method, route, status, ms] of [
    ['POST', '/a', 200, 5],
    ['POST', '/a', 200, 5.5],
    ['GET', '/b', 404, 0],
    ['GET', '/a', 200, 60_000],
    ['POST', '/a', 500, 60_001],
    ['POST', '/"b"', 200, 12],
  ] as const) {
    count(method, route, status, ms)
    requests.inc({ method, route, status })
    durations.observe({ route }, ms / 1000)
    // Reading the page must not change what the next one shows.
    expect(await ours.metrics()).toBe(await theirs.metrics())
  }
})

it('a duration that is no number is counted nowhere', async () => {
  const registry = new Registry()
  const count = createTimedCounts([registry], ['method', 'route', 'status'], counter, { by: 'route', ...histogram })
  const before = await registry.metrics()
  expect(() => count('GET', '/a', 200, Number.NaN)).toThrow(TypeError)
  expect(await registry.metrics()).toBe(before)
})
