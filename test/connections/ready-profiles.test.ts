import { afterEach, describe, expect, it } from 'vitest'
import anzData from '../../integrations/anz-data/manifest.ts'
import contactData from '../../integrations/contact-data/manifest.ts'
import { createPack } from '../../shared/pack.ts'
import { startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactProfile } from '../../shared/sandbox/contact/index.ts'

const caller = { tenant: 'default' }
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Connects an account under a ready profile at the sandbox that speaks it. */
const connectAt = async (id: string, profile: string, key?: string) => {
  const sandbox =
    id === 'anz-data'
      ? await startAnzSandbox({ profile: 'firmable' })
      : await startContactSandbox({ profile: profile as ContactProfile })
  ends.push(() => sandbox.close())
  const pack = await createPack({
    integrations: [anzData, contactData],
    wire: { [id]: { ...sandbox.override, profile } },
    egress: { privateOrigins: [sandbox.origin] },
  })
  ends.push(() => pack.close())
  const connect = () =>
    pack.connections.create(caller, {
      integration: id,
      type: 'api-key',
      secrets: { apiKey: key ?? sandbox.credentials.apiKey },
    })
  return { sandbox, pack, connect }
}

const ready = [contactData, anzData].flatMap(({ id, profiles = {} }) =>
  Object.keys(profiles).map((profile) => [id, profile] as const),
)

describe('the free test of a ready profile', () => {
  it.each(ready)('%s %s: proves a good key, refuses a bad one, and costs nothing', async (id, profile) => {
    const { connect, sandbox } = await connectAt(id, profile)
    expect(await connect()).toMatchObject({ state: 'connected', stateReason: null })
    expect(sandbox.control.counters().creditsCharged).toBe(0)
    const bad = await connectAt(id, profile, 'not-a-key-of-anybody')
    await expect(bad.connect()).rejects.toMatchObject({ code: 'not_connected' })
  })

  const search = { method: 'POST', path: '/people/search' }
  it.each<[status: number, body: object]>([
    [400, { error: 400, message: 'Invalid companyId' }],
    [400, { error: 'companyId must be the id of a company' }],
    [422, { error: 422, message: 'Unknown company id f000000000000' }],
    [400, { error: 400, message: 'Company not found' }],
    [404, { error: 404, message: 'Company not found' }],
    [500, { error: 'Company profile not found' }],
  ])('firmable: a refusal of the made-up id, %i %j, proves a key as a result does', async (status, body) => {
    const { connect, sandbox } = await connectAt('anz-data', 'firmable')
    sandbox.control.inject({ match: search, answer: { status, body } })
    expect(await connect()).toMatchObject({ state: 'connected', stateReason: null })
  })

  it('people-data-labs: a refusal of the made-up address proves a key as a result does', async () => {
    const { connect, sandbox } = await connectAt('contact-data', 'people-data-labs')
    const error = { type: 'invalid_request_error', message: 'email is not deliverable' }
    sandbox.control.inject({ answer: { status: 400, body: { status: 400, error } } })
    expect(await connect()).toMatchObject({ state: 'connected', stateReason: null })
  })

  it.each<[status: number, body: object]>([
    [400, { error: 'Bad Request' }],
    [400, { error: 400, message: 'Invalid API key' }],
    [404, { message: 'Route POST:/people/search not found', error: 'Not Found', statusCode: 404 }],
    [404, { message: 'The requested resource was not found' }],
    [500, { error: 'Upstream company not found' }],
  ])('firmable: any other refusal, %i %j, proves nothing', async (status, body) => {
    const { connect, sandbox } = await connectAt('anz-data', 'firmable')
    sandbox.control.inject({ match: search, answer: { status, body }, times: 10 })
    const state = await connect().then(
      (made) => made.state,
      () => 'refused',
    )
    expect(state).not.toBe('connected')
  })
})
