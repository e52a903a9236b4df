import { afterAll, expect, it } from 'vitest'
import { openObjects } from './objects.ts'

/**
 * The key of the job in `furnish` was never sealed. In a file of its own: the clock of a longer one comes to the end of
 * what jobs are kept for.
 */
const { face, furnish } = await openObjects()
afterAll(() => face.close())

it.each(['export', 'erase'])('a search for a person to %s counts a job whose key does not open', async (verb) => {
  const body = { identifiers: [{ email: 'nobody@example.com' }] }
  const unread = async () => (await face.ask(`/v1/privacy/${verb}`, { body })).json.unread as number
  const before = await unread()
  await furnish()
  expect(await unread()).toBe(before + 1)
})
