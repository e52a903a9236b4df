/** What the board's events say in words: of each trigger's examples, of each type of action, and of hostile texts. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { maxPartLength, sentenceText } from '#kit'
import type { Event } from '#kit'
import workBoard from '../../integrations/work-board/manifest.ts'
import { learned, nobody, shown, startsOfExamples } from '../support/sentences.ts'
import { ids, idOf } from './fake.ts'
import { key } from './sentence-key.ts'
import { eventOf } from './starts.ts'
import { actionTable, deliveryOf } from './trigger-tables.ts'

const read = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as unknown
const words = workBoard.words!
const starts = startsOfExamples(workBoard, new URL('../../integrations/work-board/examples/', import.meta.url))
const anyId = /[0-9a-f]{24}/
const describeEvent = (event: Event, names = nobody) => shown(words.describe(event, names))
const describeAction = (type: string, data: Record<string, unknown>, names = nobody) =>
  describeEvent(eventOf(deliveryOf(type, data)), names)

describe('the start of an agent', () => {
  it('has its sentence in every example of every trigger', () => {
    expect(starts.map(({ trigger, title, start }) => [trigger, title, shown(start)])).toEqual(read('sentences.json'))
  })

  it('says in one sentence what happened, for each of the 28 triggers', () => {
    expect(Object.keys(key).sort()).toEqual(workBoard.triggers!.map(({ id }) => id).sort())
    for (const [trigger, { who, says, names, from, to, quote }] of Object.entries(key)) {
      const sentence = starts.find((start) => start.trigger === trigger)!.start!
      const text = sentenceText(sentence)
      const textsOf = (role: string) => sentence.filter((part) => part.role === role).map((part) => part.text)
      expect(textsOf('who'), trigger).toEqual(who === undefined ? [] : [who])
      for (const say of says) expect(text, trigger).toContain(say)
      for (const name of names) expect(sentence.filter(({ ref }) => ref).map((part) => part.text)).toContain(name)
      expect([textsOf('from'), textsOf('to'), textsOf('quote')], trigger).toEqual(
        [from, to, quote].map((part) => (part === undefined ? [] : [part])),
      )
    }
  })

  it('differs for triggers whose events are alike', () => {
    const textOf = (trigger: string) => sentenceText(starts.find((start) => start.trigger === trigger)!.start!)
    expect(new Set(Object.keys(key).map(textOf)).size).toBe(Object.keys(key).length)
  })
})

describe('an action', () => {
  const sentences = read('action-sentences.json') as Record<string, string>
  const nameOf = ({ type, of }: { type: string; of?: string }) => (of === undefined ? type : `${type}, ${of}`)

  it('has its sentence, whatever its type', () => {
    const described = actionTable.map((row) => [nameOf(row), describeAction(row.type, row.data)])
    expect(Object.fromEntries(described)).toEqual(
      Object.fromEntries(Object.entries(sentences).map(([name, text]) => [name, `*Odette Quill* ${text}`])),
    )
  })

  it('has it as recorded at the board', () => {
    const folder = new URL('samples/', import.meta.url)
    for (const file of readdirSync(folder)) {
      const text = describeEvent(eventOf(read(`samples/${file}`)))
      expect(text, file).toMatch(/^\*?[A-Z]/)
      expect(text, file).not.toMatch(anyId)
      expect(text, file).not.toContain('did something')
    }
  })

  it.each([
    ['labels removed', { idLabels: [] }, { idLabels: [ids.label] }, 'removed the label *Copy* from *Press kit*'],
    ['labels swapped', { idLabels: [idOf(1)] }, { idLabels: [ids.label] }, 'changed the labels of *Press kit*'],
    [
      'a due date put off',
      { due: '2027-03-31T06:00:00.000Z' },
      { due: '2027-03-01T06:05:00.000Z' },
      'moved the due date of *Press kit* from 1 March 2027, 06:05 UTC to 31 March 2027, 06:00 UTC',
    ],
    [
      'not complete',
      { dueComplete: false },
      { dueComplete: true },
      'marked the due date of *Press kit* as not complete',
    ],
    ['no description', { desc: '' }, { desc: 'Old' }, 'removed the description of *Press kit*'],
    ['a new description', { desc: 'New' }, { desc: 'Old' }, 'changed the description of *Press kit*'],
    [
      'no cover image',
      { idAttachmentCover: null },
      { idAttachmentCover: idOf(1) },
      'removed the cover image of *Press kit*',
    ],
    ['higher up', { pos: 1 }, { pos: 2 }, 'moved *Press kit* up'],
    [
      'two at once',
      { desc: 'New', due: null },
      { desc: 'Old', due: '2027-03-01T06:05:00.000Z' },
      'changed the description and the due date of the card *Press kit*',
    ],
    ['with its place', { desc: 'New', pos: 1 }, { desc: 'Old', pos: 2 }, 'changed the description of *Press kit*'],
    ['unheard of', { mood: 'calm' }, { mood: 'dire' }, 'changed something of the card *Press kit*'],
    [
      'a name like a property of all objects',
      { toString: 'x' },
      { toString: 'y' },
      'changed something of the card *Press kit*',
    ],
  ])('of a card with %s', (_, after, old, expected) => {
    const data = { card: { id: ids.card, name: 'Press kit', ...after }, old }
    const names = learned({ [`label:${ids.label}`]: 'Copy' })
    expect(describeAction('updateCard', data, names)).toBe(`*Odette Quill* ${expected}`)
  })

  it.each([
    [
      'updateList',
      { list: { id: idOf(1), name: 'Doing', closed: false }, old: { closed: true } },
      'unarchived the list *Doing*',
    ],
    [
      'updateList',
      { list: { id: idOf(1), name: 'Doing', pos: 3 }, old: { pos: 9 } },
      'moved the list *Doing* to the left',
    ],
    [
      'updateLabel',
      { label: { id: ids.label, name: 'Copy', color: 'red' }, old: { color: 'sky' } },
      'changed the colour of the label *Copy* to red',
    ],
    [
      'updateCheckItem',
      { checkItem: { id: idOf(1), name: 'Proofread', due: '2027-03-31T06:00:00.000Z' }, old: { due: null } },
      'set the due date of *Proofread* to 31 March 2027, 06:00 UTC',
    ],
    [
      'addLabelToCard',
      { card: { id: ids.card, name: 'Press kit' }, label: { id: ids.label, name: '', color: 'sky' } },
      'added a sky label to *Press kit*',
    ],
    [
      'updateCustomFieldItem',
      { customField: { id: idOf(1), name: 'Size' }, customFieldItem: { id: idOf(2), value: null, idValue: null } },
      'cleared the custom field *Size* of a card',
    ],
    [
      'updateCustomFieldItem',
      { customField: { id: idOf(1), name: 'Size' }, customFieldItem: { id: idOf(2), idValue: idOf(3) } },
      'set the custom field *Size* of a card to an option',
    ],
    [
      'updateCustomFieldItem',
      { customField: { id: idOf(1), name: 'Paid' }, customFieldItem: { id: idOf(2), value: { checked: 'true' } } },
      'set the custom field *Paid* of a card to yes',
    ],
    [
      'voteOnCard',
      { card: { id: ids.card, name: 'Press kit' }, voted: false },
      'took back a vote for the card *Press kit*',
    ],
    [
      'fooBar',
      { board: { id: ids.board, name: 'Kitchen refit' } },
      'did something the board calls fooBar on *Kitchen refit*',
    ],
    ['fooBar', {}, 'did something the board calls fooBar'],
    ['constructor', { list: { id: idOf(1), name: 'Doing' } }, 'did something the board calls constructor in *Doing*'],
  ])('%s, another way', (type, data, expected) => {
    expect(describeAction(type, data)).toBe(`*Odette Quill* ${expected}`)
  })

  it('names what was learned before, and nobody whom the board does not name', () => {
    const { action, ...more } = deliveryOf('deleteCard', { card: { id: ids.card } })
    const { memberCreator: _, ...unnamed } = action
    const event = eventOf({ action: unnamed, ...more })
    expect(words.describe(event, nobody)).toEqual([
      { text: 'Somebody', role: 'who', ref: { kind: 'member', id: idOf(52) }, unnamed: true },
      { text: ' deleted ' },
      { text: 'a card', role: 'what', ref: { kind: 'card', id: ids.card }, unnamed: true },
    ])
    const names = learned({ [`card:${ids.card}`]: 'Press kit', [`member:${idOf(52)}`]: 'Odette' })
    expect(describeEvent(event, names)).toBe('*Odette* deleted the card *Press kit*')
    const { idMemberCreator: __, ...nobodys } = unnamed
    expect(describeEvent(eventOf({ action: nobodys, ...more }))).toBe('Somebody deleted a card')
  })

  it('gives the names of what it names, each once', () => {
    const { event } = starts.find(({ trigger, title }) => trigger === 'new-card' && title.includes('moved in'))!
    expect(words.namesIn!(event)).toEqual([
      { kind: 'member', id: '695b6f800000000000000001', name: 'Mara Quill' },
      { kind: 'board', id: '695b70ac0000000000000008', name: 'Kitchen refit' },
      { kind: 'list', id: '695b70ac000000000000000f', name: 'To order' },
      { kind: 'card', id: '695b7afc0000000000000028', name: 'Order tiles' },
      { kind: 'board', id: '695b863c0000000000000044', name: 'Suppliers' },
    ])
    const reminder = starts.find(({ trigger }) => trigger === 'card-due-date-reminder')!.event
    expect(words.namesIn!(reminder)).toEqual([{ kind: 'card', id: '695b7afc0000000000000028', name: 'Order tiles' }])
  })
})

describe('texts of others', () => {
  const hostile = [
    '<img src=x onerror=alert(1)>',
    'up\u202Eside\u2066down\u200B',
    'one\ntwo\r\nthree\u2028four\u0085five',
    'x'.repeat(5000),
    '😀'.repeat(5000),
    ' '.repeat(5000),
    '*bold* [link](javascript:alert(1)) “quoted”',
  ]
  it.each(hostile)('stay one bounded line of text: %j', (text) => {
    const data = {
      card: { id: ids.card, name: text },
      list: { id: idOf(1), name: text },
      board: { id: ids.board, name: text },
      label: { id: ids.label, name: text },
      checklist: { id: idOf(2), name: text },
      checkItem: { id: idOf(3), name: text },
      customField: { id: idOf(4), name: text },
      customFieldItem: { id: idOf(5), value: { text } },
      attachment: { id: idOf(6), name: text },
      old: { name: text },
      text,
    }
    for (const { type } of actionTable) {
      const delivery = deliveryOf(type, data)
      delivery.action.memberCreator.fullName = text
      const sentence = words.describe(eventOf(delivery), nobody)!
      for (const part of sentence) {
        expect(part.text.length).toBeLessThanOrEqual(maxPartLength)
        expect(part.text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200B\u202A-\u202E\u2066-\u2069]/u)
        // Words of ours hold nothing that others wrote.
        if (part.role === undefined) expect(part.text).not.toMatch(/[<😀]|xx|side/u)
      }
    }
  })

  it('are never read as something else than text', () => {
    const odd = [{}, [], 1, true, null, { name: { toString: 'x' } }]
    for (const { type } of actionTable)
      for (const value of odd) {
        const names = [
          'card',
          'list',
          'board',
          'label',
          'checklist',
          'checkItem',
          'attachment',
          'old',
          'text',
          'member',
        ]
        const data = Object.fromEntries(names.map((name) => [name, value]))
        const event = eventOf(deliveryOf(type, data))
        expect(sentenceText(words.describe(event, nobody)!), type).toContain('Odette Quill')
        expect(words.namesIn!(event)).toHaveLength(1)
      }
  })
})
