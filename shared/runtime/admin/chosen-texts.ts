import type { TenantKey, TenantKeys } from './tenant-keys.ts'

/**
 * Digests of texts that a caller chooses and that are only ever compared, such as idempotency keys. They may name a
 * person, so only a keyed digest is stored, which reveals nothing without the tenant's key.
 */
const prefix = 'dig_'
const digestLength = 32
const checkLength = 11
const form = new RegExp(`^${prefix}[\\w-]{${digestLength + checkLength}}$`)

const checkOf = (key: TenantKey, digest: string) => key.hash(`chosen check ${digest}`).slice(0, checkLength)

/** `use`: the same text has a different digest for each use. */
export const digestOf = (key: TenantKey, use: 'file' | 'job' | 'list' | 'start', text: string): string => {
  const digest = key.hash(`chosen ${use} ${text}`).slice(0, digestLength)
  return `${prefix}${digest}${checkOf(key, digest)}`
}

/** Whether this tenant's key made the digest, as opposed to a text of the same form. */
const isDigest = (key: TenantKey, text: string) =>
  form.test(text) && checkOf(key, text.slice(prefix.length, -checkLength)) === text.slice(-checkLength)

/** Our start ids are hashes already, and no name has their form. */
const ofOurs = /^[0-9a-f]{64}$/

/** The stored form of agent start ids. */
export type StartIds = {
  /**
   * Our own ids stay as they are, other ids become a digest; a digest stays the same.
   * @throws Failure `unavailable` when the tenant's key cannot be read
   */
  stored(tenant: string, startId: string): string | Promise<string>
}

export const createStartIds = (tenantKeys: TenantKeys): StartIds => {
  const under = (key: TenantKey, startId: string) =>
    isDigest(key, startId) ? startId : digestOf(key, 'start', startId)
  return {
    stored(tenant, startId) {
      if (ofOurs.test(startId)) return startId
      const key = tenantKeys.of(tenant)
      return key instanceof Promise ? key.then((opened) => under(opened, startId)) : under(key, startId)
    },
  }
}
