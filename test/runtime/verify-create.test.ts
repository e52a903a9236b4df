import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPack, systemClock } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startProvider } from '../support/provider.ts'

const caller = { tenant: 'default' }
const hex = (seconds: number, n: number) =>
  `${Math.floor(seconds).toString(16).padStart(8, '0')}${n.toString(16).padStart(16, '0')}`
const idList = hex(1_700_000_000, 1)

type Thing = { id: unknown; name?: string; data?: { text: string } }

let provider: Awaited<ReturnType<typeof startProvider>>
let pack: Pack
/** What the provider has when it is asked. */
let there: Thing[]
/** How it ends a POST, and whether it carries it out before. */
let ending: 'cut' | 500 | 'garbled'
let carriesOut: boolean
let looks: number | 'fine'

const send = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

beforeEach(async () => {
  there = []
  ending = 'cut'
  carriesOut = true
  looks = 'fine'
  provider = await startProvider((request, response, body) => {
    if (request.method === 'GET')
      return void (looks === 'fine' ? send(response, 200, there) : send(response, looks, { message: 'no' }))
    const { name, text } = JSON.parse(body || '{}') as { name?: string; text?: string }
    if (carriesOut)
      there.push({
        id: hex(Date.now() / 1000, 77),
        ...(name === undefined ? {} : { name }),
        ...(text === undefined ? {} : { data: { text } }),
      })
    if (ending === 'cut') return void response.destroy()
    if (ending === 'garbled')
      return void response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end('not gzip')
    send(response, ending, { message: 'oops' })
  })
  pack = await createPack({
    random: () => 0,
    wire: { 'work-board': { baseUrl: provider.origin } },
    egress: { privateOrigins: [provider.origin] },
  })
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: { key: '0'.repeat(32), token: 'A'.repeat(70) },
  })
  // The test of the account.
  provider.seen.length = 0
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})

const run = async (step: string, input: Record<string, unknown>) => {
  const writes = () => provider.seen.filter(({ method }) => method !== 'GET').length
  const before = writes()
  const outcome = await pack.steps.run(caller, { integration: 'work-board', step, input })
  if (outcome.ok) throw new Error('It was meant to fail.')
  expect(outcome.meta.attempts, 'as often as the write was sent; a look is no attempt').toBe(writes() - before)
  return outcome.failure
}
const createCard = () => run('create-card', { idList, name: 'Call the printer' })
const listReadUrls = () => provider.seen.filter(({ method }) => method === 'GET').map(({ url }) => url)

