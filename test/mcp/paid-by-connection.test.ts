import { expect, it } from 'vitest'
import { call, openMcpWorld, withClient } from '../support/mcp-world.ts'

it('what a run was paid for is not paid again for its rest, though the step is free under the profile of the operator', async () => {
  const cards = Array.from({ length: 200 }, (_, at) => ({ id: `card ${at}`, name: 'x'.repeat(400) }))
  let runs = 0
  const world = await openMcpWorld({
    change: (pack) => ({
      ...pack,
      steps: {
        ...pack.steps,
        run: async () => {
          runs += 1
          return {
            ok: true,
            value: { cards, count: 200 },
            meta: { runId: `run_${runs}`, attempts: 1, durationMs: 1, credits: { charged: 200, estimated: false } },
          }
        },
      },
    }),
  })
  await withClient(world, '2026-07-28', async (client) => {
    const idList = 'a'.repeat(24)
    const first = await call(client, 'work_board_get_list_cards', { idList })
    const shown = first.structuredContent!['cards'].length as number
    expect(shown).toBeLessThan(200)
    const nextPage = await call(client, 'work_board_get_list_cards', { idList, from: shown })
    expect(nextPage.structuredContent!['cards'][0].id).toBe(`card ${shown}`)
    expect(runs).toBe(1)
  })
})
