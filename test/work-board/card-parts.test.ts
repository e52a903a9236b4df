import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { findIds } from '../sandbox/board-client.ts'

/** Create Card and Update Card with the parts that the board takes in requests of their own. */
const caller = { tenant: 'default' }
let sandbox: Sandbox
let pack: Pack
let ids: ReturnType<typeof findIds>

beforeEach(async () => {
  sandbox = await startSandbox()
  ids = findIds(sandbox.board)
  pack = await createPack({
    random: () => 0,
    wire: sandbox.wire,
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
const run = async (step: string, input: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  (await pack.steps.run(caller, { integration: 'work-board', step, input, ...more })) as Result
const writes = () =>
  sandbox.board.control
    .requests()
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)
const cardOf = (id: string) => sandbox.board.state.cards.get(id)!
const refusal = { status: 400, body: 'Custom field limit reached' }
const file = { name: 'sizes.txt', base64: Buffer.from('A3, A4').toString('base64') }
const newCard = () => ({ idList: ids.list('Ideas'), name: 'Print the price list' })

it('a card is made with a reminder, a file and custom fields, each written once', async () => {
  const idMember = sandbox.board.credentials.secondMember.id
  const made = await run('create-card', {
    ...newCard(),
    due: '2027-03-31T17:00:00Z',
    dueReminder: 60,
    idLabels: [ids.label('Copy'), ids.label('Urgent')],
    idMembers: [idMember],
    customFields: { Points: 5 },
    file,
  })
  expect(made.failure).toBeUndefined()
  const card = cardOf(made.value.id)
  expect(card).toMatchObject({
    dueReminder: 60,
    due: '2027-03-31T17:00:00.000Z',
    idLabels: [ids.label('Copy'), ids.label('Urgent')],
    idMembers: [idMember],
    customFieldItems: [{ value: { number: '5' } }],
    attachments: [{ name: 'sizes.txt' }],
  })
  expect(Buffer.from(card.attachments[0]!.content!).toString()).toBe('A3, A4')
  expect(writes()).toEqual(['POST cards', 'PUT customFields'])
  expect(made.value).not.toHaveProperty('problems')
})

it('a card whose custom fields are refused is there, and the answer says so, under the same key again', async () => {
  sandbox.board.control.fault({ match: { method: 'PUT' }, answer: refusal, times: 9 })
  const input = { ...newCard(), customFields: { Points: 5 } }
  const first = await run('create-card', input, { idempotencyKey: 'k-1' })
  expect(first.value).toMatchObject({
    name: 'Print the price list',
    problems: [{ field: 'customFields', state: 'failed', reason: expect.stringContaining('400') as string }],
  })
  expect(cardOf(first.value.id).customFieldItems).toEqual([])
  expect(await run('create-card', input, { idempotencyKey: 'k-1' })).toMatchObject({
    value: first.value,
    meta: { cached: true },
  })
  expect(writes()).toEqual(['POST cards', 'PUT customFields'])
})

it('values that the board does not take are refused before a card is made; no values are no problem', async () => {
  expect((await run('create-card', { ...newCard(), customFields: { Points: 'five' } })).failure).toMatchObject({
    code: 'invalid_input',
    errors: [{ pointer: '/customFields/Points' }],
  })
  expect(writes()).toEqual([])
  expect((await run('create-card', { ...newCard(), customFields: {} })).ok).toBe(true)
  expect(writes()).toEqual(['POST cards'])
})

it('custom fields whose answer is lost are set again, for a card that is made too', async () => {
  sandbox.board.control.fault({ match: { method: 'PUT' }, cut: 'reset', when: 'after' })
  const made = await run('create-card', { ...newCard(), customFields: { Points: 5 } })
  expect(made.value).not.toHaveProperty('problems')
  expect(writes()).toEqual(['POST cards', 'PUT customFields', 'PUT customFields'])
})

it('custom fields whose answer is lost are set again; a file is not sent again', async () => {
  sandbox.board.control.fault({ match: { method: 'PUT', path: '/1/cards' }, skip: 1, cut: 'reset', when: 'after' })
  sandbox.board.control.fault({ match: { method: 'POST' }, cut: 'reset', when: 'after', times: 9 })
  const idCard = ids.card('Press kit')
  const changed = await run('update-card', { idCard, name: 'Press kit 2', customFields: { Points: 8 }, file })
  expect(changed.value).toMatchObject({ name: 'Press kit 2', problems: [{ field: 'file', state: 'unknown' }] })
  expect(writes()).toEqual([`PUT ${idCard}`, 'PUT customFields', 'PUT customFields', 'POST attachments'])
  expect(cardOf(idCard).attachments.filter(({ name }) => name === 'sizes.txt')).toHaveLength(1)
})

it('an update fails when nothing was written, and reports the part that failed when something was', async () => {
  const idCard = ids.card('Press kit')
  sandbox.board.control.fault({ match: { method: 'PUT' }, answer: refusal, times: 9 })
  const failed = await run('update-card', { idCard, customFields: { Points: 8 } })
  expect(failed.failure).toMatchObject({ code: 'rejected', providerStatus: 400 })
  const half = await run('update-card', { idCard, customFields: { Points: 8 }, file })
  expect(half.value).toMatchObject({ id: idCard, problems: [{ field: 'customFields', state: 'failed' }] })
  expect(cardOf(idCard).attachments.some(({ name }) => name === 'sizes.txt')).toBe(true)
  expect((await run('update-card', { idCard, customFields: {} })).failure).toMatchObject({ code: 'invalid_input' })
})

it('a card with a file whose answer is lost is not changed again without a word, unless that is forced', async () => {
  sandbox.board.control.fault({ match: { method: 'POST' }, cut: 'reset', when: 'after' })
  const input = { idCard: ids.card('Press kit'), file }
  expect((await run('update-card', input)).failure).toMatchObject({ code: 'outcome_unknown' })
  expect((await run('update-card', input)).failure).toMatchObject({ code: 'conflict' })
  expect(writes()).toEqual(['POST attachments'])
  expect((await run('update-card', input, { force: true })).ok).toBe(true)
  expect(writes()).toEqual(['POST attachments', 'POST attachments'])
})

it('a step that looks before it writes may be repeated after a lost answer', async () => {
  sandbox.board.control.fault({ match: { method: 'POST' }, cut: 'reset', when: 'after' })
  const input = { idCard: ids.card('Press kit'), idLabel: ids.label('Urgent') }
  expect((await run('add-label-to-card', input)).failure).toMatchObject({ code: 'outcome_unknown' })
  expect((await run('add-label-to-card', input)).value).toMatchObject({ changed: false })
})

it('a file whose answer cannot be read is unknown, and the card is changed', async () => {
  const unreadable = { status: 200, body: '{"attached"' }
  sandbox.board.control.fault({ match: { method: 'POST' }, answer: unreadable, when: 'after' })
  const changed = await run('update-card', { idCard: ids.card('Press kit'), name: 'Press kit 2', file })
  expect(changed.value).toMatchObject({ name: 'Press kit 2', problems: [{ field: 'file', state: 'unknown' }] })
})

it('custom fields whose answer is no answer of the board are unknown', async () => {
  const answer = { status: 200, body: '<html>Please log in</html>', headers: { 'content-type': 'text/html' } }
  sandbox.board.control.fault({ match: { method: 'PUT' }, answer, when: 'after', times: 9 })
  const made = await run('create-card', { ...newCard(), customFields: { Points: 5 } })
  expect(made.value.problems).toEqual([{ field: 'customFields', state: 'unknown', reason: expect.any(String) }])
})

it('a reminder is set and removed', async () => {
  const idCard = ids.card('Press kit')
  await run('update-card', { idCard, dueReminder: 30 })
  expect(cardOf(idCard).dueReminder).toBe(30)
  await run('update-card', { idCard, clear: ['dueReminder'] })
  expect(cardOf(idCard).dueReminder).toBeNull()
})

it('a dry run says that more follows', async () => {
  const approved = await run('create-card', newCard(), { dryRun: true })
  expect(approved.value).toMatchObject({ complete: true })
  const idCard = ids.card('Press kit')
  const withParts = await run('update-card', { idCard, name: 'x', file }, { dryRun: true })
  expect(withParts.value).toMatchObject({ complete: false, requests: [{ method: 'PUT' }] })
  expect(writes()).toEqual([])
})
