import { emailKey, failField, linkedinPersonSlug, normalisePhone } from '#kit'

/** Identifies one person, in normalised form: an address in lower case, the slug of a profile, or a number as E.164. */
export type Identifier = { kind: 'email' | 'linkedin' | 'phone'; value: string }
/**
 * An identifier as callers give it: exactly one of these. `emailSha256`: SHA-256 of the address in lower case,
 * hexadecimal, the form in which opt-out lists are exchanged.
 */
export type GivenIdentifier = {
  email?: string | undefined
  linkedin?: string | undefined
  phone?: string | undefined
  emailSha256?: string | undefined
}

const normalisers = { email: emailKey, linkedin: linkedinPersonSlug, phone: normalisePhone }
const kinds = ['email', 'linkedin', 'phone'] as const

/** @throws Failure `invalid_input` naming the field */
export const readIdentifier = (givenIdentifier: GivenIdentifier, at: string): Identifier => {
  const named = kinds.filter((kind) => givenIdentifier[kind] !== undefined)
  const [kind] = named
  if (kind === undefined || named.length > 1)
    throw failField(at, 'Give one of email, linkedin (address of a profile, or its slug) or phone (with its country).')
  const read = normalisers[kind](givenIdentifier[kind])
  if (!read.ok) throw failField(`${at}/${kind}`, read.reason)
  return { kind, value: read.value }
}
