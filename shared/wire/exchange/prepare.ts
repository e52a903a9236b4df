import { fail, valueAt } from '#kit'
import type { AuthPlacement, PaceLimit, WireProfile } from '#kit'
import { checkFixedHeaders, readCredential } from './authorize.ts'
import type { Credential, SignRequest } from './authorize.ts'
import { createBreaker, isQuiet, noteElsewhere, readBreaker } from '../rate-limit/breaker.ts'
import type { Breaker } from '../rate-limit/breaker.ts'
import type { Egress, Place } from '../guard/egress.ts'
import { normalName } from '../guard/names.ts'
import type { GuardFacts } from '../guard/guard.ts'
import { checkBaseUrl } from '../guard/base-url.ts'
import { createWeakRegistry } from '../rate-limit/weak-registry.ts'
import { costReader } from '../rate-limit/points.ts'
import { routeMatcher } from '../rate-limit/route-matcher.ts'
import { createSetsByValue } from '../rate-limit/limit-register.ts'
import type { FieldValue, SetsByValue } from '../rate-limit/limit-register.ts'
import type { BucketSet, RateLimiter } from '../rate-limit/rate-limiter.ts'
import { createBudget } from './retry.ts'
import type { RetryBudget } from './retry.ts'
import { createScrubber } from '../guard/scrub.ts'
import type { Scrubber } from '../guard/scrub.ts'
import type { Transport, TransportPool } from './transport.ts'
import type { Account, Call, WireOptions } from '../types.ts'

/** Everything about a provider that does not change from call to call. */
export type PreparedProfile = {
  place: Place
  /** The origin at which the provider's limits are counted: once per key, whichever of its addresses is called. */
  limitsAt: string
  facts: GuardFacts
  /**
   * undefined for addresses that connections bring along: they come and go, so their pools are looked up when needed.
   */
  pool: TransportPool | undefined
  /** Limits of path families: index into `pace.limits`, and whether a path belongs to it. */
  routes: { index: number; fits(path: string): boolean }[]
  /** Limits of single values: index into `pace.limits`, and the value that a call has. */
  fields: { index: number; valueIn(call: Call): string | undefined }[]
  /** What a call costs in points; undefined if no limit counts points. */
  costOf: ((call: Call) => number) | undefined
}

/** Everything about an account that does not change from call to call. */
export type PreparedAccount = {
  credential: Credential
  scrubber: Scrubber
  /** Bucket sets by the path families that a call belongs to; '' for most calls. */
  buckets: Map<string, BucketSet>
  /** Bucket sets of calls that have a cost or a value with its own limit. There are many: only those used last are kept. */
  bucketsByValue: SetsByValue | undefined
  /** Path families that a 429 named although the profile has no limit for them. */
  families: string[]
  budget: RetryBudget
  /** Shared by all accounts of the tenant at this provider. */
  breaker: Breaker
  breakerKey: string
}

const maxValueLength = 200

/** Reads the value by which a limit counts: from its place in the route, else from the body or the query. */
const valueReader = ({ field = '', route }: PaceLimit) => {
  const fits = route === undefined ? () => true : routeMatcher(route)
  const place = route?.split('/').indexOf(`{${field}}`) ?? -1
  return ({ path, query, body }: Call): string | undefined => {
    if (!fits(path)) return undefined
    const value = place < 0 ? (valueAt(body, field) ?? query?.[field]) : path.split('/')[place]
    return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, maxValueLength) : undefined
  }
}

const oauthNames = [
  'consumer_key',
  'token',
  'signature',
  'signature_method',
  'timestamp',
  'nonce',
  'version',
  'callback',
  'verifier',
].map((name) => `oauth_${name}`)
const placedNames = (placement: AuthPlacement): string[] => {
  if (placement.place === 'oauth1') return ['authorization', ...oauthNames]
  return placement.place === 'basic' ? ['authorization'] : Object.keys(placement.fields)
}

const reservedNames = (profile: WireProfile): Set<string> => {
  const placed = Object.values(profile.auth).flatMap((placement) => (placement ? placedNames(placement) : []))
  // Frameworks read these as an override of the method.
  const method = ['_method', 'x-http-method-override', 'x-http-method', 'x-method-override']
  return new Set([...profile.reserved, ...placed, ...method].map(normalName))
}

