import { expect, it } from 'vitest'
import { formatStart } from '../../shared/faces/cli/index.ts'
import type { AgentStart } from '../../shared/runtime/triggers/index.ts'

const line = (event: object, more: object = {}) =>
  formatStart(
    {
      type: 't',
      timestamp: '2026-02-11T09:10:00.000Z',
      data: { start: 'abcdef0123456789', via: 'webhook', event, ...more },
    } as unknown as AgentStart,
    'It',
  )
const by = { id: 'u1', name: 'Mara Quill' }
const container = { id: 'c1', name: 'Kitchen' }
const end = '  (webhook, start abcdef012345…)'

it.each<[string, object, string]>([
  [
    'the subject of any provider, and what else is named',
    { container, subject: { id: 7, name: 'A bug' }, label: { id: 'l', name: 'Urgent' }, by },
    '"A bug", "Urgent", by Mara Quill',
  ],
  [
    'an integration’s own names for them',
    { by, board: container, list: { id: 'l', name: 'To order' }, card: { id: 'x', name: 'Tiles' }, text: 'Sold out' },
    '"Tiles", Sold out, by Mara Quill',
  ],
  ['each thing once', { card: { id: 'x', name: 'Tiles' }, subject: { id: 'x', name: 'Tiles' } }, '"Tiles"'],
  [
    'the container where nothing lies in it',
    { board: container, label: { id: 'l', name: 'Urgent' } },
    '"Kitchen", "Urgent"',
  ],
  [
    'where it was and is',
    {
      subject: { id: 'x', name: 'Tiles' },
      from: { board: container, list: { id: 'a', name: 'Ideas' } },
      to: { id: 'b', name: 'Done' },
    },
    '"Tiles", Ideas → Done',
  ],
  [
    'another container',
    { subject: { id: 'x', name: 'Tiles' }, from: { board: container }, to: {} },
    '"Tiles", Kitchen → ?',
  ],
  [
    'what changed, without values that only look like things',
    { subject: { id: 'x', name: 'Tiles' }, changed: ['due', 'name'], before: { name: 'Old' } },
    '"Tiles", due, name',
  ],
])('names %s', (_what, event, said) => expect(line(event)).toBe(`09:10:00 It: ${said}${end}`))

it('marks tests and late starts, and keeps to one line', () => {
  expect(line({ subject: { id: 'x', name: 'Two\nlines' }, text: 'x'.repeat(80) }, { test: true, late: true })).toMatch(
    /^09:10:00 It: "Two lines", x{59}… {2}\(test, late, webhook, start abcdef012345…\)$/,
  )
})
