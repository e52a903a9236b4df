import { fail, toFailureJson } from '#kit'
import type { FailureJson } from '#kit'
import { endOf } from '../admin/tokens.ts'
import { rules } from '../../api/rules.ts'
import { mayCall, mayUseStepOf } from '../bounds.ts'
import { presentCaller } from '../admin/present-caller.ts'
import { isForPerson } from '../people/act-for.ts'
import type { BulkJob, Caller } from '../ports/index.ts'
import { callerOf } from './parts.ts'
import type { JobParts } from './parts.ts'

type JobRightsDependencies = Pick<JobParts, 'registry' | 'store' | 'clock'>

/**
 * Whether the token may use the job's step and connection, and the job is for its person: such jobs are visible, whoever
 * created them, and no others.
 */
export const isVisible = ({ registry }: Pick<JobParts, 'registry'>, caller: Caller, job: BulkJob): boolean =>
  isForPerson(caller, job.caller) &&
  (caller.connections?.includes(job.order.connection) ?? true) &&
  mayUseStepOf(registry, caller, job.order)

const remedy =
  'No further row is sent. Resume it with a token that may run its step: the job then goes on as that one, and no row is paid twice.'

/**
 * Why no row may be sent as the job's caller: its token has ended, or is bound differently by now. Read from the store
 * each time, since another process may have changed the token.
 */
export const stopOf = async (parts: JobRightsDependencies, job: BulkJob): Promise<FailureJson | undefined> => {
  const { store, clock } = parts
  const { tenant, token, expiresAt = null } = callerOf(job)
  const now = clock.now()
  const present = token === undefined ? undefined : await presentCaller(store, tenant, token, now)
  const end = present ? 'end' in present && present.end : endOf({ revokedAt: null, expiresAt }, now)
  const stop = (why: string) => toFailureJson(fail('not_allowed', `${why} ${remedy}`))
  if (end) return stop(end === 'expired' ? 'The token of this job has expired.' : 'The token of this job was revoked.')
  if (present && 'caller' in present) {
    const { caller } = present
    if (!mayCall(caller, rules.runStep) || !isVisible(parts, caller, job))
      return stop('The token of this job may no longer run its step.')
  }
  return undefined
}