describe('a create whose outcome is unknown is verified', () => {
  it.each(['cut', 500] as const)('found after %s: it says which one, and stays unknown', async (how) => {
    ending = how
    const failure = await createCard()
    expect(failure.code).toBe('outcome_unknown')
    expect(failure.message).toContain(`found one just like it, made since then: ${there[0]!.id}.`)
    expect(listReadUrls().length).toBe(1)
    expect(listReadUrls()[0]).toContain(`/1/lists/${idList}/cards?`)
    expect(provider.seen.filter(({ method }) => method === 'POST').length).toBe(1)
  })

  it('not found: it says so', async () => {
    carriesOut = false
    there = [{ id: hex(Date.now() / 1000, 5), name: 'Another card' }]
    const failure = await createCard()
    expect(failure.code).toBe('outcome_unknown')
    expect(failure.message).toContain('found nothing like it')
  })

  it.each([
    ['an id of another kind', () => [{ id: 4711, name: 'Call the printer' }]],
    ['a short id', () => [{ id: 'x9', name: 'Call the printer' }]],
    ['no id', () => [{ id: null, name: 'Call the printer' }]],
    [
      'a list as long as it may be',
      () => Array.from({ length: 100 }, (_, n) => ({ id: hex(1_700_000_000, n), name: `Card ${n}` })),
    ],
    ['an answer that is no list', () => ({ cards: [] }) as unknown as Thing[]],
  ])('%s: it says that it could not be checked, and not that it was not done', async (_, listed) => {
    carriesOut = false
    there = listed()
    const failure = await createCard()
    expect(failure.code).toBe('outcome_unknown')
    expect(failure.message).toContain(
      'Whether it was done could not be checked. Look at the provider before you repeat it.',
    )
    expect(failure.message).not.toContain('probably not done')
  })

  it('where ids hold no time, an id of any type and length is found', async () => {
    const wire = {
      baseUrl: provider.origin,
      probes: [{ after: '/1/cards', find: { path: '/1/lists/{idList}/cards' }, list: '', same: { name: 'name' } }],
    }
    const plain = await createPack({
      random: () => 0,
      wire: { 'work-board': wire },
      egress: { privateOrigins: [provider.origin] },
    })
    const secrets = { key: '0'.repeat(32), token: 'A'.repeat(70) }
    await plain.connections.create(caller, { integration: 'work-board', type: 'key-token', name: 'Board', secrets })
    carriesOut = false
    there = [
      { id: 7, name: 'Call the printer' },
      { id: 'x9', name: 'Call the printer' },
    ]
    const outcome = await plain.steps.run(caller, {
      integration: 'work-board',
      step: 'create-card',
      input: { idList, name: 'Call the printer' },
    })
    expect(!outcome.ok && outcome.failure.message).toContain('found 2 just like it, made since then: 7, x9.')
    await plain.close()
  })

  it('one like it from before does not count', async () => {
    carriesOut = false
    there = [{ id: hex(Date.now() / 1000 - 3600, 5), name: 'Call the printer' }]
    expect((await createCard()).message).toContain('found nothing like it')
  })

  it('several are all named', async () => {
    there = [{ id: hex(Date.now() / 1000, 5), name: 'Call the printer' }]
    const { message } = await createCard()
    expect(message).toContain('found 2 just like it')
    for (const { id } of there) expect(message).toContain(String(id))
  })

  it('verifying that fails changes nothing', async () => {
    looks = 403
    const failure = await createCard()
    expect(failure.code).toBe('outcome_unknown')
    expect(failure.message).toContain('Checking afterwards failed, too (access_denied).')
  })

  it('what the provider said was done is not doubted because it cannot be seen yet', async () => {
    ending = 'garbled'
    carriesOut = false
    const failure = await createCard()
    expect(failure.code).toBe('outcome_unknown')
    expect(failure.message).not.toContain('nothing like it')
  })

  it.each([
    ['create-list', { idBoard: hex(1_700_000_000, 2), name: 'Doing' }, `/1/boards/${hex(1_700_000_000, 2)}/lists`],
    [
      'add-comment-to-card',
      { idCard: hex(1_700_000_000, 3), text: 'Printed' },
      `/1/cards/${hex(1_700_000_000, 3)}/actions`,
    ],
    [
      'add-checklist',
      { idCard: hex(1_700_000_000, 3), name: 'Proofs' },
      `/1/cards/${hex(1_700_000_000, 3)}/checklists`,
    ],
    [
      'create-a-checklist-item',
      { idChecklist: hex(1_700_000_000, 4), name: 'First' },
      `/1/checklists/${hex(1_700_000_000, 4)}/checkItems`,
    ],
  ])('%s, too', async (step, input, path) => {
    const failure = await run(step, input)
    expect(failure.message).toContain(`just like it, made since then: ${there[0]!.id}.`)
    expect(listReadUrls()[0]).toContain(path)
  })

  it('an API Call that creates, too; one that changes something is not verified', async () => {
    const made = await run('api-call', {
      method: 'POST',
      path: '/1/cards',
      body: { idList, name: 'By hand' },
      throwOnError: true,
    })
    expect(made.message).toContain('just like it')
    const before = listReadUrls().length
    await run('api-call', {
      method: 'PUT',
      path: `/1/cards/${there[0]!.id}`,
      body: { name: 'By hand' },
      throwOnError: true,
    })
    expect(listReadUrls().length).toBe(before)
  })
})

