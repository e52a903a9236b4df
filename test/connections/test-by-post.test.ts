import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineIntegration, path, z } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { fakeClock } from '../support/clock.ts'
import { startProvider } from '../support/provider.ts'
import { caller } from '../support/world.ts'

/**
 * A provider that says who the caller is at a POST: the request only reads, so a failure of it leaves nothing in doubt.
 */

type Answer = (response: ServerResponse) => void
const says =
  (status: number, body: object): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const down = says(503, { message: 'down' })
const good = says(200, { id: 'u1', name: 'Gwen' })
const cut: Answer = (response) => void response.destroy()

let answers: Answer[]
let provider: Awaited<ReturnType<typeof startProvider>>
let pack: Pack

const askedByPost = () =>
  defineIntegration({
    id: 'asked-by-post',
    title: 'Asked by POST',
    summary: 'Tests a key by POST.',
    version: '0.0.1',
    maturity: 'beta',
    connections: [
      {
        id: 'key',
        title: 'API key',
        purpose: 'A key.',
        secrets: z.strictObject({ apiKey: z.string().meta({ title: 'Key', description: 'Key of the provider.' }) }),
        test: { method: 'POST', path: path`/whoami`, body: {} },
        identify: (reply) => ({
          accountId: (reply as { id: string }).id,
          accountName: (reply as { name: string }).name,
        }),
        revoke: { method: 'POST', path: path`/revoke`, body: {} },
      },
    ],
    steps: [],
    apiCall: { methods: ['GET', 'POST'], under: '/', deny: [] },
    wire: {
      profile: 'test',
      baseUrl: provider.origin,
      auth: { key: { place: 'header', fields: { authorization: 'Bearer {apiKey}' } } },
      reserved: [],
      pace: { limits: [], concurrency: 2 },
      timeouts: { connectMs: 1000, headersMs: 2000, bodyMs: 2000, totalMs: 5000, deadlineMs: 10_000 },
      maxReplyBytes: 10_000,
      errors: [],
      assumed: {},
    },
  })

beforeEach(async () => {
  answers = []
  provider = await startProvider((_, response) => (answers.shift() ?? good)(response))
  pack = await createPack({
    integrations: [askedByPost()],
    clock: fakeClock(),
    random: () => 0,
    egress: { privateOrigins: [provider.origin] },
  })
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})

const connect = () =>
  pack.connections.create(caller, { integration: 'asked-by-post', type: 'key', secrets: { apiKey: 'k-0123456789' } })
const requestedUrls = () => provider.seen.map(({ url }) => url)

describe('the free test of a connection that is a POST', () => {
  it.each<[string, Answer]>([
    ['503', down],
    ['a lost answer', cut],
  ])('is sent again after %s', async (_, trouble) => {
    answers = [trouble]
    expect(await connect()).toMatchObject({ state: 'connected', account: { id: 'u1', name: 'Gwen' } })
    expect(requestedUrls()).toEqual(['/whoami', '/whoami'])
  })

  it.each<[string, Answer, string]>([
    ['503', down, 'provider_failed'],
    ['lost answers', cut, 'unreachable'],
  ])('leaves the connection untested, not refused, while the provider gives %s', async (_, trouble, code) => {
    answers = Array.from({ length: 20 }, () => trouble)
    const { id, state, stateReason } = await connect()
    expect([state, stateReason]).toEqual(['unverified', expect.stringContaining('Not tested yet')])
    await expect(pack.connections.test(caller, id)).rejects.toMatchObject({ code })
    answers = []
    expect(await pack.connections.test(caller, id)).toMatchObject({ state: 'connected' })
  })

  it('says nothing of other requests by POST: taking the credential back is sent once', async () => {
    const { id } = await connect()
    answers = [down]
    await pack.connections.patch(caller, id, { revoked: true })
    expect(requestedUrls()).toEqual(['/whoami', '/revoke'])
  })
})
