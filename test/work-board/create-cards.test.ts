import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { findIds } from '../sandbox/board-client.ts'

const caller = { tenant: 'default' }
let sandbox: Sandbox
let pack: Pack
let ids: ReturnType<typeof findIds>

beforeEach(async () => {
  sandbox = await startSandbox({ board: { limits: { token: 100_000, key: 100_000, memberRoute: 100_000 } } })
  ids = findIds(sandbox.board)
  const wire = { ...sandbox.wire['work-board'], pace: { limits: [], concurrency: 8 } }
  pack = await createPack({
    random: () => 0,
    wire: { ...sandbox.wire, 'work-board': wire },
    egress: { privateOrigins: sandbox.places.map(({ origin }) => origin) },
  })
  for (const { integration, type, name, secrets } of sandbox.accounts)
    await pack.connections.create(caller, { integration, type, name, secrets })
})
afterEach(async () => {
  await pack.close()
  await sandbox.close()
})

type Result = { ok: boolean; value?: any; failure?: any; meta: any }
const create = async (count: number, more: Record<string, unknown> = {}) =>
  (await pack.steps.run(caller, {
    integration: 'work-board',
    step: 'create-cards',
    input: {
      idList: ids.list('Review'),
      cards: Array.from({ length: count }, (_, n) => ({ name: `Row ${n + 1}` })),
      idLabels: [ids.label('Copy')],
    },
    ...more,
  })) as Result
const createFrom = async (file: Record<string, string>, more: Record<string, unknown> = {}) =>
  (await pack.steps.run(caller, {
    integration: 'work-board',
    step: 'create-cards',
    input: { idList: ids.list('Review'), file },
    ...more,
  })) as Result
const csv = (...lines: string[]) => ({
  name: 'plan.csv',
  base64: Buffer.from(`${lines.join('\r\n')}\r\n`).toString('base64'),
})
/** Names of the new cards of the list, in its order. */
const made = () =>
  [...sandbox.board.state.cards.values()]
    .filter(({ idList, name }) => idList === ids.list('Review') && name.startsWith('Row '))
    .toSorted((a, b) => a.pos - b.pos)
    .map(({ name }) => name)
const posts = () => sandbox.board.control.requests().filter(({ method }) => method === 'POST').length
const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `Row ${from + n}`)

it('200 cards are in the order of the rows, and one more is refused before anything is sent', async () => {
  expect((await create(201)).failure).toMatchObject({ code: 'invalid_input' })
  expect(posts()).toBe(0)
  const done: number[] = []
  const all = await create(200, { onProgress: (count: number) => done.push(count), idempotencyKey: 'k-1' })
  expect(all.value).toMatchObject({ total: 200, created: 200, problems: [] })
  expect(made()).toEqual(names(1, 200))
  expect(done.at(-1)).toBe(200)
  const [first] = all.value.results as { id: string }[]
  expect(sandbox.board.state.cards.get(first!.id)).toMatchObject({ name: 'Row 1', idLabels: [ids.label('Copy')] })
  expect(await create(200, { idempotencyKey: 'k-1' })).toMatchObject({ value: all.value, meta: { cached: true } })
  expect(posts()).toBe(200)
})

it('a row whose answer is lost is unknown and not sent again; the rows after it are made', async () => {
  sandbox.board.control.fault({ match: { method: 'POST' }, skip: 1, cut: 'reset', when: 'after' })
  const outcome = await create(4, { idempotencyKey: 'k-1' })
  expect(outcome.value).toMatchObject({ created: 3, problems: [{ row: 2, state: 'unknown' }] })
  expect(await create(4, { idempotencyKey: 'k-1' })).toMatchObject({ value: outcome.value })
  expect(made()).toEqual(names(1, 4))
})

it('after a failure that every card would share, the rest is not tried, and the key makes nothing again', async () => {
  sandbox.board.control.fault({ match: { method: 'POST' }, skip: 2, times: 99, answer: 'invalid token' })
  const outcome = await create(5, { idempotencyKey: 'k-1' })
  expect(outcome.value).toMatchObject({
    created: 2,
    problems: [
      { row: 3, state: 'failed' },
      { row: 4, state: 'failed', reason: expect.stringMatching(/^Not tried, because row 3 failed: /) as string },
      { row: 5, state: 'failed', reason: expect.stringMatching(/^Not tried, because row 3 failed: /) as string },
    ],
  })
  const sent = posts()
  sandbox.board.control.clearFaults()
  expect((await create(5, { idempotencyKey: 'k-1' })).value).toEqual(outcome.value)
  expect(posts()).toBe(sent)
  expect(made()).toEqual(names(1, 2))
})

it('a run that made nothing fails', async () => {
  sandbox.board.control.fault({ match: { method: 'POST' }, answer: 'invalid token', times: 99 })
  const { failure } = await create(3)
  expect(failure).toMatchObject({ code: 'not_connected', message: expect.stringMatching(/^Row 1: /) as string })
  expect(made()).toEqual([])
})

