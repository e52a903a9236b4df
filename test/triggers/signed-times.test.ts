import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { openTracker } from './tracker.ts'

const hour = 3_600_000
const signature = {
  header: 'x-tracker-signature',
  algorithm: 'hmac-sha256',
  encoding: 'hex',
  prefix: 'sha256=',
  signs: '{timestamp}.{body}',
  timestamp: { header: 'x-tracker-time', toleranceMs: 300_000 },
  secret: 'hook',
} as const

test('what a provider signs is judged by the clock of the machine as it is now, also once that was set back', async () => {
  const world = await openTracker((integration) => ({ ...integration, wire: { ...integration.wire, signature } }))
  await world.subscribe('opened')
  const send = (offMs = 0) => {
    const fact = world.tracker.happen('opened')
    const time = String(Math.floor((world.clock.truth() + offMs) / 1000))
    const signed = createHmac('sha256', world.hookOf().secret!)
      .update(`${time}.${JSON.stringify(fact)}`)
      .digest('hex')
    return world.deliver(fact, { headers: { 'x-tracker-time': time, 'x-tracker-signature': `sha256=${signed}` } })
  }
  expect(await send()).toEqual({ status: 200 })
  world.clock.jump(hour)
  expect(await send()).toEqual({ status: 401 })
  world.clock.jump(-hour)
  expect(await send()).toEqual({ status: 200 })
  expect([await send(-hour), await send(hour)]).toEqual([{ status: 401 }, { status: 401 }])
})
