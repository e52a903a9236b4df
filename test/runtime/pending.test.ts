import { describe, expect, it } from 'vitest'
import { fail } from '#kit'
import { body, dryRun, runStep } from '../data/harness.ts'
import type { Answers } from '../data/harness.ts'

const email = 'gwen@kowhai.example'
const queued = body({ status: 'queued', job: { id: 'j-7' } }, 202)
const gwen = body({ person: { fullName: 'Gwen Ellery' } })
const again = { when: [{ status: 202 }, { path: 'status', equals: 'waiting' }], everyMs: 2000, limitMs: 7000 }
const polled = {
  ...again,
  poll: { path: '/jobs/{job}/result?view={view}&full=1', names: { job: 'job.id', view: 'status' } },
}

const find = (answers: Answers, pending: object, more: Parameters<typeof runStep>[4] = {}) =>
  runStep('contact-data', 'find-contact', { email }, answers, { wire: { endpoints: { person: { pending } } }, ...more })

describe('an answer that says that the work goes on', () => {
  it('is waited for by the same request, which is one lookup', async () => {
    const { value, sent, slept, meta } = await find([queued, body({ status: 'waiting' }), gwen], again)
    expect(value).toMatchObject({ matched: true, record: { fullName: 'Gwen Ellery' } })
    expect(sent).toEqual(Array.from({ length: 3 }, () => ({ method: 'POST', path: '/person', body: { email } })))
    expect(slept).toEqual([2000, 2000])
    expect(meta).toMatchObject({ attempts: 3, credits: { charged: 2, estimated: true } })
  })

  it('is asked for at the path it names, as a read that costs nothing', async () => {
    const { value, sent, calls } = await find([queued, queued, body({ message: 'No match found' })], polled)
    expect(value).toEqual({ matched: false })
    const poll = { method: 'GET', path: '/jobs/j-7/result', query: { view: 'queued', full: '1' } }
    expect(sent.slice(1)).toEqual([poll, poll])
    expect(calls.map(({ paid, effect }) => [paid, effect])).toEqual([
      [true, 'create'],
      [false, 'read'],
      [false, 'read'],
    ])
  })

  it('is no miss where the path of its result gives a 404 that says nothing, though the endpoint has given a match', async () => {
    const contacts = [{ email }, { email: 'rua@kowhai.example' }]
    const gone = body({ message: 'not found' }, 404)
    const wire = (pending?: object) => ({
      wire: { endpoints: { person: { ...(pending ? { pending } : {}), bulk: { path: null } } } },
    })
    const plain = await runStep('contact-data', 'enrich-contacts', { contacts }, [gwen, gone], wire())
    expect(plain.value['results']).toMatchObject([{ matched: true }, { matched: false }])
    const waited = await runStep('contact-data', 'enrich-contacts', { contacts }, [gwen, queued, gone], wire(polled))
    expect(waited.value['results']).toMatchObject([{ matched: true }, { failed: { code: 'bad_reply' } }])
  })

  it('given up counts as perhaps charged, by the most that the price says, as one whose result cannot be asked for does', async () => {
    const over = { wire: { endpoints: { person: { pending: polled, price: [{ per: 'match', credits: 3 }] } } } }
    for (const answers of [() => queued, [queued, fail('unreachable', 'lost')]] as Answers[])
      expect((await runStep('contact-data', 'find-contact', { email }, answers, over)).meta.credits).toEqual({
        charged: 3,
        estimated: true,
      })
    const contacts = [{ email }, { email: 'rua@kowhai.example' }]
    expect((await runStep('contact-data', 'enrich-contacts', { contacts }, () => queued, over)).meta.credits).toEqual({
      charged: 6,
      estimated: true,
    })
  })

  it('ends as a failure that may be repeated, neither a match nor a miss, at the limit', async () => {
    const { failure, value, sent, slept, meta } = await find(() => queued, again)
    expect(failure).toMatchObject({
      code: 'provider_failed',
      retryable: true,
      retryAfterMs: 2000,
      message: expect.stringContaining('still working') as string,
    })
    expect([value, sent.length, slept]).toEqual([{}, 4, [2000, 2000, 2000]])
    expect(meta.credits).toEqual({ charged: 2, estimated: true })
  })

  it('is not waited for beyond the deadline of the call', async () => {
    const { failure, slept } = await find(() => queued, { ...again, limitMs: 600_000 }, { call: { deadlineMs: 5000 } })
    expect([failure?.code, slept]).toEqual(['provider_failed', [2000, 2000]])
  })

  it('can be cancelled, and is perhaps charged then', async () => {
    const stop = new AbortController()
    const answers: Answers = () => {
      stop.abort()
      return queued
    }
    const { failure, sent, meta } = await find(answers, again, { call: { signal: stop.signal } })
    expect([failure?.code, sent.length]).toEqual(['cancelled', 1])
    expect(meta.credits).toEqual({ charged: 2, estimated: true })
  })

  it('without what its result is asked by names the setting', async () => {
    const { failure, sent } = await find([body({ status: 'queued' }, 202)], polled)
    expect(failure).toMatchObject({
      code: 'bad_reply',
      message: expect.stringContaining('wire.contact-data.endpoints.person.pending.poll.names.job') as string,
    })
    expect(sent).toHaveLength(1)
  })

  it('with a name that would lead elsewhere asks nothing', async () => {
    const { failure, sent } = await find([body({ status: 'queued', job: { id: '../admin' } }, 202)], polled)
    expect(failure).toMatchObject({
      code: 'bad_reply',
      message: expect.stringContaining('pending.poll.path') as string,
    })
    expect(sent).toHaveLength(1)
  })

  it('whose result fails means what that failure means', async () => {
    expect((await find([queued, body({ message: 'no credits' }, 402)], polled)).failure?.code).toBe('credits_exhausted')
  })

  it('is waited for in bulk requests and searches too', async () => {
    const contacts = [{ email }, { email: 'rua@kowhai.example' }]
    const many = await runStep(
      'contact-data',
      'enrich-contacts',
      { contacts },
      [queued, body([{ fullName: 'Gwen' }, null])],
      {
        wire: { endpoints: { person: { pending: polled } } },
      },
    )
    expect(many.value.summary).toMatchObject({ matched: 1, notMatched: 1 })
    const over = { 'search-contacts': { path: '/search', fields: { jobTitle: 'title' }, pending: again } }
    const search = await runStep(
      'contact-data',
      'search-contacts',
      { jobTitle: 'buyer' },
      [queued, body([{ fullName: 'Gwen' }])],
      {
        wire: { endpoints: over },
      },
    )
    expect(search.value.count).toBe(1)
  })

  it('changes nothing in a dry run', async () => {
    const { dry, calls } = await dryRun(
      'contact-data',
      'find-contact',
      { email },
      { endpoints: { person: { pending: polled } } },
    )
    expect([dry.requests.length, dry.complete, calls.length]).toEqual([1, true, 0])
  })
})
