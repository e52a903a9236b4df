import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { clientOf, findIds } from './board-client.ts'
import type { Client, Found } from './board-client.ts'

let sandbox: BoardSandbox
let ask: Client
let ids: Found
let card: string
let fields: Record<string, { id: string; type: string; options?: { id: string; value: { text: string } }[] }>
beforeAll(async () => {
  sandbox = await startBoardSandbox()
  ask = clientOf(sandbox)
  ids = findIds(sandbox)
  card = ids.card('Press kit')
  const { json } = await ask('GET', `/1/boards/${ids.board}/customFields`)
  fields = Object.fromEntries(json.map((field: { name: string }) => [field.name, field]))
})
afterAll(() => sandbox.close())

const itemsOf = async () =>
  (await ask('GET', `/1/cards/${card}/customFieldItems`)).json as {
    idCustomField: string
    value: unknown
    idValue: unknown
  }[]
const setAll = (customFieldItems: unknown) =>
  ask('PUT', `/1/cards/${card}/customFields`, { body: { customFieldItems } })
const item = (name: string, content: object) => ({ idCustomField: fields[name]!.id, ...content })

describe('custom fields of the sandbox board', () => {
  it('are of five types, a list with its options', () => {
    expect(Object.entries(fields).map(([name, { type }]) => [name, type])).toEqual([
      ['Points', 'number'],
      ['Owner', 'text'],
      ['Print date', 'date'],
      ['Approved', 'checkbox'],
      ['Priority', 'list'],
    ])
    expect(fields['Priority']!.options!.map(({ value }) => value.text)).toEqual(['High', 'Normal', 'Low'])
  })

  it('are set together, one by one, and cleared by empty texts', async () => {
    const high = fields['Priority']!.options![0]!.id
    expect(
      (await setAll([item('Points', { value: { number: '5' } }), item('Priority', { idValue: high })])).status,
    ).toBe(200)
    const reply = await ask('PUT', `/1/cards/${card}/customField/${fields['Owner']!.id}/item`, {
      body: { value: { text: 'Odette' } },
    })
    expect(reply.json).toMatchObject({ idCustomField: fields['Owner']!.id, value: { text: 'Odette' }, idValue: null })
    expect(await itemsOf()).toMatchObject([
      { value: { number: '5' } },
      { value: null, idValue: high },
      { value: { text: 'Odette' } },
    ])
    expect(
      (await setAll([item('Points', { value: '', idValue: '' }), item('Owner', { value: '', idValue: '' })])).status,
    ).toBe(200)
    expect(await itemsOf()).toMatchObject([{ idValue: high }])
  })

  it.each([
    ['a number that is a number', () => [item('Points', { value: { number: 5 } })], 'value'],
    ['a number that is none', () => [item('Points', { value: { number: 'five' } })], 'value'],
    ['a number with an exponent', () => [item('Points', { value: { number: '1e+21' } })], 'value'],
    ['text for a number', () => [item('Points', { value: { text: '5' } })], 'value'],
    ['a date without a zone', () => [item('Print date', { value: { date: '2026-03-31T17:00:00' } })], 'value'],
    ['true that is no text', () => [item('Approved', { value: { checked: true } })], 'value'],
    ['an option that is not of the list', () => [item('Priority', { idValue: fields['Points']!.id })], 'idValue'],
    ['neither value nor option', () => [item('Points', {})], 'value'],
    ['a short id', () => [{ idCustomField: 'abc', value: { number: '5' } }], 'idCustomField'],
    ['no list', () => ({}), 'customFieldItems'],
    ['an empty list', () => [], 'customFieldItems'],
  ])('refuse %s, and nothing of the request is done', async (_, wrong, name) => {
    const before = await itemsOf()
    const wrongItems = wrong()
    const answer = await setAll(
      Array.isArray(wrongItems) && wrongItems.length > 0
        ? [item('Approved', { value: { checked: 'true' } }), ...wrongItems]
        : wrongItems,
    )
    expect([answer.status, answer.text]).toEqual([400, `invalid value for ${name}`])
    expect(await itemsOf()).toEqual(before)
  })

  it('refuse a field that is unknown or of another board', async () => {
    expect((await setAll([{ idCustomField: ids.board, value: { number: '5' } }])).status).toBe(404)
    const elsewhere = await ask('POST', '/1/customFields', {
      body: { idModel: ids.other, modelType: 'board', name: 'Size', type: 'number', pos: 'bottom' },
    })
    expect((await setAll([{ idCustomField: elsewhere.json.id, value: { number: '5' } }])).text).toBe(
      'invalid value for idCustomField',
    )
    expect(
      (
        await ask('PUT', `/1/cards/${card}/customFields`, {
          token: sandbox.credentials.readOnlyToken,
          body: { customFieldItems: [] },
        })
      ).status,
    ).toBe(401)
  })

  it('are made with their options, and removed with their values', async () => {
    const options = [{ value: { text: 'Red' }, color: 'red', pos: 1 }, { value: { text: 'Blue' } }]
    const made = await ask('POST', '/1/customFields', {
      body: { idModel: ids.board, modelType: 'board', name: 'Colour', type: 'list', pos: 'bottom', options },
    })
    expect(made.json).toMatchObject({
      name: 'Colour',
      type: 'list',
      options: [{ value: { text: 'Red' } }, { value: { text: 'Blue' } }],
    })
    const { id } = made.json as { id: string }
    expect((await ask('GET', `/1/customFields/${id}`)).json).toEqual(made.json)
    expect((await setAll([{ idCustomField: id, idValue: made.json.options[0].id }])).status).toBe(200)
    expect((await ask('DELETE', `/1/customFields/${id}`)).status).toBe(200)
    expect((await itemsOf()).map(({ idCustomField }) => idCustomField)).not.toContain(id)
    expect((await ask('GET', `/1/customFields/${id}`)).status).toBe(404)
    for (const wrong of [{ type: 'colour' }, { modelType: 'card' }, { pos: undefined }, { type: 'text', options }]) {
      const body = { idModel: ids.board, modelType: 'board', name: 'X', type: 'list', pos: 'bottom', ...wrong }
      expect((await ask('POST', '/1/customFields', { body })).status, JSON.stringify(wrong)).toBe(400)
    }
  })

  it('get another name and place, and options that are named by _id', async () => {
    const at = `/1/customFields/${fields['Priority']!.id}`
    const body = { name: 'Urgency', pos: 'top', 'display/cardFront': false }
    expect((await ask('PUT', at, { body })).json).toMatchObject({ name: 'Urgency', pos: expect.any(Number) })
    const option = { value: { text: 'Urgent' }, color: 'red', pos: 'bottom' }
    const made = await ask('POST', `${at}/options`, { body: option })
    expect(made.json).toMatchObject({ _id: expect.stringMatching(/^[0-9a-f]{24}$/), value: { text: 'Urgent' } })
    expect(made.json).not.toHaveProperty('id')
    const ownAt = `${at}/options/${made.json._id}`
    expect((await ask('GET', ownAt)).json).toEqual(made.json)
    expect((await ask('GET', `${at}/options`)).json.at(-1)).toEqual(made.json)
    expect((await setAll([{ idCustomField: fields['Priority']!.id, idValue: made.json._id }])).status).toBe(200)
    expect((await ask('DELETE', ownAt)).status).toBe(200)
    expect((await ask('DELETE', ownAt)).status).toBe(404)
    expect((await itemsOf()).map(({ idCustomField }) => idCustomField)).not.toContain(fields['Priority']!.id)
    for (const wrong of [{}, { value: { text: '' } }, { value: 'x' }])
      expect((await ask('POST', `${at}/options`, { body: wrong })).status, JSON.stringify(wrong)).toBe(400)
    const ofText = `/1/customFields/${fields['Owner']!.id}/options`
    expect((await ask('POST', ofText, { body: option })).status).toBe(400)
  })
})
