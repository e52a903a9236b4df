import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startProvider } from '../support/provider.ts'
import { blockOf } from './pages.ts'

/** The made-up provider of docs/own-profile.md, as the page describes it. */
type Asked = { mail?: string; ref?: string }
const caller = { tenant: 'default' }
let provider: Awaited<ReturnType<typeof startProvider>>
let pack: Pack

const answerTo = ({ mail, ref }: Asked) => {
  const echoed = ref === undefined ? {} : { ref }
  if (mail === 'withheld@tiles.example') return { ...echoed, code: 'WITHHELD' }
  return mail?.startsWith('mira')
    ? { ...echoed, key: 'p1', label: 'Mira Tanaka', post: 'Operations Manager', mails: [mail] }
    : { ...echoed, code: 'UNKNOWN' }
}
const row = (no: number) => ({ key: `p${no}`, label: `Person ${no}`, post: 'Buyer' })

beforeEach(async () => {
  provider = await startProvider((request, response, body) => {
    const requestBody =
      body === '' ? {} : (JSON.parse(body) as { people?: Asked[]; page?: { no: number; size: number } })
    const answers: { [path: string]: () => unknown } = {
      '/account': () => ({ left: 812 }),
      '/people/lookup': () => {
        const people = requestBody.people!.map(answerTo)
        return { people, cost: people.filter((person) => 'key' in person).length }
      },
      '/people/find': () => ({
        people: Array.from({ length: requestBody.page!.size }, (_, at) =>
          row((requestBody.page!.no - 1) * requestBody.page!.size + at),
        ),
        total: 25,
        cost: 1,
      }),
    }
    const answer = request.headers['x-key'] === 'k-1' ? answers[request.url!] : undefined
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer?.() ?? { message: 'no route' }))
  })
  const wire = JSON.parse(
    blockOf('own-profile').replace('https://api.example-data.example', provider.origin),
  ) as Record<string, Record<string, unknown>>
  pack = await createPack({ wire, egress: { privateOrigins: [provider.origin] } })
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})

const connect = () =>
  pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Own',
    secrets: { apiKey: 'k-1' },
  })
const run = (step: string, input: Record<string, unknown>) =>
  pack.steps.run(caller, { integration: 'contact-data', step, input })

it('the profile of the page works by JSON alone', async () => {
  expect(await connect()).toMatchObject({ state: 'connected' })
  const outcome = await run('find-contact', { email: 'mira@tiles.example' })
  expect(outcome).toMatchObject({
    ok: true,
    value: { matched: true, record: { id: 'p1', fullName: 'Mira Tanaka' } },
    meta: { credits: { charged: 1 } },
  })
  expect(JSON.parse(provider.seen.at(-1)!.body)).toEqual({
    people: [{ mail: 'mira@tiles.example', show: { mails: true } }],
  })
  expect(await run('find-contact', { email: 'nobody@tiles.example' })).toMatchObject({
    ok: true,
    value: { matched: false },
  })
  expect(await run('find-contact', { email: 'withheld@tiles.example' })).toMatchObject({
    ok: false,
    failure: { code: 'suppressed' },
  })

  const many = await run('enrich-contacts', {
    contacts: [{ email: 'mira@tiles.example' }, { email: 'nobody@tiles.example' }, { email: 'withheld@tiles.example' }],
  })
  expect(many).toMatchObject({
    ok: true,
    value: { results: [{ matched: true }, { matched: false }, { failed: { code: 'suppressed' } }] },
  })

  const page = await run('search-contacts', { jobTitle: 'buyer', companySize: '11-50', limit: 3 })
  expect(JSON.parse(provider.seen.at(-1)!.body)).toEqual({
    where: { titles: ['buyer'], staff: { from: 11, to: 50 } },
    page: { no: 1, size: 10 },
  })
  expect(page).toMatchObject({ ok: true, value: { count: 10, total: 25, next: expect.any(String) as string } })
  expect(await run('account-usage', {})).toMatchObject({ ok: true, value: { usage: { creditsRemaining: 812 } } })
})

it('says what the provider of the page lacks before anything is sent', async () => {
  await connect()
  const before = provider.seen.length
  expect(await run('find-company', { domain: 'tiles.example' })).toMatchObject({
    ok: false,
    failure: { code: 'wire_unset' },
  })
  expect(await run('search-contacts', { jobTitle: 'buyer', location: 'Newcastle' })).toMatchObject({
    ok: false,
    failure: { code: 'wire_unset' },
  })
  expect(provider.seen.length).toBe(before)
})
