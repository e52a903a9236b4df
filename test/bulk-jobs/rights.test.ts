import { describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { NewToken } from '../../shared/runtime/admin/tokens.ts'
import type { Caller } from '../../shared/runtime/ports/index.ts'
import { closing } from '../support/closing.ts'
import { runLine } from '../support/command-line.ts'
import { caller } from '../support/world.ts'
import { charged, create, openJobsWorld, peopleFile, until, upload } from './world.ts'

const hour = 3_600_000
const otherStep = 'contact-data/find-company'
const own = 'contact-data/find-contact'

/** Everybody who may come, by what their token is bound to. */
type Bounds = Partial<Pick<NewToken, 'scopes' | 'steps' | 'toolSet' | 'connections'>> & { tenant?: string }
type Who = {
  bounds(connection: string, foreign: string): Bounds
  sees: boolean
  changes?: boolean
  opensResult?: boolean
}
const everybody: { [who: string]: Who } = {
  unbound: { bounds: () => ({}), sees: true },
  'bound to the step': { bounds: () => ({ steps: [own, otherStep] }), sees: true, opensResult: false },
  'bound to its tool set': { bounds: () => ({ toolSet: 'people' }), sees: true, opensResult: false },
  'bound to its connection': { bounds: (connection) => ({ connections: [connection] }), sees: true },
  'bound to its connection and step': {
    bounds: (connection) => ({ connections: [connection], steps: [own] }),
    sees: true,
    opensResult: false,
  },
  'bound to another step': { bounds: () => ({ steps: [otherStep] }), sees: false },
  'bound to another step and its connection': {
    bounds: (connection) => ({ connections: [connection], steps: [otherStep] }),
    sees: false,
  },
  'bound to another tool set': { bounds: () => ({ toolSet: 'read' }), sees: false },
  'bound to another connection': { bounds: (_, foreign) => ({ connections: [foreign] }), sees: false },
  'for reading': { bounds: () => ({ scopes: ['read'] }), sees: true, changes: false },
  'for reading, bound to another step': {
    bounds: () => ({ scopes: ['read'], steps: [otherStep] }),
    sees: false,
    changes: false,
  },
  'of another tenant': { bounds: () => ({ tenant: 'other' }), sees: false },
}

const place = async () => {
  const world = await openJobsWorld()
  const { pack, connect } = world
  await pack.tenants.create({ id: 'other', name: 'Other' })
  const { id: connection } = (await pack.connections.list(caller))[0]!
  const { id: foreign } = await connect('contact-data', { name: 'Others' })
  const http = closing(await createHttp({ pack, version: '0.0.0', mcp: false }))
  const tokenOf = async ({ bounds }: Who) => {
    const { tenant = 'default', ...tokenBounds } = bounds(connection, foreign)
    return pack.tokens.create(tenant, { name: 'Somebody', scopes: ['run', 'read'], ...tokenBounds })
  }
  return {
    ...world,
    connection,
    http,
    tokenOf,
    async callerOf(who: Who): Promise<Caller> {
      const { token } = await tokenOf(who)
      return (await pack.tokens.find(token.tenant, token.id))!.caller
    },
    /** Two jobs of somebody whose token is not bound: one that waits, and one that has a result. */
    async jobsOfOthers() {
      const file = peopleFile(3)
      const waits = await create(pack, file)
      await until(pack, waits.id, 'ready')
      const ended = await create(pack, file, { confirm: true })
      const { result } = await until(pack, ended.id, 'done')
      return { waits: waits.id, result: result! }
    },
    ask: async (token: string, method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) => {
      const reply = await http.inject({
        method,
        url,
        headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { payload: JSON.stringify(body) } : {}),
      })
      return { status: reply.statusCode, text: reply.body }
    },
  }
}

/** What the code of a refusal is, or `fine`. */
const endOf = (work: Promise<unknown>) =>
  work.then(
    () => 'fine',
    (thrown: { code: string }) => thrown.code,
  )

const shared = await place()

