/** What runs of the board's steps have done, in words. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { maxPartLength, sentenceText } from '#kit'
import workBoard from '../../integrations/work-board/manifest.ts'
import { firstRunSentences, learned, nobody, runsOfExamples, shown } from '../support/sentences.ts'

const folder = new URL('../../integrations/work-board/examples/', import.meta.url)
const words = workBoard.words!
const runs = runsOfExamples(folder)
const anyId = /[0-9a-f]{24}/
const names = learned({
  'board:695b70ac0000000000000008': 'Launch plan',
  'board:695b863c0000000000000044': 'Support desk',
  'list:695b70ac000000000000000f': 'Ideas',
  'list:695b70ac0000000000000011': 'In progress',
  'list:695b70ac0000000000000013': 'Review',
  'list:695b70ac0000000000000015': 'Done',
  'card:695b7afc0000000000000028': 'Write the launch page',
  'card:695b82b80000000000000035': 'Choose a launch day',
  'label:695b70ac0000000000000017': 'Urgent',
  'label:695b70ac0000000000000019': 'Copy',
  'label:695b70ac000000000000001b': 'Design',
  'checklist:695b83e40000000000000038': 'Before publishing',
  'customField:695b85100000000000000043': 'Points',
  'member:695b6f800000000000000001': 'Marlow Fenwick',
  'member:695b6f800000000000000002': 'Odette Quill',
})
const describeRun = (step: string, input: Record<string, unknown>, output: unknown) =>
  shown(words.describeRun!(step, input, output, names))

it('every step has its sentence', () => {
  const sentences = JSON.parse(readFileSync(new URL('run-sentences.json', import.meta.url), 'utf8')) as object
  expect(firstRunSentences(workBoard, folder, names)).toEqual(sentences)
  const steps = [...workBoard.steps.map(({ id }) => id), 'api-call', 'find-endpoints']
  expect(Object.keys(sentences).sort()).toEqual(steps.sort())
  expect(words.describeRun!('no-such-step', {}, {}, nobody)).toBeUndefined()
})

const idCard = '695b7afc0000000000000028'
it.each([
  ['update-card', { idCard, closed: true }, { id: idCard }, 'Archived *Write the launch page*'],
  ['update-card', { idCard, closed: false }, { id: idCard }, 'Unarchived *Write the launch page*'],
  [
    'update-card',
    { idCard, idList: '695b70ac0000000000000015', pos: 'top' },
    { id: idCard, idList: '695b70ac0000000000000015' },
    'Moved *Write the launch page* to *Done*',
  ],
  ['update-card', { idCard, clear: ['due'] }, { id: idCard }, 'Changed the due date of *Write the launch page*'],
  ['update-card', { idCard, name: 'A', desc: 'B', due: 'C', start: 'D' }, { id: idCard, name: 'A' }, 'Changed *A*'],
  [
    'update-card',
    { idCard, customFields: {}, file: {} },
    { id: idCard, problems: [{}] },
    'Changed the custom fields and the attachments of *Write the launch page*; not all of it was written',
  ],
  ['update-list', { idList: 'l1', closed: false }, { id: 'l1', name: 'Later' }, 'Unarchived the list *Later*'],
  [
    'label-cards',
    { idLabel: '695b70ac0000000000000017', remove: true },
    { changed: 3, unchanged: 1, problems: [{}] },
    'Removed the label *Urgent* from 4 cards; 1 failed or is unknown',
  ],
  ['archive-cards', {}, { changed: 0, unchanged: 0, problems: [{}, {}] }, 'Archived no cards; 2 failed or are unknown'],
  [
    'add-label-to-card',
    { idLabel: '695b70ac0000000000000017' },
    { id: idCard, changed: false },
    'Changed nothing: the label *Urgent* is already on *Write the launch page*',
  ],
  ['search', {}, { cards: [{}], boards: [{}, {}], members: [] }, 'Found 1 card, 2 boards and no members'],
  ['find-card', {}, { cards: [] }, 'Found no cards'],
  [
    'set-custom-fields',
    { idCard },
    { customFields: [{ id: 'f1', name: 'Points' }] },
    'Set *Points* of *Write the launch page*',
  ],
  ['get-comments', { idCard: 'https://trello.com/c/GUiZXeZo/4-x' }, { comments: [] }, 'Read no comments of a card'],
  [
    'api-call',
    { method: 'GET', path: '/1/members/odettequill/boards?filter=open' },
    { status: 200 },
    'Called GET /1/members/…/boards',
  ],
  [
    'api-call',
    { method: 'PUT', path: `/1/cards/${idCard}/idList` },
    { status: 404 },
    'Called PUT /1/cards/…/idList, which answered 404',
  ],
  ['api-call', { method: '<b>', path: '//evil.example/<b>/x' }, {}, 'Called a method of //…/…/x'],
])('%s of %j', (step, input, output, text) => {
  expect(describeRun(step, input, output)).toBe(text)
})

it('words of ours hold no id and nothing that others wrote, and names are learned', () => {
  for (const { step, input, output } of runs) {
    const sentence = words.describeRun!(step, input, output, nobody)!
    expect(sentenceText(sentence), step).not.toMatch(anyId)
    expect(sentenceText(sentence), step).toMatch(/^[A-Z].*[^.]$/)
    const known = words.namesInRun!(step, input, output)
    expect(known.length).toBeLessThanOrEqual(50)
    expect(new Set(known.map(({ kind, id }) => `${kind}:${id}`)).size).toBe(known.length)
    for (const { role, ref, text, unnamed } of sentence) {
      if (role !== undefined && role !== 'quote') expect(ref, `${step}: ${text}`).toBeDefined()
      if (ref && !unnamed && !['download-attachment', 'get-attachment-text'].includes(step))
        expect(known, step).toContainEqual(expect.objectContaining({ kind: ref.kind, id: ref.id, name: text }))
    }
  }
})

it('names what a run read, at most 50 things, with the address of their page', () => {
  const { output } = runs.find(({ step }) => step === 'get-boards')!
  expect(words.namesInRun!('get-boards', {}, output)[0]).toMatchObject({
    kind: 'board',
    id: '695b70ac0000000000000008',
    name: 'Launch plan',
    url: expect.stringMatching(/^https:/) as string,
  })
  expect(words.namesInRun!('get-boards', {}, output)).toContainEqual(
    expect.objectContaining({ kind: 'board', id: 'ZT77S7RB', name: 'Launch plan' }),
  )
  const cards = Array.from({ length: 2000 }, (_, n) => ({ id: `c${n}`, name: `Card ${n}`, url: 'javascript:alert(1)' }))
  const many = words.namesInRun!('get-list-cards', {}, { cards })
  expect(many).toHaveLength(50)
  expect(many[0]).toEqual({ kind: 'card', id: 'c0', name: 'Card 0' })
  expect(words.namesInRun!('api-call', {}, { body: { cards } })).toEqual([])
})

it('texts of others stay one bounded line, and odd outputs break nothing', () => {
  const odd = [undefined, null, [], {}, 1, { id: 1, name: {} }, { cards: 1, changed: 'x', problems: {} }]
  const text = `<b>${'x\n\u202E'.repeat(3000)}`
  for (const { step, input, output } of runs) {
    for (const value of odd) expect(sentenceText(words.describeRun!(step, {}, value, nobody)!)).toMatch(/^[A-Z]/)
    const named = { ...(output as object), name: text, data: { text, card: { id: 'c1', name: text } } }
    for (const part of words.describeRun!(step, { ...input, name: text }, named, nobody)!) {
      expect(part.text.length).toBeLessThanOrEqual(maxPartLength)
      expect(part.text).not.toMatch(/[\n\u202E]/)
      if (part.role === undefined) expect(part.text).not.toContain('<b>')
    }
  }
})
