import { beforeEach, describe, expect, it } from 'vitest'
import { fail, toFailureJson } from '#kit'
import type { FailureCode, Outcome } from '#kit'
import { createEnds } from '../../shared/runtime/approvals/ends.ts'
import { createPermits, shownHash } from '../../shared/runtime/approvals/permits.ts'
import { createSend } from '../../shared/runtime/approvals/send.ts'
import type { Sender } from '../../shared/runtime/approvals/senders.ts'
import { createApprovalSeal } from '../../shared/runtime/approvals/store-approval.ts'
import type { HeldContent } from '../../shared/runtime/approvals/store-approval.ts'
import { createMemoryStore, createVault } from '../../shared/store/index.ts'
import { approval } from '../store/make-approvals.ts'
import { fakeClock } from '../support/clock.ts'

/** What becomes of an attempt to send, by what the provider said and how far it came. */
const request = { method: 'POST', url: 'https://board.test/1/cards', body: { name: 'A' } }
const other = { ...request, body: { name: 'B' } }
const content: HeldContent = {
  caller: {},
  call: {},
  title: 'Create Card',
  input: {},
  requests: [request],
  shown: [shownHash(request)],
  complete: true,
  credits: null,
  state: 's',
  version: 1,
  connection: 'print',
}

const store = createMemoryStore()
const clock = fakeClock()
const seal = createApprovalSeal(createVault({ masterKey: Buffer.alloc(32, 1), keyId: 'k' }))
const permits = createPermits()
let number = 0
let work: Sender['send']
const sender: Sender = { send: (approved) => work(approved), fingerprint: async () => 'print' }
const senders = { step: sender, lookup: sender, job: sender }
const ends = createEnds({ store, seal, ended: async () => {}, clock, linkTo: () => undefined })
const send = createSend({ store, seal, permits, senders, ends, clock, newRunId: () => `run-${number}` })

const failed = (code: FailureCode, attempts = 1): Outcome => ({
  ok: false,
  failure: toFailureJson(fail(code, 'No.')),
  meta: { runId: `run-${number}`, durationMs: 1, attempts },
})

const add = async () => {
  number += 1
  const row = approval('t', `a${number}`, {
    state: 'approved',
    token: null,
    attempt: null,
    runId: null,
    code: null,
    decidedAt: clock.now(),
    expiresAt: clock.now() + 3_600_000,
    nextAt: clock.now(),
  })
  await store.approvals.add({ ...row, secrets: seal.seal(row, content) }, 1_000)
  return (await store.approvals.get('t', row.id))!
}
const after = async (attempt: Sender['send']) => {
  const row = await add()
  work = attempt
  await send(row)
  return (await store.approvals.get('t', row.id))!
}

beforeEach(() => clock.advance(1_000))

describe('an attempt', () => {
  it('that the provider did not take is put back, and tried again', async () => {
    const row = await after(async ({ permit }) => {
      permit.check(request)
      await permit.sending()
      permit.failed(fail('rate_limited', 'Too many.'))
      return failed('rate_limited')
    })
    expect(row).toMatchObject({ state: 'approved', attempt: null, endedAt: null })
    expect(row.nextAt).toBeGreaterThan(clock.now())
  })

  it('after whose first request another was not taken has ended', async () => {
    const row = await after(async ({ permit }) => {
      permit.check(request)
      await permit.sending()
      permit.check(other)
      permit.failed(fail('rate_limited', 'Too many.'))
      return failed('rate_limited')
    })
    expect(row).toMatchObject({ state: 'done', code: 'rate_limited' })
  })

  it('that was answered has ended, whatever our own store says afterwards', async () => {
    const row = await after(async ({ permit }) => {
      permit.check(request)
      await permit.sending()
      return failed('unavailable')
    })
    expect(row).toMatchObject({ state: 'done', code: 'unavailable' })
  })

  it.each(['outcome_unknown', 'provider_failed', 'rejected'] as const)('that ended with %s has ended', async (code) => {
    const row = await after(async ({ permit }) => {
      permit.check(request)
      await permit.sending()
      return failed(code)
    })
    expect(row).toMatchObject({ state: 'done', code })
  })

  it('whose first request is another than was shown sends nothing, and is planned again', async () => {
    let isRefused = false
    const row = await after(async ({ permit }) => {
      try {
        permit.check(other)
      } catch {
        isRefused = true
      }
      return failed('approval_pending', 0)
    })
    expect(isRefused).toBe(true)
    expect(row).toMatchObject({ state: 'approved', attempt: null })
  })

  it('cannot send what another attempt has taken, or what was erased', async () => {
    const row = await after(async ({ id, permit }) => {
      const present = (await store.approvals.get('t', id))!
      await store.approvals.change(present, { attempt: 'another' })
      await expect(permit.sending()).rejects.toMatchObject({ code: 'conflict' })
      return failed('unavailable', 0)
    })
    expect(row).toMatchObject({ state: 'approved', attempt: 'another', endedAt: null })
  })

  it('keeps the outcome until the store takes it', async () => {
    const { change } = store.approvals
    let refusals = 3
    const row = await after(async ({ permit }) => {
      permit.check(request)
      await permit.sending()
      store.approvals.change = async (...parameters) => {
        if ((refusals -= 1) >= 0) throw fail('unavailable', 'The disk is full.')
        return change(...parameters)
      }
      return { ok: true, value: { id: 'card' }, meta: { runId: 'r', durationMs: 1, attempts: 1 } }
    }).finally(() => void (store.approvals.change = change))
    expect(row).toMatchObject({ state: 'done', code: null })
    expect(seal.open(row).outcome).toMatchObject({ ok: true, value: { id: 'card' } })
  })
})