const placeOf = (egress: Egress, integration: string, profile: WireProfile, account: Account | undefined): Place => {
  if (account?.baseUrl !== undefined) {
    checkBaseUrl(integration, profile.baseUrlPattern, account.baseUrl)
    return egress.place(account.baseUrl, `wire.${integration}.${account.baseUrlSetting ?? 'baseUrlPattern'}`)
  }
  const setting = `wire.${integration}.baseUrl`
  if (profile.baseUrl === null) {
    throw fail(
      'wire_unset',
      `The provider documents do not show its address. The operator sets "${setting}", for example "https://api.provider.example".`,
    )
  }
  return egress.place(profile.baseUrl, setting)
}

type ProfileCall = Pick<Call, 'integration' | 'profile' | 'account' | 'endpoint'>

const endpointPlace = (egress: Egress, { integration, account, endpoint }: ProfileCall, address: string): Place => {
  const setting = `wire.${integration}.endpoints.${endpoint}.baseUrl`
  // The credential belongs to the server that the account was connected to.
  if (account.baseUrl !== undefined)
    throw fail(
      'not_allowed',
      `This connection has an address of its own, so nothing is sent to that of "${setting}". The operator removes the setting.`,
    )
  return egress.place(address, setting)
}

/** `ownAddress`: of the endpoint, where it has one. */
const prepareProfile = (
  egress: Egress,
  transport: Transport,
  call: ProfileCall,
  ownAddress: string | undefined,
): PreparedProfile => {
  const { integration, profile, account } = call
  checkFixedHeaders(integration, profile)
  const place =
    ownAddress === undefined ? placeOf(egress, integration, profile, account) : endpointPlace(egress, call, ownAddress)
  return {
    place,
    limitsAt:
      ownAddress === undefined || profile.baseUrl === null
        ? place.origin
        : placeOf(egress, integration, profile, undefined).origin,
    facts: { origin: place.origin, prefix: place.prefix, reserved: reservedNames(profile), harmless: new Set() },
    pool: account.baseUrl === undefined ? transport.lastingPoolFor(place, profile.timeouts.connectMs) : undefined,
    routes: profile.pace.limits.flatMap((limit, index) =>
      limit.per === 'route' && limit.route !== undefined ? [{ index, fits: routeMatcher(limit.route) }] : [],
    ),
    fields: profile.pace.limits.flatMap((limit, index) =>
      limit.per === 'field' ? [{ index, valueIn: valueReader(limit) }] : [],
    ),
    costOf: costReader(profile.pace),
  }
}

const maxFamilies = 50
const noValues: readonly FieldValue[] = []
/** `/1/members/me/items` belongs to `/1/members`. */
const familyOf = (path: string) => path.split('/').slice(0, 3).join('/').toLowerCase()

/** The connection's address is not a secret: it is part of what the provider answers. */
const secretsOf = ({ secrets, app, baseUrl }: Account) =>
  [...Object.getOwnPropertyNames(secrets).map((name) => secrets[name] as string), ...(app ? [app.secret] : [])].filter(
    (value) => baseUrl === undefined || value.replace(/(?<!\/)\/+$/, '') !== baseUrl.replace(/(?<!\/)\/+$/, ''),
  )

const breakerKey = (integration: string, { place }: PreparedProfile, { tenant }: Account) =>
  `${integration} ${place.origin} ${tenant}`

/** Prepares each profile once for every address that its calls go to. */
const createProfilePreparer = (egress: Egress, transport: Transport) => {
  const profiles = new WeakMap<WireProfile, PreparedProfile>()
  /** Profiles prepared for accounts that have an address of their own. */
  const accountProfiles = new WeakMap<Account, WeakMap<WireProfile, PreparedProfile>>()
  /** Profiles prepared for endpoints that have an address of their own, by that address. */
  const endpointProfiles = new WeakMap<WireProfile, Map<string, PreparedProfile>>()

  const prepareForEndpoint = (call: ProfileCall, address: string): PreparedProfile => {
    const byAddress = endpointProfiles.get(call.profile) ?? new Map<string, PreparedProfile>()
    let prepared = call.account.baseUrl === undefined ? byAddress.get(address) : undefined
    if (!prepared) {
      prepared = prepareProfile(egress, transport, call, address)
      endpointProfiles.set(call.profile, byAddress.set(address, prepared))
    }
    return prepared
  }

  const profilesFor = (account: Account) => {
    let profilesOfAccount = accountProfiles.get(account)
    if (!profilesOfAccount) accountProfiles.set(account, (profilesOfAccount = new WeakMap()))
    return profilesOfAccount
  }

  return (call: ProfileCall): PreparedProfile => {
    const address = call.endpoint === undefined ? undefined : call.profile.endpoints?.[call.endpoint]?.baseUrl
    if (address !== undefined) return prepareForEndpoint(call, address)
    const byProfile = call.account.baseUrl === undefined ? profiles : profilesFor(call.account)
    let prepared = byProfile.get(call.profile)
    if (!prepared) {
      prepared = prepareProfile(egress, transport, call, undefined)
      byProfile.set(call.profile, prepared)
    }
    return prepared
  }
}

