import { describe, expect, it } from 'vitest'
import { inputJsonSchema } from '#kit'
import { ids, refusals, stepOf, workBoard } from './fake.ts'

const card = { idList: ids.list, name: 'Order tiles' }

describe('inputs', () => {
  it.each([
    ['2026-03-31T17:00:00Z'],
    ['2026-03-31T17:00:00.000Z'],
    ['2026-03-31T17:00:00+11:00'],
    ['2028-02-29T00:00:00Z'],
  ])('takes the date %s', (due) => {
    expect(refusals('create-card', { ...card, due })).toEqual({})
  })

  it.each([
    '2026-03-31',
    '2026-03-31T17:00:00',
    '2026-03-31T17:00+11:00',
    '31/03/2026',
    'tomorrow',
    '',
    '1774900000000',
  ])('refuses the date %j and says what to give', (due) => {
    expect(refusals('create-card', { ...card, due }).due).toBe(
      `"${due}" is not a full ISO 8601 date with time and zone. Give date, time and zone, such as 2026-03-31T17:00:00Z or 2026-03-31T17:00:00+11:00.`,
    )
  })

  it('takes texts of 16384 characters and refuses longer ones', () => {
    expect(refusals('create-card', { ...card, desc: 'x'.repeat(16384) })).toEqual({})
    expect(refusals('create-card', { ...card, desc: 'x'.repeat(16385) }).desc).toBe(
      'Description is 16385 characters long; the board takes at most 16384.',
    )
    expect(refusals('add-comment-to-card', { idCard: ids.card, text: 'x'.repeat(16385) }).text).toContain(
      'at most 16384',
    )
    expect(refusals('update-card', { idCard: ids.card, name: '' }).name).toBe(
      'Name is empty; the board wants at least 1 character.',
    )
    expect(refusals('create-a-checklist-item', { idChecklist: ids.checklist, name: 'x'.repeat(16385) }).name).toContain(
      'at most 16384',
    )
  })

  it.each(['top', 'bottom', '1', '16384.5', '140737488355328', 5])('takes the position %j', (pos) => {
    expect(refusals('create-card', { ...card, pos })).toEqual({})
  })

  it.each([['0'], ['-1'], ['middle'], [''], ['1e5'], ['NaN'], ['Infinity'], [null], [true], [[]], [{}]])(
    'refuses the position %j',
    (pos) => {
      expect(refusals('create-card', { ...card, pos }).pos).toContain(
        'is not a position. Give top, bottom or a positive number.',
      )
    },
  )

  it('wants ids where only ids work, and says which one is wrong', () => {
    expect(refusals('create-card', { ...card, idList: 'To order' }).idList).toBe(
      'A list is named by its id of 24 characters 0-9 and a-f; "To order" is not one.',
    )
    expect(refusals('create-card', { ...card, idLabels: [ids.label, 'red'] })['idLabels.1']).toContain(
      'A label is named by its id',
    )
  })

  it('takes only web addresses to attach, and places on earth', () => {
    expect(refusals('create-card', { ...card, urlSource: 'https://tiles.example/offer' })).toEqual({})
    for (const urlSource of ['ftp://tiles.example', 'javascript:alert(1)', 'tiles', ''])
      expect(refusals('create-card', { ...card, urlSource }).urlSource).toContain('starts with http:// or https://')
    expect(refusals('create-card', { ...card, coordinates: ' -33.8568, 151.2153 ' })).toEqual({})
    for (const coordinates of ['91,0', '0,181', 'here', '1', '1;2'])
      expect(refusals('create-card', { ...card, coordinates }).coordinates).toContain('Give latitude,longitude')
  })

  it('takes field names with commas, and no other text', () => {
    expect(stepOf('get-card').input.parse({ idCard: ids.card, fields: ' name , due ' }).fields).toBe('name,due')
    expect(refusals('get-card', { idCard: ids.card, fields: 'name;due' }).fields).toContain(
      'names with commas between them',
    )
    expect(refusals('get-card', { idCard: ids.card, fields: 'name&key=x' }).fields).toContain(
      'names with commas between them',
    )
  })

  it('takes limits within the bounds it names', () => {
    for (const limit of [1, 5000]) expect(refusals('get-list-cards', { idList: ids.list, limit })).toEqual({})
    for (const limit of [0, 5001, 1.5, '10'])
      expect(refusals('get-list-cards', { idList: ids.list, limit })).toHaveProperty('limit')
  })

  it('wants a name, a card to copy or an address to attach for a new card', () => {
    expect(refusals('create-card', { idList: ids.list })['']).toBe(
      'Give at least one of: name, idCardSource, urlSource.',
    )
  })

  it('refuses fields it does not know in every step', () => {
    for (const step of workBoard.steps) expect(refusals(step.id, { surprise: 1 })[''], step.id).toContain('surprise')
  })

  it('says how to get fewer fields and records in every step whose answer can be long', () => {
    for (const id of ['get-card', 'get-boards', 'get-list-cards', 'get-board-cards'])
      expect(Object.keys(stepOf(id).input.shape), id).toEqual(expect.arrayContaining(['fields', 'limit']))
    for (const id of ['get-card-activity', 'get-comments', 'search', 'search-members'])
      expect(Object.keys(stepOf(id).input.shape), id).toContain('limit')
  })

  it('describes and titles every field for agents and forms', () => {
    for (const step of workBoard.steps) {
      const properties = inputJsonSchema(step.input).properties as Record<
        string,
        { title?: string; description?: string }
      >
      for (const [name, field] of Object.entries(properties)) {
        expect(field.title, `${step.id}.${name}`).toMatch(/^[A-Z]/)
        expect(field.description, `${step.id}.${name}`).toMatch(/^(.{8,}[.])$/s)
      }
    }
  })

  it('says that setting labels replaces them', () => {
    expect(JSON.stringify(inputJsonSchema(stepOf('update-card').input))).toContain(
      'Ids of ALL labels of the card; they replace its current labels.',
    )
  })
})
