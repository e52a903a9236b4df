import { normaliseDomain } from './domain.ts'
import { emailKey } from './email.ts'
import { linkedinCompanySlug, linkedinPersonSlug } from './linkedin.ts'

const plain = (text: string) => text.normalize('NFC').trim().replace(/\s+/g, ' ')

/** Ids are case-sensitive at some providers; names and addresses are not. */
const isId = (name: string) => /(^id|Id)$/.test(name)

export type Identifier = readonly [name: string, value: unknown]

/** An identifier in the one form that everybody means by it. What two fields name is one identifier. */
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