describe.each(Object.entries(everybody))('a token %s, and the jobs that somebody else made', (_, who) => {
  const seen = who.sees ? 200 : 404
  const changed = who.changes === false ? 403 : seen
  const ofResult = (who.opensResult ?? who.sees) ? 200 : 404

  it('over HTTP', async () => {
    const { tokenOf, jobsOfOthers, ask, sandbox } = shared
    const { waits, result } = await jobsOfOthers()
    const before = charged(sandbox)
    const { text: token } = await tokenOf(who)
    const listed = JSON.parse((await ask(token, 'GET', '/v1/jobs')).text) as { items: { id: string }[] }
    expect(listed.items.map(({ id }) => id).includes(waits)).toBe(who.sees)
    const status = async (method: 'GET' | 'POST', url: string, body?: object) =>
      (await ask(token, method, url, body)).status
    expect(await status('GET', `/v1/jobs/${waits}`)).toBe(seen)
    expect(await status('GET', `/v1/jobs/${waits}/preview`)).toBe(changed)
    expect(await status('POST', `/v1/jobs/${waits}/pause`)).toBe(changed === 200 ? 409 : changed)
    expect(await status('GET', `/v1/files/${result}`)).toBe(ofResult)
    if (changed !== 200) expect(await status('POST', `/v1/jobs/${waits}/resume`, { confirm: true })).toBe(changed)
    expect(await status('POST', `/v1/jobs/${waits}/cancel`)).toBe(changed)
    if (changed !== 200) expect(charged(sandbox)).toBe(before)
  })

  it('over the library', async () => {
    const { pack, callerOf, jobsOfOthers } = shared
    const { waits, result } = await jobsOfOthers()
    const by = await callerOf(who)
    const { jobs, files } = pack
    const code = (status: number) => ({ 200: 'fine', 403: 'not_allowed', 404: 'not_found' })[status]
    expect((await jobs.list(by, { limit: 10 })).items.some(({ id }) => id === waits)).toBe(who.sees)
    expect(await endOf(jobs.get(by, waits))).toBe(code(seen))
    expect(await endOf(jobs.preview(by, waits))).toBe(code(changed))
    expect(await endOf(files.get(by, result))).toBe(code(ofResult))
    expect(await endOf(files.open(by, result))).toBe(code(ofResult))
    if (changed !== 200)
      for (const verb of [jobs.pause, jobs.cancel]) expect(await endOf(verb(by, waits))).toBe(code(changed))
    expect(await endOf(jobs.resume(by, waits, { confirm: true }))).toBe(code(changed))
    if (changed !== 200) expect(await jobs.get(caller, waits)).toMatchObject({ state: 'ready', confirmed: false })
    else await until(pack, waits, 'done')
  })
})

it('an expired token reaches none of it', async () => {
  const { pack, jobsOfOthers, ask, moveOn, now } = await place()
  const { waits, result } = await jobsOfOthers()
  const { text } = await pack.tokens.create('default', {
    name: 'Old',
    scopes: ['run', 'read'],
    expiresAt: now() + hour,
  })
  moveOn(2 * hour)
  for (const [method, path] of [
    ['GET', 'jobs'],
    ['GET', `jobs/${waits}`],
    ['GET', `jobs/${waits}/preview`],
    ['POST', `jobs/${waits}/resume`],
    ['POST', `jobs/${waits}/cancel`],
    ['GET', 'files'],
    ['GET', `files/${result}`],
  ] as const)
    expect((await ask(text, method, `/v1/${path}`)).status).toBe(401)
})

