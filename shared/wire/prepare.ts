import { fail } from '#kit'
import type { WireProfile } from '#kit'
import { readCredential } from './authorize.ts'
import type { Credential } from './authorize.ts'
import type { Egress, Place } from './egress.ts'
import { normalName } from './guard.ts'
import type { GuardFacts } from './guard.ts'
import type { Lane, Pacer } from './pace.ts'
import { createScrubber } from './scrub.ts'
import type { Scrubber } from './scrub.ts'
import type { Transport, TransportPool } from './transport.ts'
import type { Account, Call } from './types.ts'

/** Everything about a provider that does not change from call to call. */
export type PreparedProfile = {
  place: Place
  facts: GuardFacts
  pool: TransportPool
  /** Limits of path families: index into `pace.limits`, and whether a path belongs to it. */
  routes: { index: number; fits(path: string): boolean }[]
}

/** Everything about an account that does not change from call to call. */
export type PreparedAccount = {
  credential: Credential
  scrubber: Scrubber
  /** By the routes a path belongs to; '' for most. */
  lanes: Map<string, Lane>
}

/** `/1/members/{id}` fits exactly one more segment, in any case, with or without a last "/". */
const routeMatcher = (template: string) => {
  const source = template.split('/').map((part) => (/^\{\w+\}$/.test(part) ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  const pattern = new RegExp(`^${source.join('/')}/?$`, 'i')
  const head = template.split('{')[0]?.toLowerCase() ?? ''
  return (path: string) => path.length > head.length && path.slice(0, head.length).toLowerCase() === head && pattern.test(path)
}

const reservedNames = (profile: WireProfile): Set<string> => {
  const placed = Object.values(profile.auth).flatMap((placement) => (placement ? Object.keys(placement.fields) : []))
  // Frameworks read these as "treat it as another method".
  const method = ['_method', 'x-http-method-override', 'x-http-method', 'x-method-override']
  return new Set([...profile.reserved, ...placed, ...method].map(normalName))
}

const prepareProfile = (egress: Egress, transport: Transport, integration: string, profile: WireProfile): PreparedProfile => {
  const setting = `wire.${integration}.baseUrl`
  if (profile.baseUrl === null) {
    throw fail('wire_unset', `The provider documents do not show its address. The operator sets "${setting}", for example "https://api.provider.example".`)
  }
  const place = egress.place(profile.baseUrl, setting)
  return {
    place,
    facts: { origin: place.origin, prefix: place.prefix, reserved: reservedNames(profile), harmless: new Set() },
    pool: transport.poolFor(place, { connectMs: profile.timeouts.connectMs, connections: profile.pace.concurrency }),
    routes: profile.pace.limits.flatMap((limit, index) => (limit.per === 'route' && limit.route !== undefined ? [{ index, fits: routeMatcher(limit.route) }] : [])),
  }
}

/** Keeps what was prepared for as long as the profile and the account themselves live. */
export const createPreparer = (egress: Egress, transport: Transport, pacer: Pacer) => {
  const profiles = new WeakMap<WireProfile, PreparedProfile>()
  const accounts = new WeakMap<Account, WeakMap<WireProfile, PreparedAccount>>()

  return {
    profile(call: Call): PreparedProfile {
      let prepared = profiles.get(call.profile)
      if (!prepared) {
        prepared = prepareProfile(egress, transport, call.integration, call.profile)
        profiles.set(call.profile, prepared)
      }
      return prepared
    },

    account(call: Call): PreparedAccount {
      let byProfile = accounts.get(call.account)
      if (!byProfile) {
        byProfile = new WeakMap()
        accounts.set(call.account, byProfile)
      }
      let prepared = byProfile.get(call.profile)
      if (!prepared) {
        const { secrets } = call.account
        prepared = {
          credential: readCredential(call.integration, call.profile, call.account),
          scrubber: createScrubber(Object.getOwnPropertyNames(secrets).map((name) => secrets[name] as string)),
          lanes: new Map(),
        }
        byProfile.set(call.profile, prepared)
      }
      return prepared
    },

    lane(call: Call, profile: PreparedProfile, account: PreparedAccount): Lane {
      const routes = profile.routes.length === 0 ? profile.routes : profile.routes.filter(({ fits }) => fits(call.path))
      const key = routes.length === 0 ? '' : routes.map(({ index }) => index).join()
      let lane = account.lanes.get(key)
      if (!lane) {
        lane = pacer.laneFor(call.integration, profile.place.origin, call.profile, call.account, routes.map(({ index }) => index))
        account.lanes.set(key, lane)
      }
      return lane
    },
  }
}
export type Preparer = ReturnType<typeof createPreparer>
