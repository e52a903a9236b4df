import { describe, expect, it } from 'vitest'
import type { AccountField } from '#kit'
import { readAccountValues } from '../../shared/runtime/session/account-values.ts'
import { openHttpWorld } from '../support/http-world.ts'

const fields: AccountField[] = [
  { id: 'f1', title: 'Points', type: 'number' },
  { id: 'f2', title: 'Owner', type: 'text' },
  { id: 'f3', title: 'Print date', type: 'date-time' },
  { id: 'f4', title: 'Approved', type: 'boolean' },
  {
    id: 'f5',
    title: 'Priority',
    type: 'choice',
    choices: [
      { value: 'o1', label: 'High' },
      { value: 'o2', label: 'Low' },
      { value: 'o3', label: 'Twin' },
      { value: 'o4', label: 'twin' },
    ],
  },
  { id: 'f6', title: 'Double', type: 'text' },
  { id: 'f7', title: 'double', type: 'text' },
]

const read = (values: Record<string, unknown>, of = fields) =>
  readAccountValues('extras', of, values).map(({ field, value }) => [field.id, value])
const refused = (values: Record<string, unknown>, of = fields) => {
  try {
    return { read: readAccountValues('extras', of, values) }
  } catch (thrown) {
    const { code, details } = thrown as { code: string; details: { errors: { pointer: string; message: string }[] } }
    return { code, errors: Object.fromEntries(details.errors.map(({ pointer, message }) => [pointer, message])) }
  }
}
const all =
  'There are: Points (f1), Owner (f2), Print date (f3), Approved (f4), Priority (f5), Double (f6), double (f7).'
const choices = 'Choices: High (o1), Low (o2), Twin (o3), twin (o4).'

describe('values for fields of the account', () => {
  it('are taken by id or name of the field, and of a choice by its value or label', () => {
    expect(
      read({ f1: 5, ' owner ': 'A', 'Print date': '2026-03-31T17:00:00+11:00', Approved: false, Priority: 'high' }),
    ).toEqual([
      ['f1', 5],
      ['f2', 'A'],
      ['f3', '2026-03-31T17:00:00+11:00'],
      ['f4', false],
      ['f5', 'o1'],
    ])
    expect(read({ f5: 'o2', f6: 'x' })).toEqual([
      ['f5', 'o2'],
      ['f6', 'x'],
    ])
    expect(read({ Points: null, Priority: null })).toEqual([
      ['f1', null],
      ['f5', null],
    ])
  })

  it('of which thousands are wrong are refused in few words, and at once', () => {
    const many: AccountField[] = Array.from({ length: 5_000 }, (_, at) => ({
      id: `f${at}`,
      title: `Field ${at} ${'x'.repeat(1_000)}`,
      type: 'text',
    }))
    const began = process.threadCpuUsage()
    const { errors } = refused(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`none${at}`, 'x'])), many)
    expect(process.threadCpuUsage(began).user / 1000, 'ms of CPU').toBeLessThan(2_000)
    expect(Object.keys(errors!)).toHaveLength(20)
    expect(errors!['/extras/none0']).toMatch(
      /^"none0" is not a field of the account here\. There are: Field 0 x+… \(f0\), .*, and 4950 more\.$/,
    )
    expect(JSON.stringify(errors).length).toBeLessThan(100_000)
  })

  it.each([
    [
      'an unknown field',
      { Colour: 'red' },
      { '/extras/Colour': `"Colour" is not a field of the account here. ${all}` },
    ],
    [
      'a name that two have',
      { DOUBLE: 'x' },
      { '/extras/DOUBLE': 'There are 2 fields named "DOUBLE"; name one by its id: f6, f7.' },
    ],
    ['a number as text', { Points: '5' }, { '/extras/Points': '"Points" takes a number, not "5".' }],
    ['text as a number', { Owner: 5 }, { '/extras/Owner': '"Owner" takes text, not 5.' }],
    ['true as text', { Approved: 'true' }, { '/extras/Approved': '"Approved" takes true or false, not "true".' }],
    [
      'a choice there is not',
      { Priority: 'Urgent' },
      { '/extras/Priority': `"Priority" has no choice "Urgent". ${choices}` },
    ],
    [
      'a choice that is no text',
      { Priority: 1 },
      { '/extras/Priority': `"Priority" takes the name or id of a choice, not 1. ${choices}` },
    ],
    [
      'a label that two have',
      { Priority: 'TWIN' },
      { '/extras/Priority': '"Priority" has 2 choices named "TWIN"; give the id of one: o3, o4.' },
    ],
    [
      'a date without zone',
      { f3: '2026-03-31T17:00:00' },
      {
        '/extras/f3':
          '"Print date" "2026-03-31T17:00:00" is not a full ISO 8601 date with time and zone. Give date, time and zone, such as 2026-03-31T17:00:00Z or 2026-03-31T17:00:00+11:00.',
      },
    ],
    [
      'one field twice',
      { f1: 5, points: 6 },
      { '/extras/points': '"f1" and "points" name the same field. Give one of the two.' },
    ],
    [
      'several at once',
      { 'a/b': 1, Points: 'x' },
      {
        '/extras/a~1b': `"a/b" is not a field of the account here. ${all}`,
        '/extras/Points': '"Points" takes a number, not "x".',
      },
    ],
    ['nothing', {}, { '/extras': `extras has no values. ${all.replace('There are', 'Give at least one of')}` }],
  ])('are refused: %s', (_, values, errors) => expect(refused(values)).toEqual({ code: 'invalid_input', errors }))

  it('say when the account has no fields', () => {
    expect(refused({ x: 1 }, [])).toEqual({
      code: 'invalid_input',
      errors: { '/extras/x': '"x" is not a field of the account here. There are none.' },
    })
    expect(refused({}, [])).toEqual({
      code: 'invalid_input',
      errors: { '/extras': 'extras has no values. The account has no fields here.' },
    })
  })
})

