import { mask } from './authorize.ts'
import { classify } from './classify.ts'
import { createDecider } from './decide.ts'
import { createDeliver } from './deliver.ts'
import { createDirect } from './direct.ts'
import { createEgress } from './egress.ts'
import { createExchange } from './exchange.ts'
import type { Journey } from './journey.ts'
import { createGuard } from './guard.ts'
import { createOAuth1 } from './oauth1.ts'
import { createOAuth2 } from './oauth2.ts'
import { createPacer } from './pace.ts'
import { createPreparer } from './prepare.ts'
import { createTransport } from './transport.ts'
import type { Call, Outside, Wire, WireOptions } from './types.ts'

export type * from './types.ts'
export { createScrubber, hideSecrets } from './scrub.ts'
export type { Scrubber } from './scrub.ts'

/** ONE authenticated, guarded, paced, retried exchange with a provider. All state lives in what this gives. */
export const createWire = (options: WireOptions): Wire & { outside: Outside } => {
  const egress = createEgress(options.egress, options.resolve)
  const transport = createTransport(egress)
  const pacer = createPacer(options)
  const prepare = createPreparer(egress, transport, pacer, options)
  const guard = createGuard()
  const direct = createDirect(egress, transport, options.random)
  const run = createExchange(options, transport, pacer, prepare, createDecider(options, pacer, prepare, guard))

  const begin = (call: Call): Journey => {
    const profile = prepare.profile(call)
    const plain = guard.request(profile.facts, call)
    const account = prepare.account(call, profile)
    return {
      call,
      plain,
      profile,
      account,
      lane: prepare.lane(call, profile, account),
      deadlineAt: call.deadlineAt ?? options.monotonic() + call.profile.timeouts.deadlineMs,
      attempts: 0,
      startedAt: 0,
      returned: undefined,
      announced: false,
      redirected: false,
      again: false,
      doubtful: false,
    }
  }

  return {
    // Not async: every layer of promises costs each call a turn.
    exchange(call) {
      try {
        return run(begin(call))
      } catch (refusal) {
        return Promise.reject(refusal)
      }
    },
    classify,
    preview(call) {
      const { plain, profile, account } = begin(call)
      return mask(profile.place.origin, plain, account.credential, call.profile.writeMark?.header)
    },
    ...createDeliver(egress, transport),
    outside: {
      oauth1: createOAuth1(direct, options.now),
      oauth2: createOAuth2(direct),
      getJson: (address, setting) => direct({ method: 'GET', address, setting }),
    },
    async close() {
      pacer.close()
      await transport.close()
    },
  }
}
