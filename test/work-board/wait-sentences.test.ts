/** What subscriptions to the board's triggers wait for, in words. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import workBoard from '../../integrations/work-board/manifest.ts'
import { learned, nobody, shown } from '../support/sentences.ts'

const rows = JSON.parse(readFileSync(new URL('wait-sentences.json', import.meta.url), 'utf8')) as [
  string,
  Record<string, unknown>,
  string,
][]
const words = workBoard.words!
const names = learned({
  'board:b1': 'Kitchen refit',
  'board:b2': 'Garden',
  'board:b3': 'Suppliers',
  'list:l1': 'To order',
  'list:l2': 'Ordered',
  'card:c1': 'Order tiles',
  'label:t1': 'Urgent',
  'customField:f1': 'Points',
  'organization:w1': 'Harbour Joinery',
})

it.each(rows)('%s of %j', (trigger, config, text) => {
  expect(shown(words.waitsFor!(trigger, config, names))).toBe(text)
})

it('is known of every trigger', () => {
  const triggers = workBoard.triggers!.map(({ id }) => id)
  expect([...new Set(rows.map(([trigger]) => trigger))].sort()).toEqual(triggers.sort())
  expect(words.waitsFor!('no-such-trigger', {}, nobody)).toBeUndefined()
})

it('names what has no name yet by reference, so that a name can be put in later', () => {
  expect(words.waitsFor!('new-comment-added-to-card', { boards: ['b1', 'b2'] }, nobody)).toEqual([
    { text: 'a comment on a card of ' },
    { text: 'a board', role: 'where', ref: { kind: 'board', id: 'b1' }, unnamed: true },
    { text: ' or ' },
    { text: 'another board', role: 'where', ref: { kind: 'board', id: 'b2' }, unnamed: true },
  ])
})