describe('fields of the account of a step', async () => {
  const face = await openHttpWorld()

  const state = () => face.sandbox.board.state
  const launch = () => [...state().boards.values()].find(({ name }) => name === 'Launch plan')!
  const cardOn = (idBoard: string) => [...state().cards.values()].find((card) => card.idBoard === idBoard)!
  const fieldsFor = (values: object, step = 'set-custom-fields', more: object = {}) =>
    face.ask(`/v1/steps/work-board/${step}/fields`, { body: { values, ...more } })
  const sent = () => face.sandbox.board.control.requests().length

  it('come as layout and schema, by the board or the card, and are cached for a moment', async () => {
    const { id: idBoard } = launch()
    const before = sent()
    const { status, json } = await fieldsFor({ idBoard })
    expect(status).toBe(200)
    const drawn = json.layout.fields as {
      name: string
      title: string
      control: string
      choices?: string[]
      labels?: Record<string, string>
    }[]
    expect(drawn.map(({ title, control }) => [title, control])).toEqual([
      ['Points', 'number'],
      ['Owner', 'text'],
      ['Print date', 'date-time'],
      ['Approved', 'switch'],
      ['Priority', 'choice'],
    ])
    const { name, choices = [], labels = {} } = drawn.at(-1)!
    expect(choices.map((value) => labels[value])).toEqual(['High', 'Normal', 'Low'])
    expect(json.schema).toMatchObject({
      type: 'object',
      additionalProperties: false,
      properties: { [name]: { title: 'Priority', type: 'string', enum: choices } },
    })
    expect((await fieldsFor({ idBoard })).json).toEqual(json)
    expect(sent() - before).toBe(1)
    expect((await fieldsFor({ idCard: cardOn(idBoard).id })).json).toEqual(json)
  })

  it('need the board or the card, and a step that has such fields', async () => {
    expect((await fieldsFor({})).json).toMatchObject({
      code: 'invalid_input',
      errors: [{ pointer: '/values/idBoard' }],
    })
    const other = await fieldsFor({}, 'create-list')
    expect(other).toMatchObject({ status: 400, json: { code: 'invalid_input' } })
    expect(other.text).toContain('has no fields that the account defines')
  })

  it('are read within the scopes of the connection and of the token', async () => {
    const { id } = launch()
    const other = [...state().boards.values()].find((board) => board.id !== id && cardOn(board.id))!
    const { key, token } = face.sandbox.board.credentials
    const policy = { scopes: [id] }
    const limited = await face.pack.connections.create(
      { tenant: 'default' },
      { integration: 'work-board', type: 'key-token', name: 'One board', secrets: { key, token }, policy },
    )
    const connection = limited.id
    expect((await fieldsFor({ idBoard: id }, 'set-custom-fields', { connection })).status).toBe(200)
    expect((await fieldsFor({ idBoard: other.id }, 'set-custom-fields', { connection })).json).toMatchObject({
      code: 'not_allowed',
    })
    const reader = await face.tokenWith(['read'])
    const refusal = await face.ask('/v1/steps/work-board/set-custom-fields/fields', {
      body: { values: { idBoard: id } },
      token: reader,
    })
    expect(refusal.json).toMatchObject({ code: 'not_allowed' })
    const { text: bound } = await face.pack.tokens.create('default', {
      name: 'Another step',
      steps: ['work-board/get-card'],
    })
    const ofOther = await face.ask('/v1/steps/work-board/set-custom-fields/fields', {
      body: { values: { idBoard: id } },
      token: bound,
    })
    expect(ofOther.json).toMatchObject({
      code: 'not_allowed',
      detail: expect.stringContaining('It is bound to: work-board/get-card') as string,
    })
  })

  const run = (input: object, more: object = {}) =>
    face.ask('/v1/steps/work-board/set-custom-fields/run', { body: { input, ...more } })
  const itemsOf = async (idCard: string) =>
    (await face.ask('/v1/steps/work-board/get-card/run', { body: { input: { idCard, customFieldItems: true } } })).json
      .output.customFieldItems as {
      idCustomField: string
      value: Record<string, string> | null
      idValue: string | null
    }[]

  it('are set and emptied on a card, of every type', async () => {
    const { id: idBoard } = launch()
    const { id: idCard } = cardOn(idBoard)
    const fields = new Map(
      [...state().customFields.values()]
        .filter((field) => field.idModel === idBoard)
        .map((field) => [field.name, field]),
    )
    const priority = fields.get('Priority')!
    const values = {
      Points: 0.0000005,
      owner: 'Odette Quill',
      'Print date': '2026-03-31T17:00:00+11:00',
      Approved: true,
      [priority.id]: 'low',
    }
    const { status, json } = await run({ idBoard, idCard, customFields: values })
    expect(status).toBe(200)
    expect(json.output).toMatchObject({
      idCard,
      customFields: [{ name: 'Points' }, { name: 'Owner' }, {}, { value: true }, { name: 'Priority', value: 'Low' }],
    })
    const byName = Object.fromEntries(
      (await itemsOf(idCard)).map(({ idCustomField, value, idValue }) => [
        [...fields.values()].find(({ id }) => id === idCustomField)!.name,
        value ?? idValue,
      ]),
    )
    expect(byName).toEqual({
      Points: { number: '0.0000005' },
      Owner: { text: 'Odette Quill' },
      'Print date': { date: '2026-03-31T06:00:00.000Z' },
      Approved: { checked: 'true' },
      Priority: priority.options[2]!.id,
    })
    expect(
      (await run({ idCard, customFields: { Points: null, Owner: null, 'Print date': null, Approved: null } })).status,
    ).toBe(200)
    expect((await itemsOf(idCard)).map(({ idValue }) => idValue)).toEqual([priority.options[2]!.id])
  })

  it('are checked before anything is changed, and not at all in a dry run', async () => {
    const { id: idCard } = cardOn(launch().id)
    const writes = () => face.sandbox.board.control.requests().filter(({ method }) => method !== 'GET').length
    const before = [writes(), await itemsOf(idCard)]
    const wrong = await run({ idCard, customFields: { Points: 'five', Priority: 'Urgent', Colour: 'red' } })
    expect(wrong).toMatchObject({ status: 400, json: { code: 'invalid_input' } })
    expect(wrong.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/customFields/Points',
      '/customFields/Priority',
      '/customFields/Colour',
    ])
    const empty = await run({ idCard, customFields: { Owner: '' } })
    expect(empty.json).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/customFields' }] })
    const dry = await run({ idCard, customFields: { Points: 5 } }, { dryRun: true })
    expect(dry.json.output).toMatchObject({ complete: false, requests: [{ method: 'GET' }] })
    expect([writes(), await itemsOf(idCard)]).toEqual(before)
  })

  it('of a new field are there for the next run', async () => {
    const { id: idBoard } = launch()
    const { id: idCard } = cardOn(idBoard)
    expect((await run({ idCard, customFields: { Size: 3 } })).status).toBe(400)
    const body = { idModel: idBoard, modelType: 'board', name: 'Size', type: 'number', pos: 'bottom' }
    const made = await face.ask('/v1/steps/work-board/api-call/run', {
      body: { input: { method: 'POST', path: '/1/customFields', body } },
    })
    expect(made.json.output.status).toBe(200)
    expect((await run({ idCard, customFields: { Size: 3 } })).status).toBe(200)
  })
})
