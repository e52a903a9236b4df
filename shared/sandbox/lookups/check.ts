/** Strict reading of request bodies. A lenient sandbox would hide the mistakes that it is meant to find. */

export type Problem = { status: number; code: string; message: string; /** The field that is wrong. */ field?: string }
export type CheckedValue<T> = { ok: true; value: T } | { ok: false; problem: Problem }

export type Values = Record<string, unknown>
type FieldType = 'string' | 'integer' | 'strings'

export const badRequest = (message: string, field?: string): { ok: false; problem: Problem } => ({
  ok: false,
  problem: { status: 400, code: 'INVALID', message, ...(field === undefined ? {} : { field }) },
})

const isFilled = (value: unknown) => typeof value === 'string' && value.trim() !== '' && value.length <= 500
const fits: Record<FieldType, (value: unknown) => boolean> = {
  string: isFilled,
  integer: (value) => Number.isSafeInteger(value),
  strings: (value) => Array.isArray(value) && value.length > 0 && value.length <= 50 && value.every(isFilled),
}
const described: Record<FieldType, string> = {
  string: 'a non-empty string of at most 500 characters',
  integer: 'an integer',
  strings: 'a non-empty list of strings',
}

/** Reads a flat object that may contain only the known fields, each of its type. */
export const readFields = (body: unknown, knownFields: Record<string, FieldType>): CheckedValue<Values> => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return badRequest('The body has to be a JSON object.')
  }
  for (const [name, value] of Object.entries(body)) {
    const type = Object.hasOwn(knownFields, name) ? knownFields[name] : undefined
    if (type === undefined)
      return badRequest(`Unknown field "${name}". Known: ${Object.keys(knownFields).join(', ')}.`, name)
    if (!fits[type](value)) return badRequest(`"${name}" has to be ${described[type]}.`, name)
  }
  return { ok: true, value: body as Values }
}

const listed = (sets: string[][]) => sets.map((set) => set.join(' + ')).join('; or ')

/** The only set of fields that is given; it must be complete. */
export const readOneSet = (values: Values, sets: string[][]): CheckedValue<string[]> => {
  const rule = `Give exactly one of: ${listed(sets)}.`
  const begun = sets.filter((set) => set.some((name) => name in values))
  const [set, other] = begun
  if (set === undefined) return badRequest(rule, sets[0]?.[0])
  if (other !== undefined)
    return badRequest(
      `${rule} Here are several.`,
      other.find((name) => name in values),
    )
  const missing = set.find((name) => !(name in values))
  return missing === undefined ? { ok: true, value: set } : badRequest(`${rule} "${missing}" is missing.`, missing)
}

const urlOf = (text: string): URL | undefined => {
  try {
    return /^https?:\/\//i.test(text) ? new URL(text) : undefined
  } catch {
    return undefined
  }
}

/** The slug of a LinkedIn page of this kind, in lower case. */
export const slugOfUrl = (text: string, kind: 'in' | 'company'): string | undefined => {
  const url = urlOf(text)
  if (url === undefined || !/(^|\.)linkedin\.com$/.test(url.hostname)) return undefined
  const [segment, slug] = url.pathname.split('/').filter(Boolean)
  if (segment !== kind || slug === undefined) return undefined
  try {
    return decodeURIComponent(slug).normalize('NFC').toLowerCase()
  } catch {
    return undefined
  }
}

export const hostOfUrl = (text: string): string | undefined => urlOf(text)?.hostname.replace(/^www\./, '')

type Format = { wants: string; fits: (text: string) => boolean }
export const formats: Record<'email' | 'personUrl' | 'companyUrl' | 'slug' | 'domain' | 'website' | 'abn', Format> = {
  email: { wants: 'an e-mail address', fits: (text) => /^[^\s@]+@[^\s@.]+\.[^\s@]+$/.test(text) },
  personUrl: { wants: 'the address of a LinkedIn profile', fits: (text) => slugOfUrl(text, 'in') !== undefined },
  companyUrl: {
    wants: 'the address of a LinkedIn company page',
    fits: (text) => slugOfUrl(text, 'company') !== undefined,
  },
  slug: { wants: 'a LinkedIn slug, not an address', fits: (text) => /^[^\s/:?#.%]+$/u.test(text) },
  domain: { wants: 'a domain without scheme and path', fits: (text) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text) },
  website: { wants: 'a web address with scheme', fits: (text) => hostOfUrl(text) !== undefined },
  abn: { wants: 'a string of 11 digits', fits: (text) => /^\d{11}$/.test(text) },
}

/** Checks that the named fields have their format; fields without a format pass. */
export const checkFormat = (
  values: Values,
  names: string[],
  formatOf: Record<string, Format>,
): CheckedValue<Values> => {
  for (const name of names) {
    const format = formatOf[name]
    if (format !== undefined && !format.fits(String(values[name]))) {
      return badRequest(`"${name}" has to be ${format.wants}.`, name)
    }
  }
  return { ok: true, value: values }
}
