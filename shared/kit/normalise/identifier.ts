import { normaliseDomain } from './domain.ts'
import { emailKey } from './email.ts'
import { linkedinCompanySlug, linkedinPersonSlug } from './linkedin.ts'

const plain = (text: string) => text.normalize('NFC').trim().replace(/\s+/g, ' ')

/** Ids are case-sensitive at some providers, so they keep their case; names and addresses do not. */
const isId = (name: string) => /(^id|Id)$/.test(name)

export type Identifier = readonly [name: string, value: unknown]

/**
 * An identifier in its normalised form, under a name that several fields may share: an e-mail address in two fields is
 * one identifier.
 */
export const identifierOf = (kind: string, name: string, value: unknown): Identifier => {
  if (typeof value !== 'string') return [name, value]
  if (isId(name)) return [name, plain(value)]
  const read = /mail/i.test(name)
    ? ([['email', emailKey(value)]] as const)
    : /linkedin/i.test(name)
      ? ([['linkedin', kind === 'company' ? linkedinCompanySlug(value) : linkedinPersonSlug(value)]] as const)
      : /domain/i.test(name)
        ? ([[name, normaliseDomain(value)]] as const)
        : []
  for (const [as, normalised] of read) if (normalised.ok) return [as, normalised.value]
  return [name, plain(value).toLowerCase()]
}
