import { fail, isBelievable, isFailure, isInvalidInput } from '#kit'
import type { ApiOperation, Failure } from '#kit'
import type { Reply } from '../../wire/types.ts'
import type { RawContext } from '../catalogue/api-call-step.ts'
import { checkCall } from '../catalogue/check-call.ts'
import { bounded } from '../catalogue/unbounded.ts'
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

/**
 * A request to a documented endpoint, in which what the provider may charge anything for is off unless the caller names
 * it, as in the steps that use the endpoint.
 */
const withBounds = ({ loaded }: Session, request: ApiRequest, operation: ApiOperation): ApiRequest => {
  const endpoints = Object.values(loaded.loaded.wire.endpoints ?? {})
  const endpoint = endpoints.find(
    ({ unbounded, path, bulk }) => unbounded !== undefined && [path, bulk?.path].includes(operation.path),
  )
  return endpoint ? { ...request, body: bounded(endpoint, request) } : request
}

/** The request that a caller wrote. A request to a known endpoint is checked, and the caller told what was noticed. */
export const checkedCall = async (
  session: Session,
  { throwOnError: _, strict, ...request }: ApiCall,
): Promise<OutgoingRequest> => {
  const { warnings, operation } = await check(session, request, strict)
  session.notes = { ...(strict && warnings.length > 0 ? { warnings } : {}), ...(operation ? {} : { unlisted: true }) }
  const sent = strict && operation ? withBounds(session, request, operation) : request
  const isDeclared = operation?.effect !== undefined && isBelievable(operation.method, operation)
  return {
    ...sent,
    api: true,
    ...(isDeclared ? { effect: operation.effect, effectSource: operation.effectSource } : {}),
  }
}

/** One exchange of the generic step. */
export const callApi = async (session: Session, call: ApiCall): Promise<Reply> =>
  (call.throwOnError ? exchangeChecked : exchange)(session, await checkedCall(session, call))
