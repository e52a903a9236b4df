import { describe, expect, it } from 'vitest'
import { readTaskId, writeTaskId } from '../../shared/faces/mcp/task-id.ts'
import { readTask } from '../../shared/faces/mcp/task-state.ts'
import type { Pack } from '../../shared/pack.ts'
import { caller } from '../support/world.ts'

it('an id holds what is to be shown, and no more than fits into a header', () => {
  const id = {
    of: '0199c0de-0000-7000-8000-000000000000',
    isKeyed: true,
    free: false,
    request: 'b'.repeat(64),
    paging: { maxBytes: 5_000, from: 3 },
  }
  expect(readTaskId(writeTaskId({ ...id, fields: 'name,url' })!)).toEqual({ ...id, isHeld: false, fields: 'name,url' })
  expect(writeTaskId({ ...id, fields: 'f'.repeat(400) })).toBeUndefined()
  const wrong = { ...id, fields: undefined, paging: { maxBytes: 2e9, from: 0 } }
  expect(readTaskId(writeTaskId(wrong)!)).toBeUndefined()
})

describe('what a task says of itself', () => {
  const createdAt = '2027-03-01T10:00:00.000Z'
  const id = {
    of: 'x',
    isKeyed: false,
    free: false,
    request: '',
    paging: { maxBytes: 5_000, from: 0 },
    fields: undefined,
  }

  it.each([
    [{ done: 100, total: 250 }, '100 of 250 done.'],
    [{ done: 100, total: null }, '100 done.'],
    [undefined, 'The run goes on.'],
  ])('is how much is done: %j', async (progress, statusMessage) => {
    const view = { integration: 'work-board', step: 'get-boards', createdAt, durationMs: 3_000, progress }
    const fake = { runs: { outcome: async () => ({ view }) } } as unknown as Pack
    expect((await readTask(fake, caller, { ...id, isHeld: false }, 'deliver')).task).toEqual({
      status: 'working',
      statusMessage,
      createdAt,
      lastUpdatedAt: '2027-03-01T10:00:03.000Z',
      ttlMs: 4_200_000,
      pollIntervalMs: 2_000,
    })
  })

  it('is that it is being sent, once it was approved, without an address of a provider', async () => {
    const approval = { id: 'x', state: 'sending', expiresAt: createdAt, by: 'others' }
    const failure = { code: 'approval_pending', message: '', retryable: false, actor: 'user', approval }
    const fake = {
      approvals: {
        outcome: async () => ({ ok: false, failure, meta: { runId: 'x', durationMs: 0, attempts: 0 } }),
        get: async () => ({ title: 'Call https://board.test/1?key=k', createdAt, expiresAt: createdAt, endedAt: null }),
      },
    } as unknown as Pack
    const { task } = await readTask(fake, caller, { ...id, isHeld: true }, 'deliver')
    expect(task).toMatchObject({ status: 'working', pollIntervalMs: 2_000 })
    expect(task.statusMessage).toBe('Call … was approved and is being sent.')
  })
})
