import { asText, emailKey, failField, linkedinPersonSlug, normalisePhone } from '#kit'

/**
 * Identifies one person, in normalised form: an address in lower case, the slug of a profile, a number as E.164, or the
 * id that a provider has for the person.
 */
export type Identifier = { kind: 'email' | 'linkedin' | 'phone' | 'recordId'; value: string }
/**
 * An identifier as callers give it: exactly one of these. `emailSha256`: SHA-256 of the address in lower case,
 * hexadecimal, the form in which opt-out lists are exchanged.
 */
export type GivenIdentifier = {
  email?: string | undefined
  linkedin?: string | undefined
  phone?: string | undefined
  recordId?: string | undefined
  emailSha256?: string | undefined
}

/** Ids are compared as they are. */
const readRecordId = (text: unknown): { ok: true; value: string } | { ok: false; reason: string } => {
  const value = asText(text).trim()
  return isRecordId(value)
    ? { ok: true, value }
    : {
        ok: false,
        reason: 'A recordId is the id that a provider has for the person: 1 to 64 letters, digits, "-" and "_".',
      }
}

/** Whether a text can be the id that a provider has for a person. */
export const isRecordId = (text: string): boolean => /^[\w-]{1,64}$/.test(text)

const normalisers = { email: emailKey, linkedin: linkedinPersonSlug, phone: normalisePhone, recordId: readRecordId }
const kinds = ['email', 'linkedin', 'phone', 'recordId'] as const

/** @throws Failure `invalid_input` naming the field */
export const readIdentifier = (givenIdentifier: GivenIdentifier, at: string): Identifier => {
  const named = kinds.filter((kind) => givenIdentifier[kind] !== undefined)
  const [kind] = named
  if (kind === undefined || named.length > 1)
    throw failField(
      at,
      'Give one of email, linkedin (address of a profile, or its slug), phone (with its country) or recordId (the id that a provider has for the person).',
    )
  const read = normalisers[kind](givenIdentifier[kind])
  if (!read.ok) throw failField(`${at}/${kind}`, read.reason)
  return { kind, value: read.value }
}
