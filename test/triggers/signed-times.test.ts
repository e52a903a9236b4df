import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { openDesk } from './desk.ts'

const hour = 3_600_000
const signature = {
  header: 'x-desk-signature',
  algorithm: 'hmac-sha256',
  encoding: 'hex',
  prefix: 'sha256=',
  signs: '{timestamp}.{body}',
  timestamp: { header: 'x-desk-time', toleranceMs: 300_000 },
  secret: 'hook',
} as const

test('what a provider signs is judged by the clock of the machine as it is now, also once that was set back', async () => {
  const house = await openDesk((integration) => ({ ...integration, wire: { ...integration.wire, signature } }))
  await house.subscribe('opened')
  const send = (offMs = 0) => {
    const fact = house.desk.happen('opened')
    const time = String(Math.floor((house.clock.truth() + offMs) / 1000))
    const signed = createHmac('sha256', house.hookOf().secret!)
      .update(`${time}.${JSON.stringify(fact)}`)
      .digest('hex')
    return house.deliver(fact, { headers: { 'x-desk-time': time, 'x-desk-signature': `sha256=${signed}` } })
  }
  expect(await send()).toEqual({ status: 200 })
  house.clock.jump(hour)
  expect(await send()).toEqual({ status: 401 })
  house.clock.jump(-hour)
  expect(await send()).toEqual({ status: 200 })
  expect([await send(-hour), await send(hour)]).toEqual([{ status: 401 }, { status: 401 }])
})