it.each([
  ['an id without a time in it', { id: 'n-5', name: 'Call the printer' }],
  ['a short id', { id: 'a1', name: 'Call the printer' }],
  ['a numeric id', { id: 4711 as unknown as string, name: 'Call the printer' }],
  ['no id', { name: 'Call the printer' } as Thing],
])('%s of one just like it is not passed over: it says that it could not be checked', async (_, thing) => {
  carriesOut = false
  there.push(thing)
  const failure = await createCard()
  expect(failure.code).toBe('outcome_unknown')
  expect(failure.message).toContain('could not be checked')
  expect(failure.message).not.toContain('probably not done')
})

it('a list that may go on does not prove that nothing was made', async () => {
  carriesOut = false
  for (let n = 0; n < 100; n += 1) there.push({ id: hex(1_700_000_000, n), name: `Other ${n}` })
  expect((await createCard()).message).toContain('could not be checked')
})

it('a path whose id is no text is refused before anything is sent', async () => {
  const failure = await run('api-call', {
    method: 'POST',
    path: '/1/checklists/%FF/checkItems',
    body: { name: 'Bread' },
  })
  expect(failure.code).toBe('not_allowed')
  expect(provider.seen).toEqual([])
})

it('a defect in verifying is logged, and the outcome stays unknown', async () => {
  const logged: string[] = []
  await pack.close()
  pack = await createPack({
    random: () => 0,
    wire: { 'work-board': { baseUrl: provider.origin } },
    egress: { privateOrigins: [provider.origin] },
    // The look is the only thing that asks for the time in a run that has failed already.
    clock: {
      ...systemClock,
      monotonic: () => (new Error().stack?.includes('verifyCreate') ? broken() : performance.now()),
    },
    log: (_, event) => void logged.push(event),
  })
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: { key: '0'.repeat(32), token: 'A'.repeat(70) },
  })
  const failure = await run('create-card', { idList, name: 'Bread' })
  expect(failure.code).toBe('outcome_unknown')
  expect(logged).toContain('run.defect')
})

const broken = (): number => {
  throw new TypeError('planted')
}

describe('a probe of a provider with one address for everything', () => {
  const probe = {
    after: '/1/graphql',
    where: { operation: 'createNote' },
    find: {
      path: '/1/graphql',
      in: 'body',
      query: { operation: 'notes', 'variables.board': '{variables.input.board}' },
    },
    list: 'data.notes',
    same: { text: 'variables.input.text' },
    id: 'ts',
    createdAt: 'ts',
    timeAs: 'epoch-s',
  }
  const callApi = async (operation: string, found: unknown[]) => {
    await pack.close()
    await provider.close()
    provider = await startProvider((_, response, body) => {
      if (body.includes('createNote') || body.includes('archive')) return void response.destroy()
      send(response, 200, { data: { notes: found } })
    })
    pack = await createPack({
      random: () => 0,
      wire: { 'work-board': { baseUrl: provider.origin, probes: [probe] } },
      egress: { privateOrigins: [provider.origin] },
    })
    const secrets = { key: '0'.repeat(32), token: 'A'.repeat(70) }
    await pack.connections.create(caller, { integration: 'work-board', type: 'key-token', name: 'Board', secrets })
    provider.seen.length = 0
    const body = { operation, variables: { input: { board: 'b7', text: 'Water the beans' } } }
    const input = { method: 'POST', path: '/1/graphql', body, strict: false }
    const outcome = await pack.steps.run(caller, { integration: 'work-board', step: 'api-call', input })
    return outcome.ok ? 'fine' : outcome.failure.message
  }

  it('asks by a body, with values of the body of the create, and reads ids and times where the probe says', async () => {
    const now = Date.now() / 1000
    const old = { ts: (now - 9_000).toFixed(6), text: 'Water the beans' }
    const made = { ts: now.toFixed(6), text: 'Water the beans' }
    const message = await callApi('createNote', [old, made, { ts: String(now), text: 'Other' }])
    expect(message).toContain(`found one just like it, made since then: ${made.ts}.`)
    expect(JSON.parse(provider.seen.at(-1)!.body)).toEqual({ operation: 'notes', variables: { board: 'b7' } })
  })

  it('does not ask after another create at the same path', async () => {
    expect(await callApi('archive', [])).not.toContain('Checking afterwards')
    expect(provider.seen.length).toBe(1)
  })
})
