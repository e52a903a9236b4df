import Pool from 'undici/lib/dispatcher/pool.js'
import type { buildConnector, Dispatcher } from 'undici'
import type { Egress, Place } from '../guard/egress.ts'
import type { SignedRequest } from './authorize.ts'
import { proxyConnector } from '../guard/proxy.ts'
import { createBody, createJoinBody } from './take-body.ts'
import type { JoinBody, OpenSink } from './take-body.ts'
import type { BrokenKind, RawReply, SendResult } from './raw-reply.ts'
import type { StreamedBody } from '../types.ts'

export type TransportPool = InstanceType<typeof Pool>

export type Limits = { headersMs: number; bodyMs: number; totalMs: number; maxBytes: number }

const maxInterim = 10
/** Pools of origins that come and go; there are more only while all of them are in use. */
const maxPassing = 64

const kinds: Record<string, BrokenKind> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
  ENOTFOUND: 'no_name',
  ENODATA: 'no_name',
  EAI_AGAIN: 'name',
  EAI_FAIL: 'name',
  ESERVFAIL: 'name',
  ETIMEOUT: 'name',
  EGRESS_BLOCKED: 'blocked',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'cut',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
  UND_ERR_INVALID_ARG: 'protocol',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_CLOSED: 'closed',
}

const kindOf = (error: unknown): BrokenKind => {
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  const inner = error instanceof AggregateError ? error.errors[0] : undefined
  const kind = kinds[code] ?? (inner === undefined ? undefined : kinds[String((inner as { code?: unknown }).code)])
  if (kind) return kind
  if (code.startsWith('HPE_')) return 'protocol'
  // OpenSSL names its reasons ERR_SSL_…, ERR_TLS_…, CERT_…, or in plain words such as DEPTH_ZERO_SELF_SIGNED_CERT.
  if (/^(ERR_SSL|ERR_TLS|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/.test(code)) return 'tls'
  return 'cut'
}

const createPool = (place: Place, egress: Egress, connectMs: number) => {
  const { proxy } = egress
  return new Pool(place.origin, {
    // Unlimited, because the rate limiter bounds the calls: a bound here would let one tenant's calls wait for
    // another's.
    connections: null,
    // One request per connection at a time, so that the outcome of each can be determined.
    allowH2: false,
    pipelining: 1,
    connect:
      proxy === undefined
        ? { timeout: connectMs, lookup: egress.lookupFor(place) }
        : (proxyConnector(proxy, egress, place, connectMs) as unknown as buildConnector.connector),
  })
}

/**
 * The time limits of an exchange. Times are `performance.now()`; `idleAt`: when the provider has been silent for too
 * long.
 */
type Watched = {
  endsAt: number
  idleAt: number
  end: (kind: BrokenKind) => void
  silence: BrokenKind
  /** Index in the array of all entries. */
  at: number
}

/**
 * Ends exchanges that take too long. One timer serves them all, set for the earliest end known at the time: a call that
 * is answered in time neither sets nor clears one. (The client's own timeouts are exact to half a second only, and new
 * for every request.)
 */
const createWatch = () => {
  // An array and not a set: a set whose entries come and go leaves old tables behind, which keep half of all exchanges
  // alive until the next full collection.
  const watched: Watched[] = []
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Infinity

  const wakeAt = (at: number) => {
    if (at >= wakesAt) return
    clearTimeout(timer)
    wakesAt = at
    // The check runs after the next reading of sockets: when this process was held up, the answer may already be there.
    timer = setTimeout(() => setImmediate(check), Math.max(1, Math.ceil(at - performance.now()))).unref()
  }
  const check = () => {
    const now = performance.now()
    wakesAt = Infinity
    let next = Infinity
    // Backwards: an ended entry leaves the array, and the last one takes its place.
    for (let at = watched.length - 1; at >= 0; at -= 1) {
      const entry = watched[at]!
      if (entry.endsAt <= now) entry.end('total_timeout')
      else if (entry.idleAt <= now) entry.end(entry.silence)
      else next = Math.min(next, entry.endsAt, entry.idleAt)
    }
    if (next !== Infinity) wakeAt(next)
  }
  return {
    add(entry: Watched) {
      entry.at = watched.push(entry) - 1
      wakeAt(entry.endsAt)
    },
    /** Gives the provider `ms` from `now` to send something. */
    expect(entry: Watched, silence: BrokenKind, ms: number, now: number) {
      entry.silence = silence
      entry.idleAt = now + ms
      wakeAt(entry.idleAt)
    },
    /** Must be called once per entry. */
    forget(entry: Watched) {
      const last = watched.pop()!
      if (last === entry) return
      watched[entry.at] = last
      last.at = entry.at
    },
    stop: () => clearTimeout(timer),
  }
}
type Watch = ReturnType<typeof createWatch>

/**
 * A streamed body, which is read anew for each attempt. `moved` is called for each of its chunks, since a long body
 * takes its time.
 */
const readAnew = (body: StreamedBody, moved: () => void) => {
  const pieces = body.open()
  return (async function* () {
    for await (const piece of pieces) {
      moved()
      yield piece
    }
  })() as unknown as Buffer
}

/** Sends one request; its watch ends what takes too long. */
const createSender =
  (watch: Watch, join: JoinBody) =>
  (
    pool: TransportPool,
    request: SignedRequest,
    limits: Limits,
    signal: AbortSignal | undefined,
    save?: OpenSink,
  ): Promise<SendResult> => {
    const { promise, resolve } = Promise.withResolvers<SendResult>()
    const { body: sentBody } = request
    let controller: Dispatcher.DispatchController | undefined
    let settled = false
    let status: number | undefined
    let headers: RawReply['headers'] = {}
    let interim = 0

    const settle = (sent: SendResult) => {
      if (settled) return
      settled = true
      watch.forget(entry)
      signal?.removeEventListener('abort', onAbort)
      resolve(sent)
    }
    /**
     * Ends the exchange from our side. Without a controller, the request still waits for a connection: it is dropped
     * before a byte is written.
     */
    const stop = (kind: BrokenKind, cause?: unknown) => {
      if (settled) return
      settle({ kind, sent: controller !== undefined, status, ...(cause === undefined ? {} : { cause }) })
      controller?.abort(new Error(kind))
    }
    const onAbort = () => stop('cancelled')
    const begun = performance.now()
    let isBeginning = true
    const entry: Watched = {
      endsAt: begun + limits.totalMs,
      idleAt: Infinity,
      silence: 'headers_timeout',
      end: stop,
      at: -1,
    }
    watch.add(entry)
    signal?.addEventListener('abort', onAbort, { once: true })
    const moved = () => void (entry.idleAt = performance.now() + limits.bodyMs)
    const complete = () => {
      entry.endsAt = entry.idleAt = Infinity
      signal?.removeEventListener('abort', onAbort)
    }
    const body = createBody(limits.maxBytes, save, { moved, complete, stop }, join)

    pool.dispatch(
      {
        method: request.method as Dispatcher.HttpMethod,
        path: request.target,
        headers: request.headers,
        body:
          typeof sentBody === 'object' && 'open' in sentBody
            ? readAnew(sentBody, () => void (entry.idleAt = performance.now() + limits.headersMs))
            : (sentBody ?? null),
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(requestController) {
          // A second start would be a second sending of the same bytes, which only our own retry rules may decide.
          if (settled || controller) return requestController.abort(new Error('stopped'))
          controller = requestController
          // With a free connection it starts before `dispatch` returns.
          watch.expect(entry, 'headers_timeout', limits.headersMs, isBeginning ? begun : performance.now())
        },
        onResponseStart(_, code, received) {
          if (code < 200) {
            interim += 1
            if (interim > maxInterim) stop('protocol')
            return
          }
          status = code
          headers = received
          watch.expect(entry, 'body_timeout', limits.bodyMs, performance.now())
          body.begin(code, received)
        },
        onResponseData(requestController, chunk) {
          moved()
          body.take(requestController, chunk)
        },
        onResponseEnd() {
          body.end(({ bytes, giveBack }, saved) =>
            settled
              ? giveBack?.()
              : settle({ status: status ?? 0, headers, bytes, giveBack, ...(saved ? { saved } : {}) }),
          )
        },
        onResponseError(_, error) {
          const kind = kindOf(error)
          // When encryption breaks after the request was written, an existing connection broke, rather than failed to
          // open.
          settle({
            kind: kind === 'tls' && controller !== undefined ? 'cut' : kind,
            sent: controller !== undefined,
            status,
          })
        },
      },
    )
    isBeginning = false
    return promise
  }

/**
 * The only way to the network: a pool of keep-alive connections per origin. Redirects are never followed; socket paths
 * and proxies from the environment are ignored.
 */
export const createTransport = (egress: Egress) => {
  /** Pools of providers, whose addresses the operator sets. */
  const lasting = new Map<string, TransportPool>()
  /** Pools of agents and other origins that come and go. */
  const passing = new Map<string, TransportPool>()
  const watch = createWatch()

  const lastingPoolFor = (place: Place, connectMs: number) => {
    const key = `${place.origin} ${connectMs} ${place.listed} ${place.loopback}`
    let pool = lasting.get(key)
    if (!pool) lasting.set(key, (pool = createPool(place, egress, connectMs)))
    return pool
  }

  const closeIdle = () => {
    for (const [key, pool] of passing) {
      if (passing.size < maxPassing) return
      if (pool.stats.running + pool.stats.pending + pool.stats.queued > 0) continue
      passing.delete(key)
      void pool.close()
    }
  }
  const poolFor = (place: Place, connectMs: number) => {
    const key = `${place.origin} ${connectMs} ${place.listed} ${place.loopback}`
    const cachedPool = passing.get(key)
    if (!cachedPool) closeIdle()
    const pool = cachedPool ?? createPool(place, egress, connectMs)
    // Moved to the end: the first ones are the least recently used.
    passing.delete(key)
    passing.set(key, pool)
    return pool
  }

  return {
    lastingPoolFor,
    /** A pool for this one call, which is closed when it is idle and others are needed. */
    poolFor,
    /** How many origins have a pool. */
    pools: () => lasting.size + passing.size,
    send: createSender(watch, createJoinBody()),
    async close() {
      watch.stop()
      const all = [...lasting.values(), ...passing.values()]
      lasting.clear()
      passing.clear()
      await Promise.all(all.map((pool) => pool.destroy()))
    },
  }
}
export type Transport = ReturnType<typeof createTransport>
