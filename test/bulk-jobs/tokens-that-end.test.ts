import { describe, expect, it, onTestFinished } from 'vitest'
import { createPack, systemClock } from '../../shared/pack.ts'
import type { Store } from '../../shared/pack.ts'
import type { Caller, Token } from '../../shared/runtime/ports/index.ts'
import { createOverride } from '../../shared/sandbox/contact/documented/override.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import * as make from '../store/make.ts'
import { startProvider } from '../support/provider.ts'
import { caller } from '../support/world.ts'
import { create, resultOf, until } from './world.ts'

const hour = 3_600_000
const rows = 8
const file = `email\n${Array.from({ length: rows }, (_, row) => `p${row}@example.com`).join('\n')}\n`

/**
 * A provider that charges one credit for each answer. `meanwhile` goes on during the third request, of which it is the
 * answer that ends last.
 */
const openPlace = async (concurrency = 1) => {
  let ahead = 0
  const now = () => Date.now() + ahead
  const sent: string[] = []
  let atThird: () => Promise<unknown> = async () => {}
  const provider = await startProvider((_, response, body) => {
    const { email } = JSON.parse(body) as { email: string }
    sent.push(email)
    const ready = sent.length === 3 ? atThird() : Promise.resolve()
    void ready.then(() => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-credits-charged': '1' })
      response.end(
        JSON.stringify({ data: { personId: email, fullName: `Person ${email}`, emailAddresses: [{ email }] } }),
      )
    })
  })
  onTestFinished(() => provider.close())
  const narrowed = new Map<string, Partial<Token>>()
  const memory = createMemoryStore()
  const get: Store['tokens']['get'] = async (tenant, id) => {
    const token = await memory.tokens.get(tenant, id)
    return token && { ...token, ...narrowed.get(id) }
  }
  const pack = await createPack({
    store: { ...memory, tokens: { ...memory.tokens, get } },
    clock: { ...systemClock, now },
    mergeLookups: false,
    wire: {
      'contact-data': {
        ...createOverride(provider.origin, { requests: 1, windowMs: 1 }),
        pace: { limits: [], concurrency },
      },
    },
    egress: { privateOrigins: [provider.origin] },
  })
  onTestFinished(() => pack.close())
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Contacts',
    secrets: { apiKey: 'key-0123456789' },
  })
  const { token } = await pack.tokens.create('default', {
    name: 'Maker',
    scopes: ['run', 'read'],
    expiresAt: now() + hour,
  })
  const { caller: maker } = (await pack.tokens.find('default', token.id))!
  return {
    pack,
    sent,
    token,
    maker,
    now,
    moveOn: (ms: number) => void (ahead += ms),
    /** What another process has made of the token. */
    narrow: (changes: Partial<Token>) => void narrowed.set(token.id, changes),
    /** A program that the token let in, to do what itself may. */
    letIn: async (): Promise<Caller> => {
      const id = 'grant_of_maker'
      const rights = { scopes: token.scopes, person: null, expiresAt: now() + 1000 * hour }
      await memory.grants.add(make.granted('default', id, rights, { signedBy: token.id }), make.code('default', id), {
        open: 9,
        unredeemed: 9,
      })
      return { tenant: 'default', token: id, scopes: token.scopes }
    },
    endGrant: () => memory.tokens.revoke('default', 'grant_of_maker', now()),
    meanwhile: (work: () => Promise<unknown>) => void (atThird = work),
    begin: (by: Caller = maker) => create(pack, file, { confirm: true }, 'people.csv', by),
  }
}
type Place = Awaited<ReturnType<typeof openPlace>>

const once = (emails: string[]) =>
  expect(emails.toSorted()).toEqual(Array.from({ length: rows }, (_, row) => `p${row}@example.com`))

const endings: [string, (place: Place) => unknown, RegExp][] = [
  ['expires', ({ moveOn }) => moveOn(2 * hour), /has expired/],
  ['is revoked', ({ pack, token }) => pack.tokens.revoke('default', token.id), /was revoked/],
  ['loses its scope', ({ narrow }) => narrow({ scopes: ['read'] }), /may no longer run/],
  ['loses its step', ({ narrow }) => narrow({ steps: ['contact-data/find-company'] }), /may no longer run/],
  ['is bound to another set', ({ narrow }) => narrow({ toolSet: 'read' }), /may no longer run/],
  ['loses its connection', ({ narrow }) => narrow({ connections: ['con_other'] }), /may no longer run/],
]

