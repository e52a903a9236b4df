import type { TenantKey, TenantKeys } from './tenant-keys.ts'

/**
 * Texts that a caller chooses and that are only compared later, such as an idempotency key: they may name a person, so
 * that a keyed digest of them is stored. Without the tenant's key it says nothing.
 */
const prefix = 'dig_'
const digestLength = 32
const checkLength = 11
const form = new RegExp(`^${prefix}[\\w-]{${digestLength + checkLength}}$`)

const checkOf = (key: TenantKey, digest: string) => key.hash(`chosen check ${digest}`).slice(0, checkLength)

/** `use`: the same text has another digest for another use. */
export const digestOf = (key: TenantKey, use: 'file' | 'job' | 'start', text: string): string => {
  const digest = key.hash(`chosen ${use} ${text}`).slice(0, digestLength)
  return `${prefix}${digest}${checkOf(key, digest)}`
}

/** Whether a text is a digest that this tenant's key has made, and not merely looks like one. */
const isDigest = (key: TenantKey, text: string) =>
  form.test(text) && checkOf(key, text.slice(prefix.length, -checkLength)) === text.slice(-checkLength)

/** The id of a start of ours is a hash already; its form is that of no name. */
const ofOurs = /^[0-9a-f]{64}$/

/** The id of the agent start that something was done for, as it is stored. */
export type StartIds = {
  /**
   * Ours as it is, another one as its digest; the digest of one stays the same. @throws Failure `unavailable` when the
   * tenant's key cannot be read
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
