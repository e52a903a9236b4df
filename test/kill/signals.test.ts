/**
 * A provider delivers signals that each cost a credit, while the server is killed again and again, and others send what
 * the provider never would: each signal starts its agents once, and the ledger has what the provider has charged.
 */
import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { withDirectory } from '../faces/process.ts'
import { startsOf, watched } from './signals-place.ts'
import { playStorm } from './signals-storm.ts'

/** A tenth by default; `npm run test:long` has all of them. */
const deliveries = Number(process.env['SIGNALS'] ?? 500)
const kills = Number(process.env['SIGNAL_KILLS'] ?? 2)
const seed = Number(process.env['KILL_SEED'] ?? randomInt(2 ** 31))

it(`${deliveries} deliveries of signals and ${kills} kills: each signal starts once and is charged once`, () =>
  withDirectory(async (folder) => {
    console.log(`signals: KILL_SEED=${seed}`)
    const { place, usedUp, noise, blockReason, kills: killed } = await playStorm(folder, { deliveries, kills, seed })
    const { signals, answers, wrong } = place.road.state
    const keys = new Map<string, Set<string>>()
    for (const { path, id, start } of place.agent.taken) {
      const name = `${path} ${String(start.data.id)}`
      keys.set(name, (keys.get(name) ?? new Set()).add(id))
    }
    const wanted = [...signals.values()].flatMap(startsOf)
    const repeated = place.agent.taken.length - [...keys.values()].reduce((sum, { size }) => sum + size, 0)
    const ledger = await place.ledger()
    const charged = [...ledger.values()].reduce((sum, credits) => sum + credits, 0)
    console.log(
      'signals:',
      JSON.stringify({ signals: signals.size, noise, answers, starts: keys.size, repeated, usedUp }),
    )

    expect(killed).toBe(kills)
    expect(wrong).toEqual([])
    // Nothing is lost and nothing invented; each has one key, and the agent accepts its signature.
    expect([...keys.keys()].toSorted()).toEqual(wanted.toSorted())
    expect([...keys].filter(([, { size }]) => size > 1)).toEqual([])
    expect(place.agent.taken.filter(({ genuine }) => !genuine)).toEqual([])
    // A start whose call was under way is called once more, and no other.
    expect(repeated).toBeLessThanOrEqual(kills * 64)
    // The ledger has what the provider counts, each signal once.
    expect({ charged, entries: ledger.size }).toEqual({ charged: place.charged(), entries: signals.size })
    // What used up a budget was paused in time, and not long before.
    expect(usedUp.length).toBeGreaterThan(0)
    for (const { credits, spent, charged: atProvider, margin } of usedUp) {
      expect(spent).toBe(atProvider)
      expect(margin).toBeGreaterThan(0)
      expect(spent).toBeGreaterThan(credits - margin)
      expect(spent).toBeLessThanOrEqual(credits + margin)
    }
    // The provider disabled a subscription whose answers it did not hear: it is active again, and the gap is known.
    expect(blockReason).toBe('Max retries exceeded')
    expect((await place.atProvider()).map(({ isActive }) => isActive)).toEqual(watched.map(() => true))
    expect(await place.gapReasons()).toContainEqual(
      expect.stringContaining('switched the webhook off (Max retries exceeded)'),
    )
  }))
