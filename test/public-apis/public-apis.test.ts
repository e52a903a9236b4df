import { afterEach, describe, expect, it } from 'vitest'
import { profileSettings } from '../../shared/kit/profile.ts'
import { play } from './play.ts'
import type { Played } from './play.ts'
import type { Reply } from './vendor.ts'
import { vendors } from './vendors.ts'

let played: Played
afterEach(() => played.close())

/** Vendors name their own origin in headers and bodies. */
const at = (origin: string, reply: Reply): Reply => JSON.parse(JSON.stringify(reply).replaceAll('{origin}', origin))

describe.each(vendors)('$title ($kind)', (vendor) => {
  it('has a profile that operators could write as JSON', async () => {
    played = await play(vendor)
    for (const [name, value] of Object.entries(JSON.parse(JSON.stringify(vendor.wire)) as Record<string, unknown>))
      expect(profileSettings[name as keyof typeof profileSettings]().safeParse(value).error, name).toBeUndefined()
  })

  it('is asked as its documentation shows', async () => {
    played = await play(vendor)
    await played.connect()
    played.willAnswer(vendor.request.reply)
    const outcome = await played.run('ask')
    expect(outcome).toMatchObject({ ok: true, value: vendor.request.reply.body })
    const { method, url, body, headers } = vendor.request.sent
    expect(played.provider.seen).toMatchObject([
      { method, url, ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) },
    ])
  })

  it('is read page by page, to the end', async () => {
    played = await play(vendor)
    await played.connect()
    const [first, last] = vendor.page.replies.map((reply) => at(played.provider.origin, reply))
    played.willAnswer(first!, last!)
    const page = await played.run('list')
    expect(page).toMatchObject({ ok: true, value: { items: expect.any(Array), next: expect.any(String) } })
    const { next } = (page as { value: { next: string } }).value
    const rest = await played.run('list', { next })
    expect(played.provider.seen.at(-1)!.url).toBe(vendor.page.nextUrl)
    expect(rest).toMatchObject({ ok: true, value: { items: expect.any(Array) } })
    expect(Object.keys((rest as { value: object }).value)).not.toContain('next')
  })

  it('fails with a code, and with the words of the vendor', async () => {
    played = await play(vendor)
    await played.connect()
    played.willAnswer(vendor.error.reply)
    const outcome = await played.run('ask')
    if (outcome.ok) throw new Error('It succeeded.')
    expect(outcome.failure.code).toBe(vendor.error.failure.code)
    expect(JSON.stringify(outcome.failure)).toContain(vendor.error.failure.says)
    expect(played.provider.seen).toHaveLength(1)
  })

  it('waits as long as the vendor asks, or says how long that is where a call has no such time', async () => {
    played = await play(vendor)
    await played.connect()
    const { reply, waitMs } = vendor.limit
    played.willAnswer(reply, vendor.request.reply)
    const from = played.clock.now()
    const outcome = await played.run('ask')
    if (waitMs > vendor.wire.timeouts.deadlineMs) {
      if (outcome.ok) throw new Error('It succeeded.')
      expect(outcome.failure.code).toBe('rate_limited')
      expect(outcome.failure.retryAfterMs).toBeGreaterThanOrEqual(waitMs)
      expect(outcome.failure.retryAfterMs).toBeLessThan(waitMs + 5_000)
      expect(played.provider.seen).toHaveLength(1)
      return
    }
    expect(outcome).toMatchObject({ ok: true })
    expect(played.provider.seen).toHaveLength(2)
    const waited = played.clock.now() - from
    expect(waited).toBeGreaterThanOrEqual(waitMs)
    expect(waited).toBeLessThan(waitMs + 5_000)
  })

  it('delivers events, which are its own only with its signature', async () => {
    const { delivery } = vendor
    played = await play(vendor, { now: delivery.now })
    await played.connect()
    const url = await played.subscribe(delivery.secret)
    // What the pack has made for this hook is sent to the provider, and nowhere else.
    const secret = delivery.secret ?? secretIn(played.provider.seen.at(-1)!.body)
    const headers = delivery.headers({ body: delivery.body, url, secret })
    expect(await played.deliver(url, `${delivery.body} `, headers)).toMatchObject({ status: 401 })
    expect(await played.events()).toEqual([])
    expect(await played.deliver(url, delivery.body, headers)).toMatchObject({ status: 200 })
    expect((await played.events()).toReversed()).toMatchObject(delivery.events)
    // A repeated delivery brings nothing new.
    await played.deliver(url, delivery.body, headers)
    expect(await played.events()).toHaveLength(delivery.events.length)
  })
})

describe.each(vendors.flatMap(({ vector, ...vendor }) => (vector ? [{ ...vendor, vector }] : [])))(
  'the published signature of $title',
  ({ vector, ...vendor }) => {
    it('is genuine over these bytes alone', async () => {
      const signature = { ...vendor.wire.signature, secret: 'app' }
      played = await play(
        { ...vendor, deliveries: { ...vendor.deliveries, itemsOf: () => [] } },
        {
          ...(vector.now === undefined ? {} : { now: vector.now }),
          wire: { signature },
        },
      )
      await played.connect()
      const url = await played.subscribe(vector.secret)
      expect(await played.deliver(url, `${vector.body}.`, vector.headers)).toMatchObject({ status: 401 })
      expect(await played.deliver(url, vector.body, vector.headers)).toMatchObject({ status: 200 })
    })
  },
)

/** The secret that the request making a hook hands over. */
const secretIn = (body: string): string => /"(?:secret|signing_key)":"([^"]+)"/.exec(body)![1]!
