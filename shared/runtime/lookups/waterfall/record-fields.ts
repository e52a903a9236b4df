import { isDead, isDirect, isMobile, isPersonal, isWork, recordShapes } from '#kit'

export type Kind = 'person' | 'company'
export const kinds: Kind[] = ['person', 'company']

export type Fields = { [field: string]: unknown }
export type Entry = { [field: string]: unknown }

/** Ids and statements of one provider, which would mean nothing in a record combined from several. */
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

/** Wanted fields that are entries of one kind in a list: a desk number does not count as a mobile number. */
const parts: { [want: string]: { list: 'emails' | 'phones'; is(entry: Entry): boolean } } = {
  emails: { list: 'emails', is: () => true },
  email: { list: 'emails', is: () => true },
  workEmail: { list: 'emails', is: isWork },
  personalEmail: { list: 'emails', is: isPersonal },
  phones: { list: 'phones', is: () => true },
  mobilePhone: { list: 'phones', is: isMobile },
  directPhone: { list: 'phones', is: isDirect },
}

/** The fields of providers' records that a combined record has. */
export const mergedFields = (kind: Kind): string[] =>
  Object.keys(recordShapes[kind]!.fields).filter((name) => !ofOneProvider.has(name))

/** The fields that a caller may want. */
export const wantable = (kind: Kind): string[] => [...new Set([...Object.keys(parts), ...mergedFields(kind)])]

/** The list that contains a wanted field; undefined when it is a field of its own. */
export const listOf = (want: string): 'emails' | 'phones' | undefined => parts[want]?.list

const isThere = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

export const isFilled = (record: Fields, want: string): boolean => {
  const part = parts[want]
  if (!part) return isThere(record[want])
  return entriesOf(record, part.list).some((entry) => part.is(entry) && !isDead(entry))
}
