import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { fail } from '#kit'
import type { Vault, VaultScope } from '../runtime/ports/index.ts'

export type VaultOptions = {
  /** 32 random bytes. */
  masterKey: Buffer
  /** Written into every envelope; derived from the key by default. Letters, digits, `_` and `-`. */
  keyId?: string
  /** Keys that still open values but no longer seal them, while values are re-sealed. */
  previous?: { id: string; key: Buffer }[]
}

const ivBytes = 12
const tagBytes = 16
/** Asking for random bytes costs as much as sealing a value with them. */
const ivsPerDraw = 256
const maxDerivedKeys = 10_000

/**
 * Seals each value separately: `v1.<keyId>.<iv>.<ciphertext>.<tag>`, AES-256-GCM under a data key that is derived per
 * tenant from the master key. Tenant, owner and field are authenticated data, so a value moved elsewhere does not open.
 */
export const createVault = (options: VaultOptions): Vault => {
  let keyId = options.keyId ?? keyIdOf(options.masterKey)
  const masters = new Map([
    ...(options.previous ?? []).map(({ id, key }) => [id, key] as const),
    [keyId, options.masterKey],
  ])
  const check = (id: string, key: Buffer) => {
    if (key.length !== 32)
      throw fail('invalid_input', `The master key "${id}" must have 32 bytes; it has ${key.length}.`)
    if (!/^[\w-]{1,64}$/.test(id))
      throw fail('invalid_input', 'A master key id may hold letters, digits, "_" and "-" only.')
  }
  for (const [id, key] of masters) check(id, key)
  // Key objects: with the bytes of a key, each cipher would make one of its own, which costs twice as much as sealing.
  const derived = new Map<string, KeyObject>()
  const derive = (id: string, purpose: string): KeyObject | undefined => {
    const master = masters.get(id)
    if (!master) return undefined
    const name = `${id} ${purpose}`
    const derivedKey = derived.get(name)
    if (derivedKey) return derivedKey
    if (derived.size >= maxDerivedKeys) derived.clear()
    const bytes = hkdfSync('sha256', master, Buffer.from(id), `toolyard ${purpose}`, 32)
    const key = createSecretKey(Buffer.from(bytes))
    derived.set(name, key)
    return key
  }
  const dataKey = (id: string, tenant: string) => derive(id, `data key v1 ${tenant}`)

  const ivs = Buffer.alloc(ivBytes * ivsPerDraw)
  let ivsUsed = ivs.length
  /** Random bytes, each of which is used once. */
  const nextIv = (): Buffer => {
    if (ivsUsed === ivs.length) {
      randomFillSync(ivs)
      ivsUsed = 0
    }
    return ivs.subarray(ivsUsed, (ivsUsed += ivBytes))
  }

  const sealValue = (scope: VaultScope, field: string, plain: string): string => {
    const iv = nextIv()
    const cipher = createCipheriv('aes-256-gcm', dataKey(keyId, scope.tenant)!, iv).setAAD(boundTo(keyId, scope, field))
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
    return ['v1', keyId, ...[iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.')
  }

  const openValue = (scope: VaultScope, field: string, envelope: string): string => {
    const [version, id, ...parts] = envelope.split('.')
    const [iv, sealed, tag] = parts.map(exactBytes)
    if (version !== 'v1' || !id || parts.length !== 3 || iv?.length !== ivBytes || !sealed || tag?.length !== tagBytes)
      throw damaged(field)
    const key = dataKey(id, scope.tenant)
    if (!key) {
      throw fail(
        'not_connected',
        `The stored secret "${field}" is sealed under the master key "${id}", which this process was not given. Give it as a previous key, or enter the secret again.`,
      )
    }
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
        .setAAD(boundTo(id, scope, field))
        .setAuthTag(tag)
      return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8')
    } catch {
      throw damaged(field)
    }
  }

  const signatureOf = (id: string, text: string): string | undefined => {
    const key = derive(id, 'signing key v1')
    return key && ['v1', id, createHmac('sha256', key).update(text).digest('base64url')].join('.')
  }

  return {
    sign: (text) => signatureOf(keyId, text)!,
    signedUnder,
    verify: (text, signature) => {
      const expected = signatureOf(signedUnder(signature), text)
      return expected === undefined
        ? undefined
        : expected.length === signature.length && timingSafeEqual(Buffer.from(expected), Buffer.from(signature))
    },
    get keyId() {
      return keyId
    },
    previous: () => [...masters.keys()].filter((id) => id !== keyId),
    use(masterKey) {
      const id = keyIdOf(masterKey)
      check(id, masterKey)
      masters.set(id, masterKey)
      keyId = id
      return id
    },
    drop(id) {
      if (id === keyId) throw fail('internal', 'The present master key cannot be dropped.')
      masters.delete(id)
      for (const name of derived.keys()) if (name.startsWith(`${id} `)) derived.delete(name)
    },
    sealedUnder: (sealed) => Object.values(sealed)[0]?.split('.')[1] ?? null,
    seal: (scope, plain) =>
      Object.fromEntries(Object.entries(plain).map(([field, value]) => [field, sealValue(scope, field, value)])),
    open: (scope, sealed) =>
      Object.fromEntries(Object.entries(sealed).map(([field, value]) => [field, openValue(scope, field, value)])),
    stale: (sealed) => Object.values(sealed).some((value) => value.split('.')[1] !== keyId),
  }
}

const signedUnder = (signature: string) => signature.split('.')[1] ?? ''

/** A new master key. */
export const newMasterKey = (): Buffer => randomFillSync(Buffer.alloc(32))

/** Short public name of a master key; reveals nothing about the key. */
export const keyIdOf = (key: Buffer): string =>
  createHash('sha256').update('toolyard master key id v1').update(key).digest('hex').slice(0, 12)

/** The authenticated data of a value, as JSON so that no two scopes give the same bytes. */
const boundTo = (keyId: string, { tenant, owner }: VaultScope, field: string): Buffer =>
  Buffer.from(JSON.stringify(['v1', keyId, tenant, owner, field]))

/** Undefined unless the text is the canonical base64url of its bytes: unused bits must not hide a change. */
const exactBytes = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

const damaged = (field: string) =>
  fail(
    'not_connected',
    `The stored secret "${field}" does not open: it was changed, moved here from elsewhere, or sealed under another master key. Enter it again, or restore a backup.`,
  )