it('a row that is unknown before any card was made ends the run, which names it and what was found', async () => {
  sandbox.board.control.fault({ match: { method: 'POST' }, answer: { status: 400, body: 'invalid value for name' } })
  sandbox.board.control.fault({ match: { method: 'POST' }, cut: 'reset', when: 'after' })
  const { failure } = await create(3, { idempotencyKey: 'k-1' })
  expect(failure).toMatchObject({ code: 'outcome_unknown', mayHaveHappened: true })
  expect(failure.message).toMatch(/^Row 2: .* The rows after it were not tried\. .* found one just like it/)
  const [card] = [...sandbox.board.state.cards.values()].filter(({ name }) => name === 'Row 2')
  expect(failure.message).toContain(card!.id)
  sandbox.board.control.clearFaults()
  expect((await create(3, { idempotencyKey: 'k-1' })).failure).toMatchObject({ code: 'outcome_unknown' })
  expect(made()).toEqual(['Row 2'])
})

it('a row whose answer is no card may be there', async () => {
  const unreadable = { status: 200, body: '[]' }
  sandbox.board.control.fault({ match: { method: 'POST' }, skip: 1, answer: unreadable, when: 'after' })
  expect((await create(3)).value).toMatchObject({ created: 2, problems: [{ row: 2, state: 'unknown' }] })
  sandbox.board.control.fault({ match: { method: 'POST' }, answer: unreadable, when: 'after' })
  const { failure } = await create(2)
  expect(failure).toMatchObject({ code: 'bad_reply', mayHaveHappened: true })
  expect(failure.message).toMatch(/^Row 1: /)
  expect(posts()).toBe(4)
})

it('makes a card for each row of a stored file, each once under one key', async () => {
  const content = csv(
    'Card name;Owner;Due date;Description;Link',
    'Row 1;Ada;2027-03-31T17:00:00+11:00;"two; parts";https://tiles.example/',
    'Row 2;;;;',
  )
  const { id } = await pack.files.create(caller, content)
  const outcome = await createFrom({ file: id }, { idempotencyKey: 'k-1' })
  expect(outcome.value).toMatchObject({ total: 2, created: 2, problems: [], unusedColumns: ['Owner'] })
  expect(made()).toEqual(['Row 1', 'Row 2'])
  const [first] = outcome.value.results as { id: string }[]
  expect(sandbox.board.state.cards.get(first!.id)).toMatchObject({
    desc: 'two; parts',
    due: '2027-03-31T06:00:00.000Z',
  })
  expect(await createFrom({ file: id }, { idempotencyKey: 'k-1' })).toMatchObject({
    value: outcome.value,
    meta: { cached: true },
  })
  expect(posts()).toBe(2)
})

it('reads JSONL, and numbers as texts', async () => {
  const lines = Buffer.from('{"title":"Row 1","description":"x"}\n{"title":2027}\n').toString('base64')
  expect((await createFrom({ name: 'plan.jsonl', base64: lines })).value).toMatchObject({ created: 2 })
  expect(made()).toEqual(['Row 1'])
  expect([...sandbox.board.state.cards.values()].filter(({ name }) => name === '2027')).toHaveLength(1)
})

it.each([
  [
    'a wrong value',
    csv('name,due', 'Row 1,', 'Row 2,tomorrow', ',x'),
    /^Row 2, "due": .*time and zone.* 2 more values/,
  ],
  ['a row without a name', csv('name,due', ',2027-03-31T17:00:00Z'), /^Row 1, "name": is required/],
  ['no column for names', csv('task,due', 'Row 1,'), /no column for the names of the cards\. Call it "name"/],
  ['no rows', csv('name'), /no rows below its first line/],
  ['too many rows', csv('name', ...names(1, 201)), /more than 200 rows\. Split it/],
  ['an open quote', csv('name', '"Row 1'), /quote/],
  ['no text', { name: 'plan.csv', base64: Buffer.from([1, 0, 2]).toString('base64') }, /zero bytes/],
])('makes no card from a file with %s', async (_, file, message) => {
  const { failure } = await createFrom(file)
  expect(failure).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(message) as string })
  expect(failure.errors[0].pointer).toBe('/file')
  expect(posts()).toBe(0)
})

it('makes no card from a file that is too large, or that the caller cannot open', async () => {
  async function* large() {
    yield Buffer.from('name\nRow 1\n')
    for (let part = 0; part < 51; part += 1) yield Buffer.alloc(100_000, 'x')
  }
  const { id } = await pack.files.create(caller, { name: 'plan.csv', content: large() })
  expect((await createFrom({ file: id })).failure).toMatchObject({ code: 'too_large' })
  const other = await pack.files.create({ tenant: 'other' }, csv('name', 'Row 1'))
  expect((await createFrom({ file: other.id })).failure).toMatchObject({ code: 'not_found' })
  expect(posts()).toBe(0)
})

it('takes rows or a file, not both and not neither', async () => {
  const both = await create(1, {
    input: { idList: ids.list('Review'), cards: [{ name: 'x' }], file: csv('name', 'x') },
  })
  expect(both.failure).toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('cards, file') as string,
  })
  expect((await create(1, { input: { idList: ids.list('Review') } })).failure).toMatchObject({ code: 'invalid_input' })
})

it('a preview reads the file and shows the first card', async () => {
  const preview = await createFrom(csv('name', 'Row 1', 'Row 2'), { dryRun: true })
  expect(preview.value).toMatchObject({ requests: [{ method: 'POST', body: { name: 'Row 1' } }], complete: false })
  expect(posts()).toBe(0)
})
