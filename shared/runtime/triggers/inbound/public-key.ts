import { createPublicKey } from 'node:crypto'
import type { JsonWebKey, KeyObject } from 'node:crypto'

type Algorithm = 'ed25519' | 'ecdsa-sha256' | 'rsa-sha256'
type PublicKey = { key: KeyObject; isKey: boolean }

const ed25519Bytes = 32
const ed25519Jwk = (bytes: Uint8Array): JsonWebKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(bytes).toString('base64url'),
})

/** Keys of nobody, which stand for a missing one so that the same work is done. The point is the generator of P-256. */
const standIns: { [algorithm in Algorithm]: JsonWebKey } = {
  ed25519: ed25519Jwk(new Uint8Array(ed25519Bytes).fill(1)),
  'ecdsa-sha256': {
    kty: 'EC',
    crv: 'P-256',
    x: 'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY',
    y: 'T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
  },
  'rsa-sha256': { kty: 'RSA', n: Buffer.alloc(256, 0xc3).toString('base64url'), e: 'AQAB' },
}
const keyTypes = { 'ecdsa-sha256': 'ec', 'rsa-sha256': 'rsa' } as const

/** A public key as PEM, or its SubjectPublicKeyInfo in base64; undefined when the text is none. */
export const readPublicKey = (text: string): KeyObject | undefined => {
  try {
    return text.includes('-----BEGIN')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
  } catch {
    // OpenSSL throws for anything that is no key, and its messages may repeat the text.
    return undefined
  }
}

const read = (algorithm: Algorithm, text: string): KeyObject | undefined => {
  if (algorithm === 'ed25519') {
    const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
    return bytes.byteLength === ed25519Bytes ? createPublicKey({ key: ed25519Jwk(bytes), format: 'jwk' }) : undefined
  }
  const key = readPublicKey(text)
  return key?.asymmetricKeyType === keyTypes[algorithm] ? key : undefined
}

/**
 * The provider's public key: for Ed25519 its 32 bytes in hexadecimal or base64, otherwise PEM or base64. Any other text
 * gives a key that verifies nothing, with `isKey` false.
 */
export const publicKeyOf = (algorithm: Algorithm, text: string): PublicKey => {
  const key = read(algorithm, text)
  return { key: key ?? createPublicKey({ key: standIns[algorithm], format: 'jwk' }), isKey: key !== undefined }
}
