import { hashRequest } from '../../idempotency.ts'
import type { RawContext } from '../../catalogue/api-call-step.ts'
import { checkedCall } from '../../endpoints/api-call.ts'
import { effectOfRequest } from '../../gate/gate.ts'
import type { OutgoingRequest } from '../../gate/pass.ts'
import { takesFiles, requireStorable, withFiles } from '../../session/files.ts'
import { withoutSuppressed } from '../../session/suppression.ts'
import { createContext, withAlong } from '../context.ts'
import { DryRunEnd, endWith } from './dry-run.ts'
import type { Recording } from './dry-run.ts'
import { recordAsk, recordLookup, recordLookups, recordSearch } from './endpoints.ts'

/** Remembers what a read found: what would be sent may depend on it. */
const noteRead = async <T>(
  recording: Recording,
  { path, query, body }: OutgoingRequest,
  reading: Promise<T>,
): Promise<T> => {
  const reply = await reading
  recording.reads.push(hashRequest([path, query ?? null, ...(body === undefined ? [] : [body]), reply]))
  return reply
}

/**
 * One after another, and none after the one that ends the handler: a handler that works on several things at once then
 * always shows the same.
 */
const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    last = next.catch((thrown: unknown) => {
      if (thrown instanceof DryRunEnd) throw thrown
    })
    last.catch(() => undefined)
    return next
  }
}

/** A context that records requests instead of sending them, and ends the handler at the first reply it would need. */
export const createDryContext = (recording: Recording): RawContext => {
  const { session } = recording
  // These send nothing.
  const { file, rows, signal, now, progress, charged, send: sendNow, exchange: exchangeNow } = createContext(session)
  // Where requests may cost something, which of them are free is the endpoints' to say.
  const isSent = (request: OutgoingRequest) =>
    recording.sendsReads &&
    session.loaded.loaded.wire.endpoints === undefined &&
    effectOfRequest(session, request) === 'read'
  const inTurn = recording.sendsReads ? createTurns() : <T>(work: () => Promise<T>) => work()
  const end = async (request: OutgoingRequest) =>
    endWith(recording, takesFiles(session, request) ? await withFiles(session, request) : request)
  const open: RawContext = {
    file,
    rows,
    signal,
    now,
    progress,
    charged,
    send: (request) => inTurn(() => (isSent(request) ? noteRead(recording, request, sendNow(request)) : end(request))),
    exchange: (request) =>
      inTurn(() => (isSent(request) ? noteRead(recording, request, exchangeNow(request)) : end(request))),
    async save(request) {
      requireStorable(session, request)
      return endWith(recording, request)
    },
    async pdf(request) {
      requireStorable(session, request)
      return endWith(recording, request)
    },
    ask: (endpoint, values) => recordAsk(recording, endpoint, values),
    lookup: (endpoint, sets, along) => recordLookup(recording, endpoint, withAlong(sets, along)),
    lookupMany: (endpoint, records, along) =>
      recordLookups(
        recording,
        endpoint,
        records.map((sets, index) => withAlong(sets, along?.[index])),
      ),
    search: (endpoint, values, page) => recordSearch(recording, endpoint, values, page),
    call: async (request) => endWith(recording, await checkedCall(session, request)),
  }
  return session.privacy ? withoutSuppressed(open, session.privacy, session) : open
}
