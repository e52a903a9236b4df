import { createHash } from 'node:crypto'
import { failField } from '#kit'
import type { TenantKey } from '../admin/tenant-keys.ts'
import { readIdentifier } from './identifiers.ts'
import type { GivenIdentifier, Identifier } from './identifiers.ts'
import type { Mention } from './mentions.ts'

/** Keyed hash of an identifier's digest rather than of its text, so that lists of address digests can be imported. */
const hashOf = (key: TenantKey, kind: Identifier['kind'], sha256: string) => key.hash(`identifier ${kind} ${sha256}`)

/** The keyed hash of an identifier: without the tenant's key it identifies nobody. */
export const personHash = (key: TenantKey, { kind, value }: Identifier): string =>
  hashOf(key, kind, createHash('sha256').update(value).digest('hex'))

/** Whether a mention can be compared with the list: of digests, only a SHA-256 can. */
export const isComparable = ({ kind, value }: Mention): boolean => kind !== 'digest' || /^[0-9a-f]{64}$/.test(value)

/** The keyed hash of a comparable mention. */
export const mentionHash = (key: TenantKey, mention: Mention): string =>
  mention.kind === 'digest' ? hashOf(key, 'email', mention.value) : personHash(key, mention)

const algorithms = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']
/** Every digest by which others may know an address; empty for other identifiers. */
export const digestsOf = ({ kind, value }: Identifier): string[] =>
  kind === 'email' ? algorithms.map((name) => createHash(name).update(value).digest('hex')) : []

/** @throws Failure `invalid_input` naming the field */
export const givenHash = (
  key: TenantKey,
  givenIdentifier: GivenIdentifier,
  at: string,
): { hash: string; kind: Identifier['kind'] } => {
  const { emailSha256 } = givenIdentifier
  if (emailSha256 === undefined) {
    const identifier = readIdentifier(givenIdentifier, at)
    return { hash: personHash(key, identifier), kind: identifier.kind }
  }
  if (
    !/^[0-9a-f]{64}$/i.test(emailSha256) ||
    Object.values(givenIdentifier).filter((value) => value !== undefined).length > 1
  )
    throw failField(
      `${at}/emailSha256`,
      'Give the SHA-256 of the address in lower case, as 64 hexadecimal digits, and nothing beside it.',
    )
  return { hash: hashOf(key, 'email', emailSha256.toLowerCase()), kind: 'email' }
}
