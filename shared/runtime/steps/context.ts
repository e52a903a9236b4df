import type { Reply } from '../../wire/types.ts'
import type { RawContext } from '../catalogue/api-call-step.ts'
import { callApi } from '../endpoints/api-call.ts'
import { lookupMany } from '../endpoints/bulk.ts'
import { askEndpoint, lookupOne } from '../endpoints/endpoints.ts'
import { bodyOf, shownReply, takeReply } from '../gate/gate.ts'
import { takesFiles, openFile, readPdf, readRows, saveReply, withFiles } from '../session/files.ts'
import type { Values } from '../endpoints/field-values.ts'
import { searchEndpoint } from '../endpoints/search.ts'
import type { OutgoingRequest } from '../gate/pass.ts'
import type { Session } from '../session/session.ts'
import { atEvenPace } from '../session/even-pace.ts'
import { withoutSuppressed } from '../session/suppression.ts'

const never = new AbortController().signal

/** Adds the values that identify nobody to each set of identifiers. */
export const withAlong = (sets: Values[], along: Values | undefined): Values[] =>
  along === undefined ? sets : sets.map((set) => ({ ...set, ...along }))

/** Not async: most requests have no files, and an additional promise would cost each a turn of the event loop. */
const takeSent = <T>(session: Session, request: OutgoingRequest, take: (reply: Reply) => T): Promise<T> =>
  takesFiles(session, request)
    ? withFiles(session, request).then((complete) => takeReply(session, complete, take))
    : takeReply(session, request, take)

/** The context that a handler gets. It gives access to no secret, header, URL or store. */
export const createContext = (session: Session): RawContext => {
  const open: RawContext = {
    send: (request) => takeSent(session, request, bodyOf),
    exchange: (request) => takeSent(session, request, shownReply),
    pdf: (request, { field }) => readPdf(session, request, field),
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
    charged: () => session.used.credits,
    call: (request) => callApi(session, request),
    file: (ref) => openFile(session, ref),
    rows: (ref, options) => readRows(session, ref, options),
    signal: session.signal ?? never,
    now: () => session.clock.now(),
    progress: (done, total) => session.progress?.(done, total),
  }
  const context = session.privacy ? withoutSuppressed(open, session.privacy, session) : open
  return session.loaded.step.resumes ? atEvenPace(context, session) : context
}
