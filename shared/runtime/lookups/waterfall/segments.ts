import { normaliseCountry } from '#kit'
import type { Fields } from './record-fields.ts'

/** Country and seniority of whom a lookup looks for, as far as known before a provider is asked. */
export type Features = { country?: string; seniority?: string }

const codeOf = (text: unknown): string | undefined => {
  const read = normaliseCountry(text)
  return read.ok ? read.value : undefined
}

/** Domains that are used all over the world, whatever country they were made for. */
const worldwide = new Set(['ai', 'cc', 'co', 'fm', 'gg', 'io', 'me', 'to', 'tv', 'ws'])
const countryOfDomain = (text: string | undefined): string | undefined => {
  const ending = text
    ?.trim()
    .toLowerCase()
    .match(/\.([a-z]{2})\/?$/)?.[1]
  return ending === undefined || worldwide.has(ending) ? undefined : codeOf(ending)
}

/** The levels that providers use. Any other text may be about one person, and would make a group of its own. */
const levels = new Set(
  'founder,owner,partner,c suite,executive,vp,vice president,head,director,manager,senior,junior,entry,intern,training,unpaid,other'.split(
    ',',
  ),
)
const levelOf = (seniority: unknown): string | undefined => {
  const text = typeof seniority === 'string' && seniority.length <= 40 ? seniority.toLowerCase() : ''
  const level = text
    .split(/[^a-z]/)
    .filter(Boolean)
    .join(' ')
  return levels.has(level) ? level : undefined
}

const countryIn = ({ countryCode, country }: Fields) => codeOf(countryCode) ?? codeOf(country)

/** From the identifiers, and from the records of providers that were asked before. */
export const featuresOf = (identifiers: { [name: string]: string }, records: readonly Fields[]): Features => {
  const { country: named, email, domain, companyDomain, website } = identifiers
  const domains = [companyDomain, domain, website, email].map(countryOfDomain)
  const country = [codeOf(named), ...records.map(countryIn), ...domains].find((code) => code !== undefined) ?? undefined
  const seniority = records.map((record) => levelOf(record.seniority)).find((level) => level !== undefined)
  return {
    ...(country === undefined ? {} : { country }),
    ...(seniority === undefined ? {} : { seniority }),
  }
}

/** The groups of lookups that it belongs to, the largest first; '' is all of them. */
export const segmentsOf = ({ country, seniority }: Features): string[] => [
  '',
  ...(country === undefined ? [] : [country]),
  ...(seniority === undefined ? [] : [`${country ?? 'any'} ${seniority}`]),
]