const valuesOf = (call: Call, { fields }: PreparedProfile): FieldValue[] =>
  fields.flatMap(({ index, valueIn }) => {
    const value = valueIn(call)
    return value === undefined ? [] : [{ index, value }]
  })

/** Caches what was prepared for as long as the profile and the account live. */
export const createPreparer = (
  egress: Egress,
  transport: Transport,
  limiter: RateLimiter,
  { monotonic, sign }: Pick<WireOptions, 'monotonic'> & { sign: SignRequest },
) => {
  const breakers = createWeakRegistry<Breaker>(createBreaker, (breaker) => isQuiet(breaker, monotonic()))
  const budgets = createWeakRegistry<RetryBudget>(createBudget, () => true)
  const accounts = new WeakMap<Account, WeakMap<PreparedProfile, PreparedAccount>>()

  return {
    profile: createProfilePreparer(egress, transport),

    account(call: Call, profile: PreparedProfile): PreparedAccount {
      let byProfile = accounts.get(call.account)
      if (!byProfile) {
        byProfile = new WeakMap()
        accounts.set(call.account, byProfile)
      }
      let prepared = byProfile.get(profile)
      if (!prepared) {
        prepared = {
          credential: readCredential(call.integration, call.profile, call.account, profile.place.origin, sign),
          scrubber: createScrubber(secretsOf(call.account)),
          buckets: new Map(),
          bucketsByValue: profile.fields.length === 0 && profile.costOf === undefined ? undefined : createSetsByValue(),
          families: [],
          budget: budgets.get(call.account.key),
          breaker: breakers.get(breakerKey(call.integration, profile, call.account)),
          breakerKey: breakerKey(call.integration, profile, call.account),
        }
        byProfile.set(profile, prepared)
      }
      return prepared
    },

    /** A breaker that this process has not used is created only when it opened elsewhere. */
    breakerElsewhere(key: string, isOpen: boolean) {
      const breaker = isOpen ? breakers.get(key) : breakers.peek(key)
      if (breaker) noteElsewhere(breaker, monotonic(), isOpen)
    },

    /** How much of an account's limits is used, and the state of its provider's breaker; creates nothing. */
    headroom({ integration, profile: wire, account }: ProfileCall, profile: PreparedProfile) {
      const families = accounts.get(account)?.get(profile)?.families ?? []
      const breaker = readBreaker(breakers.peek(breakerKey(integration, profile, account)), monotonic())
      return { ...limiter.read(integration, profile.limitsAt, wire, account, families), breaker }
    },

    buckets(call: Call, profile: PreparedProfile, account: PreparedAccount): BucketSet {
      const routes: number[] = []
      for (const { index, fits } of profile.routes) if (fits(call.path)) routes.push(index)
      const families =
        account.families.length === 0 ? [] : account.families.filter((name) => name === familyOf(call.path))
      const values = profile.fields.length === 0 ? noValues : valuesOf(call, profile)
      const key = routes.length + families.length === 0 ? '' : [...routes, ...families].join()
      const cost = profile.costOf === undefined ? undefined : profile.costOf(call)
      const isPlain = values.length === 0 && cost === undefined
      const sets = isPlain ? account.buckets : account.bucketsByValue!
      const fullKey = isPlain ? key : JSON.stringify([key, values, cost])
      let buckets = sets.get(fullKey)
      if (!buckets) {
        const { integration, profile: wire, account: of } = call
        buckets = limiter.bucketsFor(integration, profile.limitsAt, wire, of, routes, families, values, cost)
        sets.set(fullKey, buckets)
      }
      return buckets
    },

    /** Remembers that a 429 named the path family of this call; further calls of the family wait with it. */
    nameFamily(call: Call, profile: PreparedProfile, account: PreparedAccount): BucketSet {
      const family = familyOf(call.path)
      if (!account.families.includes(family) && account.families.length < maxFamilies) account.families.push(family)
      return this.buckets(call, profile, account)
    },
  }
}
export type Preparer = ReturnType<typeof createPreparer>
