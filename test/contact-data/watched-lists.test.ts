/** Contact Signal for the people of a stored list. */
import { afterEach, describe, expect, test } from 'vitest'
import { caller, openSignals } from './signals-world.ts'
import type { SignalsWorld } from './signals-world.ts'
import { full } from '../sandbox/lusha-client.ts'
import { contactId } from '../../shared/sandbox/contact/lusha/find.ts'

const [person, other, third] = full.slice(0, 3).map(contactId) as [string, string, string]
const emails = full.map(({ workEmail }) => workEmail!)

let world: SignalsWorld
afterEach(() => world.close())

const open = async () => {
  world = await openSignals()
  const { id } = await world.connect('Account')
  return { ...world, reconcile: () => world.pack.hooks.reconcile(caller, id) }
}
const watchedIds = async () => (await world.watched()).map(({ entityId }) => entityId).sort()
const watching = (...ids: string[]) => expect.poll(watchedIds, { timeout: 30_000 }).toEqual(ids.toSorted())
const makeList = (rows: Record<string, string>[], name = 'Champions') =>
  world.pack.peopleLists.create(caller, { name, rows })
const subscribe = () => world.subscribe('contact-signal', { peopleList: 'Champions', signals: ['promotion'] })

describe('a subscription to a stored list', () => {
  test('watches the rows that have an id, and starts for them', async () => {
    const { pack, signal, started } = await open()
    await makeList([{ id: person }, { personId: other }, { email: emails[2]! }])
    await pack.start()
    const { summary } = await subscribe()
    expect(summary?.text).toContain('the list Champions')
    expect(await watchedIds()).toEqual([person, other].toSorted())
    signal('contact', other, 'promotion')
    await expect.poll(() => started.length, { timeout: 30_000 }).toBe(1)
    expect(started[0]!.event).toMatchObject({ personId: other })
  })

  test('follows the list of that name: watches are added and removed with the next round', async () => {
    const { pack, reconcile } = await open()
    await makeList([{ id: person }, { id: other }])
    await subscribe()
    await pack.peopleLists.remove(caller, 'Champions')
    await makeList([{ id: other }, { id: third }])
    await reconcile()
    await watching(other, third)
  })

  test('leaves out who is suppressed by what the list says of the person', async () => {
    const { pack, reconcile } = await open()
    await makeList([{ id: person, email: emails[0]! }, { id: other }])
    await subscribe()
    await pack.suppressions.add(caller, [{ email: emails[0]! }])
    await reconcile()
    await watching(other)
  })

  test('ends its watches and says why when the list is gone', async () => {
    const { pack, reconcile } = await open()
    await makeList([{ id: person }])
    const { id } = await subscribe()
    await pack.peopleLists.remove(caller, 'Champions')
    await reconcile()
    await watching()
    expect(await pack.subscriptions.get(caller, id)).toMatchObject({
      state: 'paused',
      stateReason: expect.stringContaining('"Champions" no longer exists'),
    })
  })

  test('keeps what it watches over a restart', async () => {
    const { pack, restart } = await open()
    await makeList([{ id: person }, { id: other }])
    await subscribe()
    await pack.close()
    await restart(() => expect.poll(watchedIds, { timeout: 30_000 }).toEqual([person, other].toSorted()))
  })

  test.each([
    ['of companies', { name: 'Champions', kind: 'company' as const, rows: [{ id: '7' }] }, 'kind company'],
    ['without ids', { name: 'Champions', rows: [{ email: 'ada@example.com' }] }, 'No row of the list'],
  ])('is refused for a list %s', async (_, list, message) => {
    const { pack } = await open()
    await pack.peopleLists.create(caller, list)
    await expect(subscribe()).rejects.toMatchObject({ message: expect.stringContaining(message) })
  })

  test('names one that is there, or people, and not both', async () => {
    const { subscribe: attach } = await open()
    await expect(subscribe()).rejects.toMatchObject({ code: 'not_found' })
    for (const config of [{}, { people: [person], peopleList: 'Champions' }])
      await expect(attach('contact-signal', config)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('may not name the list of another person', async () => {
    const { pack } = await open()
    await pack.peopleLists.create(caller, { name: 'Champions', rows: [{ id: person }], person: 'mai' })
    await expect(
      pack.subscriptions.create(
        { ...caller, person: 'tom' },
        { integration: 'contact-data', trigger: 'contact-signal', config: { peopleList: 'Champions' } },
      ),
    ).rejects.toMatchObject({ code: 'not_found' })
  })
})
