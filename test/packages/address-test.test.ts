/** A test of the address of a workflow starts nothing on the platform; a start does. */
import { expect, it } from 'vitest'
import { trigger } from '../../scripts/packages/activepieces/runtime.ts'
import { hook } from '../../scripts/packages/zapier/runtime.ts'
import { signedHeaders } from '../../shared/runtime/triggers/starts/agent-call.ts'

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
const sent = (type: string) => {
  const content = JSON.stringify({
    type,
    timestamp: '2026-01-01T00:00:00Z',
    data: { id: 'e1', start: `start of ${type}`, trigger: '', event: null },
  })
  return { content, headers: signedHeaders([secret], 'st_1', Date.now(), content) }
}
const cases = [
  ['agent.test', 0],
  ['work-board.new-card', 1],
] as const

it.each(cases)('Zapier gets of %s so many: %i', async (type, count) => {
  const { content, headers } = sent(type)
  const cache = { get: async () => null, set: async () => true }
  const { perform } = hook({ integration: 'work-board', trigger: 'new-card', config: {}, options: {} } as never)
  const bundle = { rawRequest: { content, headers }, subscribeData: { id: 'sub_1', secret } }
  expect(await perform({ cache } as never, bundle as never)).toHaveLength(count)
})

it.each(cases)('Activepieces gets of %s so many: %i', async (type, count) => {
  const { content, headers } = sent(type)
  const stored = new Map<string, unknown>()
  const store = {
    get: async (name: string) => stored.get(name) ?? (name.includes('start') ? null : { id: 'sub_1', secret }),
    put: async (name: string, value: unknown) => void stored.set(name, value),
  }
  const { run } = trigger('work-board', 'new-card', { config: {}, options: {} } as never)
  expect(await run({ store, payload: { rawBody: content, headers } } as never)).toHaveLength(count)
})
