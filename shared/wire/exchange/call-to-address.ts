import { fail } from '#kit'
import type { ErrorRule, WireProfile } from '#kit'
import { fitsBaseUrl } from '../guard/base-url.ts'
import type { Call, CallPolicy } from '../types.ts'

/** What a server says that holds files for the provider: it knows no connection, so it cannot refuse one. */
const errors: ErrorRule[] = [
  { status: 429, failure: 'rate_limited' },
  {
    status: [400, 499],
    failure: 'rejected',
    message: 'The address that the provider gave for this refused it. It may have expired: run the step again.',
  },
]

/** The profile for the origins of one pattern: without credential, headers and limits of the provider. */
const bareProfile = (profile: WireProfile, baseUrlPattern: string): WireProfile => ({
  profile: profile.profile,
  baseUrl: null,
  baseUrlPattern,
  auth: { none: { place: 'header', fields: {} } },
  accept: '*/*',
  reserved: [],
  pace: { limits: [], concurrency: profile.pace.concurrency },
  timeouts: profile.timeouts,
  maxReplyBytes: profile.maxReplyBytes,
  errors,
  assumed: {},
})

const madeProfiles = new WeakMap<WireProfile, Map<string, WireProfile>>()
const profileFor = (profile: WireProfile, pattern: string): WireProfile => {
  const byPattern = madeProfiles.get(profile) ?? new Map<string, WireProfile>()
  const bare = byPattern.get(pattern) ?? bareProfile(profile, pattern)
  madeProfiles.set(profile, byPattern.set(pattern, bare))
  return bare
}

const policy: CallPolicy = { methods: ['GET', 'POST', 'PUT', 'PATCH'], under: '/', deny: [] }

/**
 * The call as it is sent to an address that the provider gave: without the account's credential, the fixed headers and
 * the mark of the profile, and without redirects.
 * @throws Failure `bad_reply` for what is no address, `not_allowed` for an origin that the profile does not list
 */
export const callToAddress = (call: Call, address: string): Call => {
  const { integration, profile, account } = call
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw fail('bad_reply', `${integration} gave no address that could be called for this. Nothing was sent there.`)
  const pattern = profile.uploadOrigins?.find((origin) => fitsBaseUrl(origin, url.origin))
  if (pattern === undefined)
    throw fail(
      'not_allowed',
      `${integration} gave an address at ${url.origin}, which "wire.${integration}.uploadOrigins" does not list, so nothing was sent there. The operator adds the origin if it belongs to the provider.`,
    )
  return {
    ...call,
    profile: profileFor(profile, pattern),
    account: {
      key: account.key,
      tenant: account.tenant,
      appKey: account.appKey,
      type: 'none',
      secrets: {},
      baseUrl: url.origin,
      baseUrlSetting: 'uploadOrigins',
    },
    address: url.href,
    replyAs: call.replyAs ?? 'any',
    policy,
    endpoint: undefined,
    correlationId: undefined,
    redirects: undefined,
    secretsInPath: false,
  }
}
