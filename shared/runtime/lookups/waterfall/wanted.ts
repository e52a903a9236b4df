import { recordShapes } from '#kit'

export type Kind = 'person' | 'company'
export const kinds: Kind[] = ['person', 'company']

export type Fields = { [field: string]: unknown }
export type Entry = { [field: string]: unknown }

/** Ids and statements of one provider: of a record made from several they would say nothing. */
const ofOneProvider = new Set([
  'id',
  'companyId',
  'confidence',
  'suppressed',
  'updatedAt',
  'doNotCall',
  'hasEmail',
  'hasPhone',
  'hasDoNotCall',
])

export const entriesOf = (record: Fields, list: string): Entry[] => {
  const entries = record[list]
  return Array.isArray(entries) ? (entries as Entry[]) : []
}

const ofType = (type: RegExp) => (entry: Entry) => typeof entry.type === 'string' && type.test(entry.type)
export const isWork = ofType(/work|business|professional|corporate/i)

/** An address that the provider itself says nobody reads. */
const isDead = ({ status }: Entry) =>
  typeof status === 'string' && /^(invalid|undeliverable|bounced?|unavailable)$/i.test(status)

/** Wanted things that are one kind of entry of a list: a number at the desk is no mobile. */
const parts: { [want: string]: { list: 'emails' | 'phones'; is(entry: Entry): boolean } } = {
  emails: { list: 'emails', is: () => true },
  email: { list: 'emails', is: () => true },
  workEmail: { list: 'emails', is: isWork },
  personalEmail: { list: 'emails', is: ofType(/personal|private|home/i) },
  phones: { list: 'phones', is: () => true },
  mobilePhone: { list: 'phones', is: ofType(/mobile|cell/i) },
  directPhone: { list: 'phones', is: ofType(/direct/i) },
}

/** What of a provider's record goes into one that is made from several. */
export const mergedFields = (kind: Kind): string[] =>
  Object.keys(recordShapes[kind]!.fields).filter((name) => !ofOneProvider.has(name))

/** What a caller may want. */
export const wantable = (kind: Kind): string[] => [...new Set([...Object.keys(parts), ...mergedFields(kind)])]

/** The list that a wanted field is in; undefined: it is a field by itself. */
export const listOf = (want: string): 'emails' | 'phones' | undefined => parts[want]?.list

const isThere = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

export const isFilled = (record: Fields, want: string): boolean => {
  const part = parts[want]
  if (!part) return isThere(record[want])
  return entriesOf(record, part.list).some((entry) => part.is(entry) && !isDead(entry))
}
