/** What the provider could not deliver while this server was down, by its own log. */
import { afterEach, expect, test } from 'vitest'
import { caller, openSignals } from './signals-world.ts'
import type { SignalsWorld } from './signals-world.ts'
import { full } from '../sandbox/lusha-client.ts'
import { contactId } from '../../shared/sandbox/contact/lusha/find.ts'
import { movableClock } from '../support/clock.ts'

const [person, other] = full.slice(0, 2).map(contactId) as [string, string]
const hour = 3_600_000

let world: SignalsWorld
afterEach(() => world.close())

const clock = movableClock()

/** Watches two people; `away`: what happens while this server is down, for an hour. */
const open = async (away: () => unknown) => {
  world = await openSignals(undefined, { clock })
  const { connect, pack, subscribe } = world
  await connect('Account')
  await subscribe('contact-signal', { people: [person, other], signals: ['promotion'] })
  await pack.start()
  await expect.poll(async () => (await pack.hooks.list(caller, { limit: 5 })).items.length).toBe(3)
  await pack.close()
  await away()
  clock.advance(hour)
}
const listed = () =>
  world.sandbox.control.requests().filter(({ method, path }) => method === 'GET' && path === '/api/subscriptions')
    .length
const readLog = () => world.sandbox.control.counters().byPath['GET /api/audit-logs'] ?? 0
/** The gaps once there are as many as are wanted: the log is read before they are stored. */
const gapsAfter = async (count: number) => {
  let gaps: { model: string; reason: string }[] = []
  const before = [readLog(), listed()]
  await world.restart(async () => {
    await expect.poll(() => [readLog() > before[0]!, listed() > before[1]!], { timeout: 30_000 }).toEqual([true, true])
    const read = async () => {
      gaps = (await world.pack.gaps.list(caller, { limit: 10 })).items.map(({ model, reason }) => ({ model, reason }))
      return gaps.length
    }
    await expect.poll(read, { timeout: 30_000 }).toBe(count)
  })
  return gaps
}

test('when its log has no failed delivery, nothing was missed and no gap is recorded', async () => {
  await open(() => {})
  expect(await gapsAfter(0)).toEqual([])
})

test('what failed in all attempts is a gap of that person alone, and says why', async () => {
  await open(async () => {
    world.sandbox.tell('webhooks', { waitsMs: [] })
    // The pack is closed, so every delivery is answered that nothing can be stored.
    world.signal('contact', person, 'promotion')
    await expect.poll(async () => (await world.logs()).length, { timeout: 30_000 }).toBe(1)
    const [{ id } = { id: '' }] = (await world.watched()).filter(({ entityId }) => entityId === person)
    // Somebody has switched it on again before we are back.
    await world.send('PATCH', `/api/subscriptions/${String(id)}`, { isActive: true })
  })
  expect(await gapsAfter(1)).toEqual([
    { model: `person:${person}`, reason: expect.stringContaining('The provider gave up 1 delivery: ') },
  ])
})
