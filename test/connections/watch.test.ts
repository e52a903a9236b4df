import { describe, expect, it } from 'vitest'
import { caller } from '../support/world.ts'
import { movableClock } from '../support/clock.ts'
import { openOAuthWorld } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'

let world: OAuthWorld

const hours = 3_600_000

/** Real time that can be moved, where the wait between two rounds ends when the test says so. */
const openWatched = async () => {
  const clock = movableClock()
  const rounds: (() => void)[] = []
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (ms !== 600_000) return ms === 2_000 ? Promise.resolve() : clock.sleep(ms, signal)
    return new Promise((resolve, reject) => {
      rounds.push(resolve)
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
  }
  world = await openOAuthWorld({ clock: { ...clock, sleep } })
  world.pack.watchAccounts()
  const { key, token } = world.sandbox.board.credentials
  const connect = (name: string, secret = token) =>
    world.pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      name,
      secrets: { key, token: secret },
    })
  const countRequests = () =>
    world.sandbox.board.control.requests().length + world.sandbox.anz.control.counters().requests
  /** One round, and everything it does: the loop waits again when it is over. */
  const round = async () => {
    const before = countRequests()
    const seen = rounds.length
    rounds.at(-1)!()
    while (rounds.length === seen) await new Promise((resolve) => setTimeout(resolve, 5))
    return countRequests() - before
  }
  return { clock, connect, round }
}
const stateOf = async (id: string) => (await world.pack.connections.get(caller, id)).state

describe('accounts nobody uses', () => {
  it('are tested after some hours, so that a broken one is known before an agent trips over it, and told once', async () => {
    const { clock, connect, round } = await openWatched()
    const notices: string[] = []
    const broken = await connect('Broken', world.sandbox.board.control.issueToken({}).token)
    const fine = await connect('Fine')
    world.pack.onAccountState((_, id, state, reason) => notices.push(`${id} ${state} ${reason !== null}`))
    expect(await round()).toBe(0)
    const [issued] = [...world.sandbox.board.state.tokens.values()].slice(-1)
    world.sandbox.board.control.revokeToken({ token: issued!.value })
    clock.advance(6 * hours)
    // One request for each: the free test.
    expect(await round()).toBe(2)
    expect([await stateOf(broken.id), await stateOf(fine.id)]).toEqual(['needs_reconnect', 'connected'])
    expect(notices).toEqual([`${broken.id} needs_reconnect true`])
    clock.advance(6 * hours)
    expect(await round()).toBe(1)
    expect(notices).toHaveLength(1)
  })

  it('are left alone when they were used, are disabled, or could be tested only by a paid lookup', async () => {
    const { clock, connect, round } = await openWatched()
    const used = await connect('Used')
    const disabled = await connect('Disabled')
    await world.pack.connections.create(caller, {
      integration: 'anz-data',
      type: 'api-key',
      secrets: world.sandbox.anz.credentials,
    })
    await world.pack.connections.patch(caller, disabled.id, { disabled: true })
    clock.advance(6 * hours)
    await world.pack.steps.run(caller, {
      integration: 'work-board',
      step: 'get-boards',
      input: {},
      connection: used.id,
    })
    await world.pack.connections.get(caller, used.id)
    expect(await round()).toBe(0)
    expect(world.sandbox.anz.control.counters().requests).toBe(0)
    expect(await stateOf(disabled.id)).toBe('disabled')
  })

  it('stay as they are while the provider is away, and the rounds go on', async () => {
    const { clock, connect, round } = await openWatched()
    const { id } = await connect('Board')
    clock.advance(6 * hours)
    world.sandbox.board.control.fault({ match: { path: '/1/members/me' }, times: 20, cut: 'reset' })
    expect(await round()).toBeGreaterThan(0)
    expect(await stateOf(id)).toBe('connected')
    expect(world.events('connection.not_tested')).toHaveLength(1)
    world.sandbox.board.control.clearFaults()
    clock.advance(6 * hours)
    expect(await round()).toBe(1)
    expect(world.events('connections.watch_ended')).toEqual([])
  })
})
