/** With synchronous replication nothing that was acknowledged is lost. */
import { describe, expect, it } from 'vitest'
import { postgresIsMissing } from '../support/postgres.ts'
import { events, missingStarts, openStory, perSecond, play } from './failover-story.ts'
import { figure } from './figures.ts'
import { startWriting } from './keyed-writes.ts'

const failovers = figure(10)

describe.skipIf(postgresIsMissing())('failover to a standby', () => {
  it(`synchronous, ${failovers} times under ${perSecond} events a second: nothing acknowledged is lost`, async () => {
    const story = await openStory()
    const { database, agent, place } = story
    const writes = startWriting(place.origin, place.board)
    for (let n = 0; n < failovers; n += 1) {
      await database.follow('synchronous')
      await play(story, 'synchronous', n)
    }
    const lost = await missingStarts(story)
    const judged = await writes.judge()
    const doubled = [...agent.keys].filter(([, keys]) => keys.size > 1).map(([start]) => start)
    const deliveries = place.board.control.deliveries()
    console.log('failover, synchronous:', {
      starts: agent.keys.size,
      lost: lost.length,
      repeated: [...agent.calls.values()].reduce((sum, { length }) => sum + length - 1, 0),
      givenUpByProvider: deliveries.filter(({ state }) => state === 'lost').length,
      writes: judged.written,
      acknowledgedWrites: writes.acknowledged.size,
    })
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
    expect(agent.keys.size).toBeGreaterThan((failovers * events) / 2)
    expect(writes.acknowledged.size).toBeGreaterThan(failovers * 10)
    expect(judged).toMatchObject({ forgotten: [], doubled: [] })
  })
})
