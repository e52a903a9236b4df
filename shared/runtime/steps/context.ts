import type { RawContext } from '../catalogue/api-call-step.ts'
import { isPaid } from '../catalogue/path-price.ts'
import { callApi } from '../endpoints/api-call.ts'
import { lookupMany } from '../endpoints/bulk.ts'
import { askEndpoint, lookupOne } from '../endpoints/endpoints.ts'
import { bodyOf, exchangeChecked, shownReply, takeChecked } from '../gate/gate.ts'
import { openFile, saveReply, withFiles } from '../session/files.ts'
import type { Values } from '../endpoints/field-values.ts'
import { sendOfStep } from '../endpoints/pay-by-path.ts'
import { searchEndpoint } from '../endpoints/search.ts'
import type { OutgoingRequest } from '../gate/pass.ts'
import type { Session } from '../session/session.ts'
import { steadily } from '../session/steady.ts'
import { withoutSuppressed } from '../session/suppressed.ts'

const never = new AbortController().signal

const withAlong = (sets: Values[], along: Values | undefined): Values[] => (along === undefined ? sets : sets.map((set) => ({ ...set, ...along })))

const isMultipart = ({ loaded }: Session, { body, bodyAs }: OutgoingRequest) => body !== undefined && (bodyAs ?? loaded.loaded.wire.body) === 'multipart'

/** Not async: most requests have no files, and another promise would cost each of them a turn. */
const withBodyFiles = <T>(session: Session, request: OutgoingRequest, send: (complete: OutgoingRequest) => Promise<T>): Promise<T> =>
  isMultipart(session, request) ? withFiles(session, request).then(send) : send(request)

/** What a handler sees. No secret, header, URL or store can be reached from it. */
export const createContext = (session: Session): RawContext => {
  const context = withoutSuppressed(contextOf(session), session)
  return session.loaded.step.resumes && !session.dry ? steadily(context, session) : context
}

/** A request by its path to a provider that charges. */
const sendPaying = (session: Session, request: OutgoingRequest) => sendOfStep(session, request, (paying) => exchangeChecked(paying, request))

const contextOf = (session: Session): RawContext => ({
  send: (request) =>
    withBodyFiles(session, request, (complete) =>
      isPaid(session.loaded.loaded) ? sendPaying(session, complete).then(bodyOf) : takeChecked(session, complete, bodyOf),
    ),
  exchange: (request) =>
    withBodyFiles(session, request, (complete) =>
      isPaid(session.loaded.loaded) ? sendPaying(session, complete).then(shownReply) : takeChecked(session, complete, shownReply),
    ),
  file: (ref) => openFile(session, ref),
  save: (request, { name } = {}) => saveReply(session, request, name),
  ask: (endpoint, values) => askEndpoint(session, endpoint, values),
  lookup: (endpoint, sets, along = {}) => lookupOne(session, endpoint, withAlong(sets, along), Object.keys(along)),
  lookupMany: (endpoint, records, along = []) =>
    lookupMany(
      session,
      endpoint,
      records.map((sets, index) => withAlong(sets, along[index])),
      [...new Set(along.flatMap((values) => Object.keys(values)))],
    ),
  search: (endpoint, values, page) => searchEndpoint(session, endpoint, values, page),
  call: (request) => callApi(session, request),
  signal: session.signal ?? never,
  now: () => session.clock.now(),
  progress: (done, total) => session.progress?.(done, total),
})
