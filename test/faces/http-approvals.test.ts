import { beforeEach, describe, expect, it } from 'vitest'
import { heldId, heldRun, heldStep, holdRuns } from '../support/held-runs.ts'
import { openHttpWorld } from '../support/http-world.ts'

const held = holdRuns()
const face = await openHttpWorld({ change: held.change })
beforeEach(held.reset)

const { ask } = face
const at = `/v1/approvals/${heldId}`

describe('a held run over HTTP', () => {
  it('is a problem that says where it is decided', async () => {
    const { status, json } = await ask(`/v1/steps/work-board/${heldStep}/run`, {
      body: { input: { idBoard: 'f'.repeat(24), name: 'Press' } },
    })
    expect([status, json]).toMatchObject([
      424,
      { code: 'approval_pending', retryable: false, actor: 'operator', approval: heldRun(), runId: 'run_held' },
    ])
  })

  it('is listed, shown, and decided', async () => {
    const { json } = await ask('/v1/approvals?state=open&limit=5')
    expect(json.items).toMatchObject([{ id: heldId, state: 'open' }])
    expect(held.calls).toEqual([['list', { limit: 5, cursor: undefined }, { state: 'open' }]])
    expect((await ask(at)).json).toMatchObject({ id: heldId, complete: false, input: { name: 'Press' } })
    expect((await ask(`${at}/approve`, { body: { maxCredits: 2 } })).json).toMatchObject({ state: 'approved' })
    expect((await ask(`${at}/deny`, { body: { reason: 'No' } })).json).toMatchObject({ state: 'denied', reason: 'No' })
    expect(held.calls.slice(1)).toEqual([
      ['approve', heldId, { maxCredits: 2 }],
      ['deny', heldId, { reason: 'No' }],
    ])
  })

  it('is not decided by reading it', async () => {
    for (const method of ['GET', 'HEAD'] as const) await ask(at, { method })
    expect(held.calls).toEqual([])
  })

  it('is absent by another id, and refuses what is no decision', async () => {
    expect((await ask('/v1/approvals/apr_other')).json.code).toBe('not_found')
    expect((await ask(`${at}/approve`, { body: { maxCredits: -1 } })).json.code).toBe('invalid_input')
    expect((await ask('/v1/approvals?state=lost')).json.code).toBe('invalid_input')
  })
})

it('rules are made, changed and deleted', async () => {
  const created = await ask('/v1/approval-rules', { body: { when: { effects: ['delete'] }, by: 'caller' } })
  expect([created.status, created.json]).toMatchObject([201, { when: { effects: ['delete'] }, source: 'workspace' }])
  expect((await ask('/v1/approval-rules')).json.items).toMatchObject([{ id: 'rule_1' }])
  expect((await ask('/v1/approval-rules/rule_2')).json).toMatchObject({ id: 'rule_2' })
  await ask('/v1/approval-rules/rule_2', { method: 'PATCH', body: { name: null } })
  expect((await ask('/v1/approval-rules/rule_2', { method: 'DELETE' })).status).toBe(204)
  expect(held.calls).toEqual([
    ['create', { when: { effects: ['delete'] }, by: 'caller', expiresMinutes: 1440 }],
    ['patch', 'rule_2', { name: null }],
    ['remove', 'rule_2'],
  ])
})
