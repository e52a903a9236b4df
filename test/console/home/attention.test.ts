/** What the overview lists as needing attention. */
import { expect, it } from 'vitest'
import type { Subscription } from '../../../shared/api/resources/subscription.ts'
import { itemsOf } from '../../../shared/faces/console/pages/home/attention.tsx'

const row = (id: string, state: Subscription['state'], stateReason: string | null) =>
  ({ id, state, stateReason, integration: 'work-board', trigger: 'new-card' }) as Subscription
const nothing = { connections: [], hooks: [], unhealthy: [], dead: [] }

it('has each subscription whose agent refuses its starts, with the reason and what to do', () => {
  const reason = 'The agent answered 401. Check that the agent verifies the signature.'
  const items = itemsOf({
    ...nothing,
    unhealthy: [row('sub_1', 'failing', reason), row('sub_2', 'paused_model', null)],
  })
  expect(items.map(({ key, about }) => [key, about])).toEqual([
    ['sub_1', reason],
    ['sub_2', 'What it watches was closed or deleted, or the account can no longer see it.'],
  ])
  expect(itemsOf(nothing)).toEqual([])
})
