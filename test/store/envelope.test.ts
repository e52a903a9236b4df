import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Failure } from '#kit'
import { createVault, keyIdOf } from '../../shared/store/index.ts'

const masterKey = randomBytes(32)
const scope = { tenant: 'acme', owner: 'c1' }
const secret = 'Tok-élan-0123456789'

const refusal = (work: () => unknown): Failure => {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(Failure)
    expect((error as Failure).code).toBe('not_connected')
    expect((error as Failure).message).not.toContain(secret)
    return error as Failure
  }
  throw new Error('it opened')
}

describe('the secret envelope', () => {
  const vault = createVault({ masterKey })

  test('opens what it sealed, in the documented format, with a fresh IV each time', () => {
    const sealed = vault.seal(scope, { token: secret, empty: '' })
    expect(vault.open(scope, sealed)).toEqual({ token: secret, empty: '' })
    expect(sealed['token']).toMatch(new RegExp(`^v1\\.${vault.keyId}\\.[\\w-]{16}\\.[\\w-]+\\.[\\w-]{22}$`))
    expect(JSON.stringify(sealed)).not.toContain(secret)
    expect(vault.seal(scope, { token: secret })['token']).not.toBe(sealed['token'])
  })

  test('no IV comes twice', () => {
    const envelopes = Array.from({ length: 2_000 }, () => vault.seal(scope, { token: secret })['token']!)
    expect(new Set(envelopes.map((envelope) => envelope.split('.')[2])).size).toBe(2_000)
  })

  test('one flipped bit anywhere is refused', () => {
    const sealed = vault.seal(scope, { token: secret })['token']!
    const bytes = Buffer.from(sealed, 'latin1')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      refusal(() => vault.open(scope, { token: changed.toString('latin1') }))
    }
  })

  test('one flipped bit of IV, ciphertext or tag in valid base64url is refused', () => {
    const parts = vault.seal(scope, { token: secret })['token']!.split('.')
    for (const part of [2, 3, 4]) {
      const bytes = Buffer.from(parts[part]!, 'base64url')
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const changed = Buffer.from(bytes)
        changed[bit >> 3]! ^= 1 << (bit & 7)
        refusal(() => vault.open(scope, { token: parts.with(part, changed.toString('base64url')).join('.') }))
      }
    }
  })

  test('truncated at any place, lengthened or empty is refused', () => {
    const sealed = vault.seal(scope, { token: secret })['token']!
    for (let length = 0; length < sealed.length; length += 1)
      refusal(() => vault.open(scope, { token: sealed.slice(0, length) }))
    for (const more of [`${sealed}A`, `${sealed}.`, `${sealed}=`, ` ${sealed}`, sealed.replace('v1', 'v2')])
      refusal(() => vault.open(scope, { token: more }))
    // A shortened tag must not become a weaker check.
    const parts = sealed.split('.')
    const shortTag = Buffer.from(parts[4]!, 'base64url').subarray(0, 4).toString('base64url')
    refusal(() => vault.open(scope, { token: parts.with(4, shortTag).join('.') }))
  })

  test.each([
    ['another tenant', { tenant: 'other', owner: 'c1' }, 'token'],
    ['another owner', { tenant: 'acme', owner: 'c2' }, 'token'],
    ['another field', scope, 'key'],
    ['a scope whose parts run together the same', { tenant: 'acmec', owner: '1' }, 'token'],
  ])('a value moved to %s is refused', (_, elsewhere, field) => {
    const sealed = vault.seal(scope, { token: secret })
    refusal(() => vault.open(elsewhere, { [field]: sealed['token']! }))
  })

  test('an unknown key id is refused and named; a known previous key is read but not written with', () => {
    const next = randomBytes(32)
    const sealed = vault.seal(scope, { token: secret })
    expect(refusal(() => createVault({ masterKey: next }).open(scope, sealed)).message).toContain(vault.keyId)
    const both = createVault({ masterKey: next, previous: [{ id: vault.keyId, key: masterKey }] })
    expect(both.open(scope, sealed)).toEqual({ token: secret })
    expect(both.stale(sealed)).toBe(true)
    const again = both.seal(scope, both.open(scope, sealed))
    expect(both.stale(again)).toBe(false)
    expect(createVault({ masterKey: next }).open(scope, again)).toEqual({ token: secret })
    refusal(() => vault.open(scope, again))
  })

  test('the same id on another key is refused', () => {
    const sealed = createVault({ masterKey, keyId: 'k1' }).seal(scope, { token: secret })
    refusal(() => createVault({ masterKey: randomBytes(32), keyId: 'k1' }).open(scope, sealed))
  })

  test('a master key of the wrong length or an invalid id is refused when the vault is created', () => {
    expect(() => createVault({ masterKey: randomBytes(16) })).toThrow(/32 bytes/)
    expect(() => createVault({ masterKey, keyId: 'a.b' })).toThrow(/key id/)
    expect(() => createVault({ masterKey, previous: [{ id: 'old', key: Buffer.alloc(0) }] })).toThrow(/"old"/)
    expect(keyIdOf(masterKey)).toMatch(/^[0-9a-f]{12}$/)
  })

  test('names of built-in object members are ordinary field names', () => {
    const plain = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>
    expect(JSON.stringify(vault.open(scope, vault.seal(scope, plain)))).toBe('{"__proto__":"x","constructor":"y"}')
  })
})
