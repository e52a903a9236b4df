import { describe, expect, it } from 'vitest'
import { openHttpWorld } from '../support/http-world.ts'
import { knownIn } from './known.ts'
import { tryRequests } from './requests.ts'

const face = await openHttpWorld()

describe('requests made from the document', () => {
  it('get no answer that it does not have, and no 500', async () => {
    // Another one each time; a failure names it.
    const seed = Number(process.env.TOOLYARD_SEED ?? Math.floor(Math.random() * 2 ** 31))
    const { requests, statuses } = await tryRequests(face, { each: 200, seed, knownValues: await knownIn(face) })
    console.log(
      `openapi: ${requests} requests made from the document, seed ${seed}: ${[...statuses].map(([status, count]) => `${status} ${count}x`).join(', ')}`,
    )
    expect(requests).toBeGreaterThan(10_000)
  })
})