describe('a token that is bound', () => {
  it('makes jobs of its own step alone, and neither learns what is in other files nor uses them', async () => {
    const { pack, callerOf } = await place()
    const refused = await callerOf(everybody['bound to another step']!)
    const request = { integration: 'contact-data', file: await upload(pack, 'Secret column\n1\n') }
    const thrown = await pack.jobs.create(refused, request).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ code: 'not_allowed' })
    expect(String((thrown as Error).message)).not.toContain('Secret column')
    const bound = await callerOf(everybody['bound to the step']!)
    await expect(pack.jobs.create(bound, request)).rejects.toMatchObject({ code: 'not_found' })
    expect(await endOf(pack.jobs.create({ ...bound, scopes: ['read'] }, request))).toBe('not_allowed')
  })

  it('has the result of its own job, and so have the job’s connection and nobody else who is bound', async () => {
    const { pack, callerOf } = await place()
    const bound = await callerOf(everybody['bound to the step']!)
    const { id } = await create(pack, peopleFile(2), { confirm: true }, 'mine.csv', bound)
    const { result } = await until(pack, id, 'done')
    expect(await pack.files.get(bound, result!)).toMatchObject({ name: 'mine-enriched.csv' })
    expect((await pack.files.list(bound, { limit: 10 })).items.map((file) => file.id)).toContain(result)
    expect(await endOf(pack.files.get(await callerOf(everybody['bound to its connection']!), result!))).toBe('fine')
    expect(await endOf(pack.files.get(await callerOf(everybody['bound to the step']!), result!))).toBe('not_found')
    expect(await endOf(pack.files.remove(await callerOf(everybody['bound to its tool set']!), result!))).toBe(
      'not_found',
    )
  })

  it('keeps the result of its job when somebody else agrees to the price', async () => {
    const { pack, callerOf } = await place()
    const bound = await callerOf(everybody['bound to the step']!)
    const { id } = await create(pack, peopleFile(2), {}, 'mine.csv', bound)
    await until(pack, id, 'ready')
    await pack.jobs.resume({ ...caller, token: 'somebody' }, id, { confirm: true })
    const { result } = await until(pack, id, 'done')
    expect(await endOf(pack.files.open(bound, result!))).toBe('fine')
  })

  it('spends from its own budget when it agrees to the price of a job that somebody else made', async () => {
    const { pack, tokenOf, sandbox } = await place()
    const { id } = await create(pack, peopleFile(2), {})
    await until(pack, id, 'ready')
    const { token } = await tokenOf(everybody['bound to the step']!)
    await pack.budgets.create(caller, { scope: 'token', subject: token.id, credits: 0, period: 'total' })
    const { caller: by } = (await pack.tokens.find('default', token.id))!
    await pack.jobs.resume(by, id, { confirm: true })
    expect(await until(pack, id, 'paused')).toMatchObject({ reason: { code: 'budget_exceeded', about: 'run' } })
    expect(charged(sandbox)).toBe(0)
  })

  it('is not given the job that another token made with its Idempotency-Key', async () => {
    const { pack, callerOf } = await place()
    const [first, second] = [
      await callerOf(everybody['bound to the step']!),
      await callerOf(everybody['bound to the step']!),
    ]
    const request = { integration: 'contact-data', idempotencyKey: 'shared' }
    const firstJob = await pack.jobs.create(first, {
      ...request,
      file: await upload(pack, peopleFile(1), 'a.csv', first),
    })
    const other = await pack.jobs.create(second, {
      ...request,
      file: await upload(pack, peopleFile(2), 'a.csv', second),
    })
    expect(other.id).not.toBe(firstJob.id)
  })

  it('sees, opens and deletes the files alone that it stored itself', async () => {
    const { pack, tokenOf, callerOf, ask } = await place()
    const foreign = await upload(pack, 'theirs')
    for (const name of [
      'bound to the step',
      'bound to its tool set',
      'bound to its connection',
      'bound to its connection and step',
    ]) {
      const who = everybody[name]!
      const { text, token } = await tokenOf(who)
      const { caller: by } = (await pack.tokens.find('default', token.id))!
      const mine = await upload(pack, 'mine', 'a.txt', by)
      expect(JSON.parse((await ask(text, 'GET', '/v1/files')).text)).toMatchObject({ items: [{ id: mine }] })
      for (const [method, path] of [
        ['GET', foreign],
        ['GET', `${foreign}/metadata`],
        ['DELETE', foreign],
      ] as const)
        expect(await ask(text, method, `/v1/files/${path}`)).toMatchObject({
          status: 404,
          text: expect.stringContaining('upload it with this token'),
        })
      // Nor does another one with the same bounds, unless it is for the connections of the file.
      expect(await endOf(pack.files.open(await callerOf(who), mine))).toBe(
        name === 'bound to its connection' ? 'fine' : 'not_found',
      )
      expect((await ask(text, 'GET', `/v1/files/${mine}`)).text).toBe('mine')
      expect((await ask(text, 'DELETE', `/v1/files/${mine}`)).status).toBe(204)
    }
    expect(await endOf(pack.files.get(caller, foreign))).toBe('fine')
  })

  it('is not given the file that another token stored with its Idempotency-Key', async () => {
    const { pack, callerOf } = await place()
    const [first, second] = [
      await callerOf(everybody['bound to the step']!),
      await callerOf(everybody['bound to another step']!),
    ]
    const store = (by: Caller) => pack.files.create(by, { name: 'a.txt', base64: 'bWluZQ==', idempotencyKey: 'shared' })
    const made = [await store(caller), await store(first), await store(second)]
    expect(new Set(made.map(({ id }) => id)).size).toBe(3)
    expect((await store(first)).id).toBe(made[1]!.id)
  })

  it('stores and deletes files with the scope run alone', async () => {
    const { pack } = await place()
    const reader: Caller = { ...caller, scopes: ['read'] }
    const id = await upload(pack, 'a')
    expect(await endOf(pack.files.create(reader, { name: 'a.txt', base64: 'bWluZQ==' }))).toBe('not_allowed')
    expect(await endOf(pack.files.createFrom(reader, { url: 'https://example.com/a' }))).toBe('not_allowed')
    expect(await endOf(pack.files.remove(reader, id))).toBe('not_allowed')
    expect(await endOf(pack.files.open(reader, id))).toBe('fine')
    const other: Caller = { ...caller, scopes: ['subscriptions'] }
    expect(await endOf(pack.files.list(other, { limit: 1 }))).toBe('not_allowed')
    expect(await endOf(pack.jobs.list(other, { limit: 1 }))).toBe('not_allowed')
  })

  it.each(['bound to the step', 'bound to its tool set', 'bound to its connection and step'])(
    '%s does not clear what others have paid for',
    async (name) => {
      const { pack, tokenOf, ask, connection } = await place()
      await until(pack, (await create(pack, peopleFile(1), { confirm: true })).id, 'done')
      const who = everybody[name]!
      const { text } = await tokenOf({
        ...who,
        bounds: (ownConnection, other) => ({ ...who.bounds(ownConnection, other), scopes: ['connections'] }),
      })
      for (const query of ['all=true', 'integration=contact-data', `connection=${connection}`])
        expect(await ask(text, 'DELETE', `/v1/cache?${query}`)).toMatchObject({
          status: 403,
          text: expect.stringContaining('bound to certain steps'),
        })
      expect(await endOf(pack.cache.clear({ ...caller, scopes: ['run'] }, { all: true }))).toBe('not_allowed')
      expect(await pack.cache.clear(caller, { all: true })).toEqual({ removed: 1 })
    },
  )
})

it('over the command line a token gets the same answers', async () => {
  const { pack, http, tokenOf, jobsOfOthers } = await place()
  const origin = await http.listen({ host: '127.0.0.1', port: 0 })
  const { waits, result } = await jobsOfOthers()
  const command = (token: string, ...argv: string[]) =>
    runLine(argv, { env: { TOOLYARD_URL: origin, TOOLYARD_TOKEN: token }, width: 80 })
  const { text: refused } = await tokenOf(everybody['bound to another step']!)
  expect((await command(refused, 'bulk', '--json')).out).not.toContain(waits)
  for (const argv of [
    ['bulk', 'show', waits],
    ['bulk', 'cancel', waits],
    ['bulk', 'pause', waits],
    ['bulk', 'resume', waits, '--yes'],
    ['files', 'save', result, '/tmp/never'],
  ])
    expect(await command(refused, ...argv)).toMatchObject({ code: 5 })
  expect((await pack.jobs.get(caller, waits)).state).toBe('ready')
  const { text: bound } = await tokenOf(everybody['bound to the step']!)
  expect(await command(bound, 'bulk', 'show', waits)).toMatchObject({ code: 0 })
})
