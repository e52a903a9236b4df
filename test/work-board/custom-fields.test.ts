import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { findIds } from '../sandbox/board-client.ts'

/** Define, Update and Delete Custom Field. */
const caller = { tenant: 'default' }
let sandbox: Sandbox
let pack: Pack
let idBoard: string

beforeEach(async () => {
  sandbox = await startSandbox()
  idBoard = findIds(sandbox.board).board
  pack = await createPack({
    random: () => 0,
    wire: sandbox.wire,
    egress: { privateOrigins: sandbox.places.map(({ origin }) => origin) },
  })
  const { type, name, secrets } = sandbox.accounts.find(({ integration }) => integration === 'work-board')!
  await pack.connections.create(caller, {
    integration: 'work-board',
    type,
    name,
    secrets,
    policy: { boards: [idBoard] },
  })
})
afterEach(async () => {
  await pack.close()
  await sandbox.close()
})

type Result = { ok: boolean; value?: any; failure?: any }
const run = async (step: string, input: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  (await pack.steps.run(caller, { integration: 'work-board', step, input, ...more })) as Result
const writes = () =>
  sandbox.board.control
    .requests()
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path.replaceAll(/[0-9a-f]{24}/g, '…')}`)
const defined = (name: string) => [...sandbox.board.state.customFields.values()].find((field) => field.name === name)!
const textsOf = (field: { options: { value: { text: string } }[] }) => field.options.map(({ value }) => value.text)
const update = (field: string, input: Record<string, unknown>) =>
  run('update-custom-field', { idCustomField: defined(field).id, ...input })

it('a field is defined with its options, on a board that the account is limited to', async () => {
  const made = await run('define-custom-field', {
    idBoard,
    name: 'Size',
    type: 'list',
    listOptions: ['Small', 'Large'],
  })
  expect(made.failure).toBeUndefined()
  expect(textsOf(made.value)).toEqual(['Small', 'Large'])
  expect(defined('Size')).toMatchObject({ id: made.value.id, idModel: idBoard, type: 'list' })
  const other = [...sandbox.board.state.boards.values()].find(({ id }) => id !== idBoard)!
  const refused = await run('define-custom-field', { idBoard: other.id, name: 'Size', type: 'text' })
  expect(refused.failure.code).toBe('not_allowed')
})

it('a field whose answer is lost is looked for by its name, and not defined again', async () => {
  sandbox.board.control.fault({ match: { method: 'POST' }, cut: 'reset', when: 'after' })
  const { failure } = await run('define-custom-field', { idBoard, name: 'Size', type: 'text' })
  expect(failure).toMatchObject({ code: 'outcome_unknown' })
  expect(failure.message).toContain(`found one just like it, made since then: ${defined('Size').id}`)
  expect(writes()).toEqual(['POST /1/customFields'])
})

it('options of a field that is no list are refused, when it is defined and when it is changed', async () => {
  for (const { failure } of [
    await run('define-custom-field', { idBoard, name: 'Size', type: 'text', listOptions: ['Small'] }),
    await update('Points', { addOptions: ['Small'] }),
  ])
    expect(failure).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('ist') as string })
  expect((await update('Points', { removeOptions: [idBoard] })).failure.errors[0].pointer).toBe('/removeOptions')
  expect((await update('Points', {})).failure).toMatchObject({ code: 'invalid_input' })
  expect(writes()).toEqual([])
})

it('options are added once and removed once', async () => {
  const low = defined('Priority').options.find(({ value }) => value.text === 'Low')!
  const change = { name: 'Urgency', addOptions: ['High', 'Urgent', 'Urgent'], removeOptions: [low.id] }
  const { id } = defined('Priority')
  const first = await update('Priority', change)
  expect(first.value).toMatchObject({ id, name: 'Urgency' })
  expect(textsOf(first.value)).toEqual(['High', 'Normal', 'Urgent'])
  expect(first.value.options.map((option: { id: string }) => option.id)).toEqual(
    defined('Urgency').options.map((option) => option.id),
  )
  expect(writes()).toEqual([
    'PUT /1/customFields/…',
    'DELETE /1/customFields/…/options/…',
    'POST /1/customFields/…/options',
  ])
  await update('Urgency', { addOptions: ['Urgent'], removeOptions: [low.id] })
  expect(writes()).toHaveLength(3)
})

it('a change that stops halfway says how far it came, and is finished by a repeat', async () => {
  sandbox.board.control.fault({ match: { method: 'POST' }, skip: 1, cut: 'reset', when: 'after' })
  const input = { name: 'Urgency', addOptions: ['A', 'B', 'C'] }
  const { failure } = await update('Priority', input)
  expect(failure).toMatchObject({ code: 'outcome_unknown' })
  expect(failure.message).toMatch(/^2 of 4 changes were made.* found one just like it/)
  await update('Urgency', { ...input, idBoard }).then(({ failure: held }) => expect(held).toBeUndefined())
  expect(textsOf(defined('Urgency'))).toEqual(['High', 'Normal', 'Low', 'A', 'B', 'C'])
})

it('a field is deleted with its values, and only on the board that is named', async () => {
  const other = [...sandbox.board.state.boards.values()].find(({ id }) => id !== idBoard)!
  const { id: idCustomField } = defined('Points')
  const wrong = await run('delete-custom-field', { idBoard: other.id, idCustomField })
  expect(wrong.failure).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/idBoard' }] })
  expect(await run('delete-custom-field', { idBoard, idCustomField })).toMatchObject({ value: { id: idCustomField } })
  expect(defined('Points')).toBeUndefined()
  expect(writes()).toEqual(['DELETE /1/customFields/…'])
})
