import { expect, test } from 'vitest'
import type { Start, StartQueue, Store } from '../../shared/runtime/ports/index.ts'
import { createDispatch } from '../../shared/runtime/triggers/starts/dispatch.ts'
import type { MatchIndex } from '../../shared/runtime/triggers/match-index.ts'

/** A store with a backlog, each page of which takes 2 ms to read, and agents that never answer. */
const open = (count: number) => {
  let [at, reads, questions] = [1_000_000, 0, 0]
  const waiting: StartQueue[] = Array.from({ length: count }, (_, n) => ({
    tenant: 'a',
    subscription: `busy ${String(n).padStart(6, '0')}`,
    dueAt: 1,
  }))
  const claimed: string[] = []
  const starts = {
    async nextDueAt() {
      questions += 1
      return 1
    },
    async queues(_now: number, limit: number, after?: { subscription: string | null }) {
      reads += 1
      at += 2
      const remainingQueues = waiting.filter(
        ({ subscription }) => after?.subscription == null || subscription > after.subscription,
      )
      const items = remainingQueues.slice(0, limit)
      const last = items.at(-1)
      return {
        items,
        next: last && remainingQueues.length > limit ? { tenant: 'a', subscription: last.subscription } : undefined,
      }
    },
    async claim(_now: number, _limit: number, _until: number, queues: readonly (StartQueue & { limit: number })[]) {
      return queues.map(({ tenant, subscription }) => {
        claimed.push(subscription)
        waiting.splice(
          waiting.findIndex((queue) => queue.subscription === subscription),
          1,
        )
        return { tenant, subscription, id: subscription, leaseEpoch: 1, eventAt: 1 } as Start
      })
    },
  }
  const dispatch = createDispatch({
    store: { starts } as unknown as Store,
    random: () => 0,
    log: () => {},
    now: () => at,
    index: {
      get: (_tenant: string, subscription: string) => ({
        subscription: { agent: { url: `https://${subscription.slice(0, 4)}.example` } },
      }),
    } as unknown as MatchIndex,
    attempt: () => new Promise(() => {}),
    followUps: { add: () => {} },
  })
  const tickAll = async () => {
    while ((await dispatch.tick()).claimed > 0) continue
  }
  return {
    tickAll,
    waiting,
    claimed,
    reads: () => reads,
    /** How often it asked when the next start is due. */
    questions: () => questions,
    pass: (ms: number) => void (at += ms),
  }
}

test('a backlog that has no room is not read anew for each round', async () => {
  const { tickAll, claimed, reads, pass } = open(2000)
  await tickAll()
  const [begun, before] = [claimed.length, reads()]
  expect(begun).toBeGreaterThan(0)
  for (let round = 0; round < 100; round += 1) {
    pass(1)
    await tickAll()
  }
  // 100 ms have passed, of which one reading of the backlog takes some 40.
  expect(reads()).toBe(before)
  expect(claimed).toHaveLength(begun)
})

test('another agent that waits is found beside it soon', async () => {
  const { tickAll, waiting, claimed, pass } = open(2000)
  await tickAll()
  waiting.push({ tenant: 'a', subscription: 'other', dueAt: 2 })
  await tickAll()
  expect(claimed).not.toContain('other')
  pass(1000)
  await tickAll()
  expect(claimed).toContain('other')
})

test('whether a start is due is not asked after a claim of all that was planned, since more are likely to wait', async () => {
  const backlog = open(2000)
  await backlog.tickAll()
  expect(backlog.claimed.length).toBeGreaterThan(1)
  expect(backlog.questions()).toBe(1)
  // The agent could have taken more: nothing else waits, and reading the queues once more would cost for nothing.
  const last = open(1)
  await last.tickAll()
  expect(last.claimed).toHaveLength(1)
  expect(last.questions()).toBe(2)
})
