import { expect, it } from 'vitest'
import { knownIn } from '../openapi/known.ts'
import { tryRequests } from '../openapi/requests.ts'
import { openHttpWorld } from '../support/http-world.ts'

const face = await openHttpWorld()

// The longer run, with another seed each time, is npm run test:openapi.
it('requests made from the OpenAPI document get only responses that it lists, and no 500', async () => {
  const { requests, statuses } = await tryRequests(face, { each: 12, seed: 7, knownValues: await knownIn(face) })
  expect(requests).toBeGreaterThan(700)
  // Not all of them are refused before anything is looked at.
  expect(statuses.get(200)).toBeGreaterThan(100)
}, 60_000)
