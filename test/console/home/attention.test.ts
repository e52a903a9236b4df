/** What the overview lists as needing attention. */
import { expect, it } from 'vitest'
import type { Subscription } from '../../../shared/api/resources/subscription.ts'
import { itemsOf } from '../../../shared/faces/console/pages/home/attention.tsx'

const row = (id: string, state: Subscription['state'], stateReason: string | null) =>
  ({
    id,
    state,
    stateReason,
    stateAt: '2026-11-01T00:00:00.000Z',
    integration: 'work-board',
    trigger: 'new-card',
    summary: null,
    agent: { id: 'scribe', url: null },
  }) as Subscription
const nothing = { connections: [], hooks: [], unhealthy: [], dead: [], approvals: [], reload: () => {} }

/** The texts of a sentence, without those of its components. */
const textOf = (node: unknown): string => {
  if (typeof node === 'string') return node
  if (Array.isArray(node)) return node.map(textOf).join('')
  return node ? textOf((node as { props?: { children?: unknown } }).props?.children) : ''
}

it('has each subscription whose agent refuses its starts, with the reason and what to do', () => {
  const reason = 'The agent answered 401. Check that the agent verifies the signature.'
  const items = itemsOf({
    ...nothing,
    unhealthy: [row('sub_1', 'failing', reason), row('sub_2', 'paused_model', null)],
  })
  expect(items.map(({ key, says }) => [key, textOf(says).trim()])).toEqual([
    ['sub_1', expect.stringMatching(/^The agent scribe refuses starts since .*The agent answered 401\. Check/)],
    ['sub_2', expect.stringContaining('What it watches was closed or deleted, or the account can no longer see it.')],
  ])
  expect(items.map(({ button }) => textOf(button))).toEqual(['Test it', 'Open the trigger'])
  expect(itemsOf(nothing)).toEqual([])
})
