/** What asynchronous replication may lose, and what is found again. It also shows that the other suite would see a loss. */
import { describe, expect, it } from 'vitest'
import { onlyTold } from '../support/board-events.ts'
import { postgresIsMissing } from '../support/postgres.ts'
import { missingStarts, openStory, play } from './failover-story.ts'

describe.skipIf(postgresIsMissing())('failover to a standby', () => {
  it('asynchronous: lost is what was acknowledged last and is in no history', async () => {
    const story = await openStory()
    const { database, agent } = story
    await database.follow('asynchronous')
    const lostSince = await play(story, 'asynchronous', 1)
    const lost = await missingStarts(story)
    console.log('failover, asynchronous:', { starts: agent.keys.size, lost })
    expect(lost.length).toBeGreaterThan(0)
    // Dates of actions are those of the provider; the link is cut within the same second.
    const unexpected = lost.filter(({ type, date }) => type !== onlyTold || Date.parse(date) < lostSince - 1_000)
    expect(unexpected).toEqual([])
    expect([...agent.keys.values()].filter(({ size }) => size > 1)).toEqual([])
  })
})
