import { fail, isFailure, isInvalidInput } from '#kit'
import type { Failure } from '#kit'
import type { Reply } from '../../wire/types.ts'
import type { RawContext } from '../catalogue/api-call-step.ts'
import { checkCall } from '../catalogue/check-call.ts'
import type { ApiRequest, CallCheck } from '../catalogue/check-call.ts'
import { tableOf } from '../catalogue/operation-table.ts'
import { operationsOf } from '../catalogue/operations.ts'
import { exchange, exchangeChecked, previewOf } from '../gate/gate.ts'
import type { OutgoingRequest } from '../gate/pass.ts'
import type { Session } from '../session/session.ts'

/**
 * Why a request may not be sent, by policy or for lack of settings; undefined when nothing prevents it. Invalid input
 * does not count.
 */
const refusalOf = (session: Session, request: ApiRequest): Failure | undefined => {
  try {
    previewOf(session, { ...request, api: true })
    return undefined
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    return isInvalidInput(thrown) ? undefined : thrown
  }
}

const check = async (session: Session, request: ApiRequest, isStrict: boolean): Promise<CallCheck> => {
  const checked = checkCall(tableOf(await operationsOf(session.loaded.loaded)), session.opened.apiPolicy, request)
  // What the policy refuses is reported for that reason: the request goes on unchanged, and is refused and recorded
  // with all others.
  if (checked.errors.length === 0 || !isStrict || refusalOf(session, checked.mended)) return checked
  const { errors } = checked
  throw fail(
    'invalid_input',
    `${errors.map(({ message }) => message).join(' ')} Nothing was sent. With "strict": false a request goes out as it is.`,
    {
      errors,
    },
  )
}

type ApiCall = Parameters<RawContext['call']>[0]

/** The request that a caller wrote. A request to a known endpoint is checked, and the caller told what was noticed. */
export const checkedCall = async (
  session: Session,
  { throwOnError: _, strict, ...request }: ApiCall,
): Promise<OutgoingRequest> => {
  const { warnings, isListed } = await check(session, request, strict)
  session.notes = { ...(strict && warnings.length > 0 ? { warnings } : {}), ...(isListed ? {} : { unlisted: true }) }
  return { ...request, api: true }
}

/** One exchange of the generic step. */
export const callApi = async (session: Session, call: ApiCall): Promise<Reply> =>
  (call.throwOnError ? exchangeChecked : exchange)(session, await checkedCall(session, call))
