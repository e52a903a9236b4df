import { describe, expect, it } from 'vitest'
import { endsBatch, fail, failures, freesKey, isAbsent, isHidden, mayHaveHappened, mayPassLater, showFailure, toFailureJson, wasNeverSent } from '#kit'
import type { FailureCode } from '#kit'

const codesFor = (question: (thrown: unknown) => boolean) => (Object.keys(failures) as FailureCode[]).filter((code) => question(fail(code, 'Why.')))

describe('questions about a failure', () => {
  it.each([
    [wasNeverSent, ['invalid_input', 'unauthenticated', 'bad_signature', 'budget_exceeded', 'not_allowed', 'cancelled', 'wire_unset', 'unavailable']],
    [mayHaveHappened, ['outcome_unknown']],
    [isHidden, ['not_found', 'access_denied']],
    [mayPassLater, ['rate_limited', 'provider_failed', 'unavailable', 'unreachable']],
    [freesKey, ['invalid_input', 'budget_exceeded', 'not_allowed', 'not_connected', 'rate_limited', 'cancelled', 'wire_unset', 'unavailable', 'unreachable']],
    [
      endsBatch,
      ['unauthenticated', 'budget_exceeded', 'not_allowed', 'not_connected', 'access_denied', 'credits_exhausted', 'rate_limited', 'cancelled', 'unavailable'],
    ],
  ])('%o', (question, codes) => {
    expect(codesFor(question)).toEqual(codes)
  })

  it('are answered for what is shown as for what was thrown, and with no for anything else', () => {
    expect(isAbsent(toFailureJson(fail('not_found', 'No.')))).toBe(true)
    for (const other of [undefined, null, 'not_found', new Error('not_found'), Object.assign(new Error('x'), { code: 'not_found' }), { code: 'ENOENT' }])
      expect(isAbsent(other)).toBe(false)
  })

  it('are answered beforehand where a failure is shown', () => {
    expect(showFailure(toFailureJson(fail('outcome_unknown', 'Lost.')))).toMatchObject({ about: 'record', mayHaveHappened: true })
    expect(showFailure(toFailureJson(fail('unreachable', 'Away.')))).not.toHaveProperty('mayHaveHappened')
    expect(showFailure(toFailureJson(fail('conflict', 'Twice.', { mayHaveHappened: true })))).toMatchObject({ mayHaveHappened: true })
  })
})
