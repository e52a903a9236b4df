import { createLocalJWKSet } from 'jose'
import type { JSONWebKeySet } from 'jose'
import { fail, failField, isFailure, isInvalidInput, isNotAllowed, isUnavailable } from '#kit'
import type { UnauthenticatedClient } from '../../wire/index.ts'
import type { Clock, Log } from '../ports/index.ts'
import type { JwtSettings } from './jwt-settings.ts'

/** A key set is read again after `keepMs`. When a token names an unknown key, it is read at most every `againMs`. */
const keepMs = 600_000
const minIntervalMs = 30_000
const patienceMs = 3_000

/** `setting`: the one that holds the address. */
export type KeySetWords = { owner: string; setting: string }
const ofIdentityProvider: KeySetWords = {
  owner: "the operator's identity provider (TOOLYARD_JWT)",
  setting: 'jwksUrl',
}

const notReadable = ({ owner }: KeySetWords) =>
  fail('unavailable', `The key set of ${owner} cannot be read, so its tokens cannot be checked now.`)

/**
 * Fetches the key set at `jwksUrl`.
 * @throws Failure `unavailable` when it cannot be read, `invalid_input` naming the setting when it is no key set
 */
export const readKeySet = async (
  { jwksUrl }: Pick<JwtSettings, 'jwksUrl'>,
  unauthenticated: Pick<UnauthenticatedClient, 'getJson'>,
  words: KeySetWords = ofIdentityProvider,
): Promise<JSONWebKeySet> => {
  const reply = await unauthenticated.getJson(jwksUrl, words.setting).catch((thrown: unknown) => {
    if (!isFailure(thrown) || isInvalidInput(thrown) || isNotAllowed(thrown)) throw thrown
    throw fail('unavailable', `${notReadable(words).message} ${thrown.message}`, { cause: thrown })
  })
  const set = reply.body as unknown as JSONWebKeySet | null
  if (reply.status >= 500 || reply.status === 429)
    throw fail('unavailable', `${notReadable(words).message} It answered with status ${reply.status}.`)
  if (
    reply.status !== 200 ||
    !Array.isArray(set?.keys) ||
    !set.keys.every((key) => typeof key === 'object' && key !== null && typeof key.kty === 'string')
  )
    throw failField(
      words.setting,
      `${words.setting} of ${words.owner} leads to no key set: status ${reply.status}. Give the address of its JWKS; its discovery document calls it "jwks_uri".`,
    )
  return set
}

/** Waits at most `patienceMs`: a request with a token must not hang because the identity provider does. */
export const withPatience = async <T>(
  clock: Pick<Clock, 'sleep'>,
  work: Promise<T>,
  words: KeySetWords = ofIdentityProvider,
): Promise<T> => {
  const patience = new AbortController()
  const tooLong = clock.sleep(patienceMs, patience.signal).then((): never => {
    throw notReadable(words)
  })
  tooLong.catch(() => undefined)
  return Promise.race([work, tooLong]).finally(() => patience.abort())
}

type Keys = { find: ReturnType<typeof createLocalJWKSet>; ids: Set<string>; at: number }

/** The keys of an identity provider, read on first use, and again when they are old or lack a key. */
export const createKeySet = (
  settings: Pick<JwtSettings, 'jwksUrl'>,
  {
    unauthenticated,
    clock,
    log,
  }: { unauthenticated: Pick<UnauthenticatedClient, 'getJson'>; clock: Pick<Clock, 'monotonic' | 'sleep'>; log: Log },
  words: KeySetWords = ofIdentityProvider,
) => {
  let keys: Keys | undefined
  let reading: Promise<void> | undefined
  let lastReadAt = Number.NEGATIVE_INFINITY

  const read = async () => {
    const set = await readKeySet(settings, unauthenticated, words)
    keys = {
      find: createLocalJWKSet(set),
      ids: new Set(set.keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid]))),
      at: clock.monotonic(),
    }
  }
  /** At most one read is in progress. Its failure is logged here because not every caller waits for it. */
  const readOnce = () => {
    lastReadAt = clock.monotonic()
    reading ??= read()
      .catch((error: unknown) => {
        log('warn', 'jwt.keys_not_read', {
          setting: words.setting,
          reason: isFailure(error) ? error.message : 'unknown',
        })
        throw error
      })
      .finally(() => (reading = undefined))
    reading.catch(() => undefined)
    return reading
  }
  const isRested = () => clock.monotonic() - lastReadAt >= minIntervalMs

  return {
    /**
     * The key set to look up this key id in.
     * @throws Failure `unavailable` while there is none
     */
    async keysFor(keyId: string | undefined): Promise<Keys['find']> {
      if (!keys) {
        // Without keys no token can be checked, so every call tries again unless a read is in progress.
        await withPatience(clock, reading ?? readOnce(), words)
        return keys!.find
      }
      const age = clock.monotonic() - keys.at
      if (keyId !== undefined && !keys.ids.has(keyId)) {
        // While the provider is unreachable, known keys stay valid and unknown ones stay unknown.
        if (reading || (age >= minIntervalMs && isRested()))
          await withPatience(clock, reading ?? readOnce(), words).catch(() => undefined)
      } else if (age >= keepMs && !reading && isRested()) void readOnce().catch(() => undefined)
      return keys.find
    },
    /** Reads the keys before the first token arrives. A provider that does not answer is only logged. */
    prepare: () =>
      withPatience(clock, readOnce(), words).catch((thrown: unknown) => {
        if (!isUnavailable(thrown)) throw thrown
        log('error', 'jwt.provider_away', {
          setting: 'TOOLYARD_JWT jwksUrl',
          address: settings.jwksUrl,
          reason: thrown.message,
        })
      }),
  }
}
