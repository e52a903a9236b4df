import { mask } from './exchange/authorize.ts'
import type { SignRequest } from './exchange/authorize.ts'
import { classify } from './exchange/classify.ts'
import { createDecider } from './exchange/decide.ts'
import { createDeliver } from './exchange/deliver.ts'
import { createUnauthenticatedSend } from './oauth/unauthenticated-client.ts'
import { createEgress } from './guard/egress.ts'
import { createExchange, transferMs } from './exchange/exchange.ts'
import type { AttemptState } from './exchange/attempt-state.ts'
import { createFetchFile } from './exchange/fetch-file.ts'
import { createGuard } from './guard/guard.ts'
import { createOAuth1, newStamp, signOAuth1 } from './oauth/oauth1.ts'
import type { OAuth1 } from './oauth/oauth1.ts'
import { createOAuth2 } from './oauth/oauth2.ts'
import type { OAuth2 } from './oauth/oauth2.ts'
import type { OpenId } from './oauth/openid.ts'
import { createRateLimiter } from './rate-limit/rate-limiter.ts'
import { createPreparer } from './exchange/prepare.ts'
import { createTransport } from './exchange/transport.ts'
import type { Call, Reply, Wire, WireOptions } from './types.ts'

export type * from './types.ts'
export { createScrubber, hideSecrets } from './guard/scrub.ts'
export type { Scrubber } from './guard/scrub.ts'
export type { OAuth2Tokens } from './oauth/oauth2.ts'
export type { OpenId } from './oauth/openid.ts'

/**
 * Exchanges made without a connection, to connect one or to read a key set. The same egress rules apply; redirects are
 * not followed.
 */
export type UnauthenticatedClient = {
  oauth1: OAuth1
  oauth2: OAuth2
  /** Loaded when it is asked for: only a server whose people sign in needs it. */
  openId(): Promise<OpenId>
  getJson(address: string, setting: string): Promise<Reply>
  /** The description of a client at the address that the client names. */
  getClient(address: string, maxBytes: number, signal: AbortSignal): Promise<Reply>
}

/**
 * Creates the wire: authenticated, guarded, rate-limited and retried exchanges with providers. All its state is in the
 * object returned.
 */
export const createWire = (options: WireOptions): Wire & { unauthenticated: UnauthenticatedClient } => {
  const egress = createEgress(options.egress, options.resolve)
  const transport = createTransport(egress)
  const limiter = createRateLimiter(options)
  const sign: SignRequest = (app, token, request) => signOAuth1(app, token, request, newStamp(options.now()))
  const prepare = createPreparer(egress, transport, limiter, { monotonic: options.monotonic, sign })
  const guard = createGuard()
  const sendUnauthenticated = createUnauthenticatedSend(egress, transport, options.random)

  const start = (call: Call): AttemptState => {
    const profile = prepare.profile(call)
    const plain = guard.request(profile.facts, call)
    const account = prepare.account(call, profile)
    return {
      call,
      plain,
      profile,
      account,
      buckets: prepare.buckets(call, profile, account),
      deadlineAt: (call.deadlineAt ?? options.monotonic() + call.profile.timeouts.deadlineMs) + transferMs(call),
      attempts: 0,
      startedAt: 0,
      sentAt: 0,
      waitedMs: 0,
      refused: false,
      returned: undefined,
      actualCost: undefined,
      announced: false,
      redirected: false,
      requeued: false,
      mayHaveExecuted: false,
    }
  }

  return {
    exchange: createExchange(
      options,
      transport,
      limiter,
      prepare,
      createDecider(options, limiter, prepare, guard),
      start,
    ),
    classify,
    pageQuery: (call, address) => guard.pageQuery(prepare.profile(call).facts, call, address),
    headroom(of) {
      const { windows, queue, breaker } = prepare.headroom(of, prepare.profile(of))
      const sinceBoot = options.now() - options.monotonic()
      const time = (at: number | null) => (at === null ? null : Math.round(sinceBoot + at))
      return {
        windows: windows.map(({ freeAt, pausedUntil, ...otherFields }) => ({
          ...otherFields,
          resetsAt: time(freeAt),
          pausedUntil: time(pausedUntil),
        })),
        queue,
        breaker: { state: breaker.state, until: time(breaker.until) },
      }
    },
    noteBreaker(breakerChange) {
      const [state, ...key] = breakerChange.split(' ')
      prepare.breakerElsewhere(key.join(' '), state === 'open')
    },
    preview(call) {
      const { plain, profile, account } = start(call)
      return mask(profile.place.origin, plain, account.credential, call.profile.writeMark?.header)
    },
    ...createDeliver(egress, transport),
    fetchFile: createFetchFile(egress, transport),
    unauthenticated: {
      oauth1: createOAuth1(sendUnauthenticated, options.now),
      oauth2: createOAuth2(sendUnauthenticated),
      openId: async () => (await import('./oauth/openid.ts')).createOpenId(sendUnauthenticated, options),
      getJson: (address, setting) => sendUnauthenticated({ method: 'GET', address, setting }),
      getClient: async (address, maxBytes, signal) => {
        const place = egress.placeOfClient(address)
        return sendUnauthenticated({ method: 'GET', address, setting: 'client_id', place, maxBytes, signal })
      },
    },
    async close() {
      limiter.close()
      await transport.close()
    },
  }
}
