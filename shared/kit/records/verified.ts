import { asText } from '../as-text.ts'
import { normaliseCountry } from '../normalise/country.ts'
import { normalisePhone, phoneCandidates } from '../normalise/phone.ts'

type Fields = { [field: string]: unknown }
type Entry = { [field: string]: unknown }

const ofType = (type: RegExp) => (entry: Entry) => typeof entry.type === 'string' && type.test(entry.type)
export const isWork = ofType(/work|business|professional|corporate/i)
export const isPersonal = ofType(/personal|private|home/i)
export const isMobile = ofType(/mobile|cell/i)
export const isDirect = ofType(/direct/i)
const isOffice = ofType(/office|work|business|company|main|hq|switchboard|landline|fixed/i)

/** Whether the provider itself marks the address as unusable. */
export const isDead = ({ status }: Entry) =>
  typeof status === 'string' && /^(invalid|undeliverable|bounced?|unavailable)$/i.test(status)

export const deliverabilities = ['yes', 'risky', 'no', 'unknown'] as const
export type Deliverable = (typeof deliverabilities)[number]

const deliverablePattern = /^(valid|verified|deliverable|safe)$/i
const riskyPattern = /^(accept[ _-]?all|catch[ _-]?all|risky|unverified|guessed|extrapolated|disposable)$/i

/** What a provider says about an e-mail address, in the same words for all of them. */
export const deliverableOf = (entry: Entry): Deliverable => {
  if (isDead(entry)) return 'no'
  const status = typeof entry.status === 'string' ? entry.status.trim() : ''
  return deliverablePattern.test(status) ? 'yes' : riskyPattern.test(status) ? 'risky' : 'unknown'
}

export const lines = ['mobile', 'direct', 'office', 'unknown'] as const
export type Line = (typeof lines)[number]

/** The kind of a number, in the same words for all providers. */
export const lineOf = (entry: Entry): Line =>
  isMobile(entry) ? 'mobile' : isDirect(entry) ? 'direct' : isOffice(entry) ? 'office' : 'unknown'

/** Calling codes of the countries whose numbers providers also write in national form. */
const callingCodes: { [country: string]: string } = { AU: '+61', NZ: '+64' }

/** A number in E.164. Without a country code, it is read with the country of its record; undefined if that is unknown. */
export const e164Of = ({ number }: Entry, { countryCode, country }: Fields): string | undefined => {
  const read = normalisePhone(number)
  if (read.ok) return read.value
  const home = [countryCode, country].map((text) => normaliseCountry(text)).find(({ ok }) => ok)
  const code = home?.ok === true ? callingCodes[home.value] : undefined
  if (code === undefined || !asText(number).trim().startsWith('0')) return undefined
  return phoneCandidates(asText(number)).find((candidate) => candidate.startsWith(code))
}

/** What a provider says about an entry of `emails` or `phones`, in the same words for all providers. */
export const statementsOf = (list: string, entry: Entry, record: Fields): Entry => {
  if (list === 'emails') return { deliverable: deliverableOf(entry) }
  if (list !== 'phones') return {}
  const e164 = e164Of(entry, record)
  return {
    ...(e164 === undefined ? {} : { e164 }),
    line: lineOf(entry),
    doNotCall: asText(entry.doNotCall ?? 'unknown'),
  }
}

/** The date of a value, RFC 3339: the first of the provider's dates that can be parsed, otherwise when it was read. */
export const valueDate = (dates: unknown[], readAt: string): string => {
  const time = dates.map((date) => Date.parse(String(date))).find((candidate) => !Number.isNaN(candidate))
  return time === undefined ? readAt : new Date(time).toISOString()
}

/** Adds `asOf` to each address and number of a record. */
export const withAges = (record: Fields, readAt: string): Fields => {
  const dated = { ...record }
  for (const list of ['emails', 'phones']) {
    const entries = record[list]
    if (!Array.isArray(entries)) continue
    dated[list] = (entries as Entry[]).map((entry) => ({
      ...entry,
      asOf: valueDate([entry.updatedAt, record.updatedAt], readAt),
    }))
  }
  return dated
}
