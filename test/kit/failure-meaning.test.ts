import { describe, expect, it } from 'vitest'
import {
  endsBatch,
  endsChanges,
  fail,
  failures,
  freesKey,
  isAboutRecord,
  isAbsent,
  isAgainstNamed,
  isDenied,
  isHeld,
  isHidden,
  isNoAnswer,
  isOfOneRun,
  isOutcomeUnknown,
  isRefusedForRecord,
  isRefusedToCaller,
  lacksAccess,
  leavesUntried,
  mayPassLater,
  showFailure,
  stopsPlanning,
  toFailureJson,
  wasNeverSent,
  wasUnderstood,
} from '#kit'
import type { FailureCode } from '#kit'

const codesFor = (question: (thrown: unknown) => boolean) =>
  (Object.keys(failures) as FailureCode[]).filter((code) => question(fail(code, 'Why.')))

describe('questions about a failure', () => {
  const columns = {
    wasNeverSent: [
      'invalid_input',
      'unauthenticated',
      'bad_signature',
      'budget_exceeded',
      'not_allowed',
      'approval_denied',
      'approval_expired',
      'approval_pending',
      'cancelled',
      'wire_unset',
    ],
    isOutcomeUnknown: ['outcome_unknown'],
    freesKey: [
      'invalid_input',
      'budget_exceeded',
      'not_allowed',
      'approval_expired',
      'not_connected',
      'approval_pending',
      'rate_limited',
      'cancelled',
      'wire_unset',
      'unavailable',
      'unreachable',
    ],
    mayPassLater: ['rate_limited', 'provider_failed', 'unavailable', 'unreachable'],
    isNoAnswer: ['rate_limited', 'provider_failed', 'bad_reply', 'unavailable', 'unreachable'],
    isOfOneRun: [
      'unauthenticated',
      'budget_exceeded',
      'not_allowed',
      'approval_denied',
      'approval_expired',
      'approval_pending',
      'rate_limited',
      'cancelled',
      'unreachable',
    ],
    isAboutRecord: ['invalid_input', 'bad_signature', 'not_found', 'conflict', 'too_large', 'rejected', 'suppressed'],
    endsBatch: [
      'unauthenticated',
      'budget_exceeded',
      'not_allowed',
      'not_connected',
      'access_denied',
      'credits_exhausted',
      'rate_limited',
      'cancelled',
      'unavailable',
    ],
    stopsPlanning: [
      'unauthenticated',
      'budget_exceeded',
      'not_allowed',
      'approval_denied',
      'approval_expired',
      'not_connected',
      'access_denied',
      'credits_exhausted',
      'approval_pending',
      'rate_limited',
      'cancelled',
      'unavailable',
      'unreachable',
    ],
    endsChanges: [
      'budget_exceeded',
      'approval_expired',
      'not_connected',
      'approval_pending',
      'rate_limited',
      'cancelled',
      'unavailable',
      'unreachable',
    ],
    isAgainstNamed: ['not_allowed', 'not_found', 'rejected', 'access_denied'],
    leavesUntried: ['unauthenticated', 'budget_exceeded', 'rate_limited', 'cancelled'],
    wasUnderstood: ['credits_exhausted', 'suppressed'],
    isRefusedToCaller: ['not_allowed', 'not_found'],
    isHidden: ['not_found', 'access_denied'],
    lacksAccess: ['unauthenticated', 'not_allowed'],
    isRefusedForRecord: ['rejected', 'suppressed'],
    isHeld: ['approval_pending'],
    isDenied: ['approval_denied'],
  } as const
  const byName = {
    wasNeverSent,
    isOutcomeUnknown,
    freesKey,
    mayPassLater,
    isNoAnswer,
    isOfOneRun,
    isAboutRecord,
    endsBatch,
    stopsPlanning,
    endsChanges,
    isAgainstNamed,
    leavesUntried,
    wasUnderstood,
    isRefusedToCaller,
    isHidden,
    lacksAccess,
    isRefusedForRecord,
    isHeld,
    isDenied,
  }
  it.each(Object.entries(columns))('%s', (name, codes) => {
    expect(codesFor(byName[name as keyof typeof columns])).toEqual(codes)
  })

  it('are answered for what is shown as for what was thrown, and with no for anything else', () => {
    expect(isAbsent(toFailureJson(fail('not_found', 'No.')))).toBe(true)
    for (const other of [
      undefined,
      null,
      'not_found',
      new Error('not_found'),
      Object.assign(new Error('x'), { code: 'not_found' }),
      { code: 'ENOENT' },
    ])
      expect(isAbsent(other)).toBe(false)
  })

  it('are answered beforehand where a failure is shown', () => {
    expect(toFailureJson(fail('outcome_unknown', 'Lost.'))).toMatchObject({ mayHaveHappened: true })
    expect(showFailure(toFailureJson(fail('outcome_unknown', 'Lost.')))).toMatchObject({
      about: 'provider',
      mayHaveHappened: true,
    })
    expect(showFailure(toFailureJson(fail('unreachable', 'Away.')))).not.toHaveProperty('mayHaveHappened')
    expect(showFailure(toFailureJson(fail('conflict', 'Twice.', { mayHaveHappened: true })))).toMatchObject({
      mayHaveHappened: true,
    })
  })
})
