import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Store, Vault } from '../ports/index.ts'

export const tenantKeyOwner = 'tenant-key'

const ivBytes = 12
const tagBytes = 16

/**
 * What a tenant's own key is used for. It survives changes of the master key, so that stored hashes can still be found
 * and stored contents opened.
 */
export type TenantKey = {
  /** HMAC-SHA-256 of a text, base64url. */
  hash(text: string): string
  /** Encrypts with AES-256-GCM. `place`: what the content belongs to; content moved elsewhere does not open. */
  seal(place: string, plain: string): Uint8Array
  /** Undefined for content that was changed, moved or sealed under another key. */
  open(place: string, sealed: Uint8Array): string | undefined
}

export type TenantKeys = { of(tenant: string): TenantKey | Promise<TenantKey> }

/** Far more tenants than a process serves at a time. */
const maxTenants = 10_000

const openKey = (key: Buffer): TenantKey => {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `toolyard tenant ${purpose} v1`, 32))
  const [hashing, sealing] = [derive('hash'), derive('content')]
  return {
    hash: (text) => createHmac('sha256', hashing).update(text).digest('base64url'),
    seal(place, plain) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(place))
      const text = cipher.update(plain, 'utf8')
      return Buffer.concat([iv, text, cipher.final(), cipher.getAuthTag()])
    },
    open(place, sealed) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', sealing, sealed.subarray(0, ivBytes), {
          authTagLength: tagBytes,
        })
          .setAAD(Buffer.from(place))
          .setAuthTag(sealed.subarray(sealed.length - tagBytes))
        const plain = decipher.update(sealed.subarray(ivBytes, sealed.length - tagBytes))
        // Verifies the tag; in this mode it returns no bytes.
        decipher.final()
        return plain.toString('utf8')
      } catch {
        return undefined
      }
    },
  }
}

/** The keys of tenants. Each is created on first use, and stored sealed. */
export const createTenantKeys = ({
  store,
  vault,
}: {
  store: Pick<Store, 'tenantKeys'>
  vault: Pick<Vault, 'seal' | 'open'>
}): TenantKeys => {
  const keysByTenant = new Map<string, TenantKey | Promise<TenantKey>>()

  const load = async (tenant: string): Promise<TenantKey> => {
    const scope = { tenant, owner: tenantKeyOwner }
    const present =
      (await store.tenantKeys.get(tenant)) ??
      (await store.tenantKeys.add(tenant, vault.seal(scope, { key: randomBytes(32).toString('base64url') })))
    const key = openKey(Buffer.from(vault.open(scope, present)['key']!, 'base64url'))
    if (keysByTenant.size >= maxTenants) keysByTenant.clear()
    keysByTenant.set(tenant, key)
    return key
  }

  return {
    of(tenant) {
      const cachedKey = keysByTenant.get(tenant)
      if (cachedKey !== undefined) return cachedKey
      const loading = load(tenant)
      keysByTenant.set(tenant, loading)
      loading.catch(() => keysByTenant.delete(tenant))
      return loading
    },
  }
}
