import type { RawContext } from '../catalogue/api-call-step.ts'
import { isPaid } from '../catalogue/path-price.ts'
import type { Wire } from '../../wire/types.ts'
import type { Clock } from '../ports/index.ts'
import { callApi } from '../endpoints/api-call.ts'
import { lookupMany } from '../endpoints/bulk.ts'
import { askEndpoint, lookupOne } from '../endpoints/endpoints.ts'
import { exchangeChecked, exchangeShown, sendChecked, shownReply } from '../session/exchange.ts'
import { openFile, saveReply, withFiles } from '../session/files.ts'
import type { Values } from '../endpoints/field-values.ts'
import { sendOfStep } from '../endpoints/pay-by-path.ts'
import { searchEndpoint } from '../endpoints/search.ts'
import type { Session, SessionRequest } from '../session/session.ts'
import { steadily } from '../session/steady.ts'
import { withoutSuppressed } from '../session/suppressed.ts'

const never = new AbortController().signal

const withAlong = (sets: Values[], along: Values | undefined): Values[] => (along === undefined ? sets : sets.map((set) => ({ ...set, ...along })))

const isMultipart = ({ loaded }: Session, { body, bodyAs }: SessionRequest) => body !== undefined && (bodyAs ?? loaded.loaded.wire.body) === 'multipart'

/** Not async: most requests have no files, and another promise would cost each of them a turn. */
const withBodyFiles = <T>(session: Session, request: SessionRequest, send: (complete: SessionRequest) => Promise<T>): Promise<T> =>
  isMultipart(session, request) ? withFiles(session, request).then(send) : send(request)

/** What a handler sees. No secret, header, URL or store can be reached from it. */
export const createContext = (wire: Wire, clock: Clock, session: Session): RawContext => {
  const context = withoutSuppressed(contextOf(wire, clock, session), session)
  return session.loaded.step.resumes && !session.dry ? steadily(context, clock, session) : context
}

/** A request by its path to a provider that charges. */
const sendPaying = (wire: Wire, session: Session, request: SessionRequest) => sendOfStep(session, request, (paying) => exchangeChecked(wire, paying, request))

const contextOf = (wire: Wire, clock: Clock, session: Session): RawContext => ({
  send: (request) =>
    withBodyFiles(session, request, (complete) =>
      isPaid(session.loaded.loaded) ? sendPaying(wire, session, complete).then(({ body }) => body) : sendChecked(wire, session, complete),
    ),
  exchange: (request) =>
    withBodyFiles(session, request, (complete) =>
      isPaid(session.loaded.loaded) ? sendPaying(wire, session, complete).then(shownReply) : exchangeShown(wire, session, complete),
    ),
  file: (ref) => openFile(session, ref),
  save: (request, { name } = {}) => saveReply(wire, session, request, name),
  ask: (endpoint, values) => askEndpoint(wire, clock, session, endpoint, values),
  lookup: (endpoint, sets, along = {}) => lookupOne(wire, clock, session, endpoint, withAlong(sets, along), Object.keys(along)),
  lookupMany: (endpoint, records, along = []) =>
    lookupMany(
      wire,
      clock,
      session,
      endpoint,
      records.map((sets, index) => withAlong(sets, along[index])),
      [...new Set(along.flatMap((values) => Object.keys(values)))],
    ),
  search: (endpoint, values, page) => searchEndpoint(wire, clock, session, endpoint, values, page),
  call: (request) => callApi(wire, session, request),
  signal: session.signal ?? never,
  now: () => clock.now(),
  progress: (done, total) => session.progress?.(done, total),
})