describe('a job goes on as somebody whose token is in force', () => {
  it.each(endings)(
    'pauses before its next row when its token %s, says so, and goes on with another',
    async (_, end, says) => {
      const place = await openPlace()
      const { pack, sent, meanwhile, begin } = place
      meanwhile(async () => end(place))
      const { id } = await begin()
      const paused = await until(pack, id, 'paused')
      // All of them were waiting for their turn. The one under way has its answer.
      expect(sent).toHaveLength(3)
      expect(paused).toMatchObject({
        done: 3,
        credits: { spent: 3 },
        reason: { code: 'not_allowed', message: expect.stringMatching(says) },
      })
      expect(paused.reason!.message).toMatch(/Resume it with a token/)
      await pack.jobs.resume(caller, id, {})
      expect(await until(pack, id, 'done')).toMatchObject({ matched: rows, errors: 0, credits: { spent: rows } })
      once(sent)
      expect((await resultOf(pack, id)).split('\n')).toHaveLength(rows + 2)
    },
  )

  it.each([...endings, ['ends itself', ({ endGrant }: Place) => endGrant(), /was revoked/] as const])(
    'pauses as well when it was begun by a program and the token that let it in %s',
    async (_, end, says) => {
      const place = await openPlace()
      const { pack, sent, meanwhile, begin, letIn } = place
      meanwhile(async () => end(place))
      const { id } = await begin(await letIn())
      expect(await until(pack, id, 'paused')).toMatchObject({
        done: 3,
        reason: { code: 'not_allowed', message: expect.stringMatching(says) },
      })
      expect(sent).toHaveLength(3)
    },
  )

  it('pauses too when a token of an identity provider ends, of which the store has no row', async () => {
    const { pack, sent, meanwhile, begin, moveOn, now } = await openPlace()
    const by: Caller = { ...caller, token: 'jwt:ada', scopes: ['run', 'read'], expiresAt: now() + hour }
    meanwhile(async () => moveOn(2 * hour))
    const { id } = await begin(by)
    expect(await until(pack, id, 'paused')).toMatchObject({
      reason: { code: 'not_allowed', message: expect.stringContaining('has expired') },
    })
    expect(sent).toHaveLength(3)
    // The same person, signed in anew.
    await pack.jobs.resume({ ...by, expiresAt: now() + hour }, id, {})
    expect(await until(pack, id, 'done')).toMatchObject({ matched: rows, errors: 0 })
    once(sent)
  })

  it('sends no row after a pause or a cancellation either, however many wait for their turn', async () => {
    const { pack, sent, meanwhile, begin } = await openPlace()
    let id = ''
    meanwhile(async () => {
      await pack.jobs.pause(caller, id)
      // It is looked for every second.
      await new Promise((resolve) => setTimeout(resolve, 2_500))
    })
    ;({ id } = await begin())
    await until(pack, id, 'paused')
    while ((await pack.jobs.get(caller, id)).done < 3) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(sent).toHaveLength(3)
    await pack.jobs.resume(caller, id, {})
    expect(await until(pack, id, 'done')).toMatchObject({ matched: rows, errors: 0 })
    once(sent)
  })

  it('is paused with the same reason when the token has ended before its file was read', async () => {
    const { pack, sent, begin, narrow } = await openPlace()
    // Meanwhile, between the look at the token and the reading of the file.
    narrow({ revokedAt: 1 })
    const { id } = await begin()
    expect(await until(pack, id, 'paused')).toMatchObject({
      rows: null,
      reason: { message: expect.stringContaining('was revoked') },
    })
    expect(sent).toEqual([])
    await pack.jobs.resume(caller, id, {})
    expect(await until(pack, id, 'done')).toMatchObject({ matched: rows })
  })

  it('can be cancelled, with what was found, when its token has ended', async () => {
    const { pack, sent, meanwhile, begin, moveOn } = await openPlace()
    meanwhile(async () => moveOn(2 * hour))
    const { id } = await begin()
    await until(pack, id, 'paused')
    await pack.jobs.cancel(caller, id)
    const { result, matched } = await until(pack, id, 'cancelled')
    expect([matched, sent.length]).toEqual([3, 3])
    expect((await resultOf(pack, id)).match(/match,/g)!.length).toBeGreaterThanOrEqual(3)
    expect(result).not.toBeNull()
  })
})
