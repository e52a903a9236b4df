import type { RawContext } from '../catalogue/api-call-step.ts'
import type { Wire } from '../../wire/types.ts'
import type { Clock } from '../ports/index.ts'
import { lookupMany } from './bulk.ts'
import { askEndpoint, lookupOne } from './endpoints.ts'
import { exchange, exchangeChecked, exchangeShown, sendChecked } from './exchange.ts'
import { searchEndpoint } from './search.ts'
import type { Session } from './session.ts'

const never = new AbortController().signal

/** What a handler sees. No secret, header, URL or store can be reached from it. */
export const createContext = (wire: Wire, clock: Clock, session: Session): RawContext => ({
  send: (request) => sendChecked(wire, session, request),
  exchange: (request) => exchangeShown(wire, session, request),
  ask: (endpoint, values) => askEndpoint(wire, clock, session, endpoint, values),
  lookup: (endpoint, sets) => lookupOne(wire, clock, session, endpoint, sets),
  lookupMany: (endpoint, records) => lookupMany(wire, clock, session, endpoint, records),
  search: (endpoint, values, page) => searchEndpoint(wire, clock, session, endpoint, values, page),
  call: ({ throwOnError, ...request }) => (throwOnError ? exchangeChecked : exchange)(wire, session, { ...request, api: true }),
  signal: session.signal ?? never,
  now: () => clock.now(),
  progress: (done, total) => session.progress?.(done, total),
})
