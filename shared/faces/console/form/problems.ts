/** Errors in a form: found before it is sent, and reported by the server afterwards. */
import { Unreadable, isEmpty, nearestSet, rowLayout, setFields, visibleFields } from './draft.ts'
import type { Draft, Layout, LayoutField, Values } from './draft.ts'

/** `pointer`: JSON pointer into the values, such as `/contacts/0/email`; `''`: the form as a whole. */
export type FormError = { pointer: string; message: string }

const unescape = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')
const escape = (part: string | number) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')
export const pointerTo = (...parts: (string | number)[]) => parts.map((part) => `/${escape(part)}`).join('')

/**
 * The field that a problem+json pointer names, and the rest of the pointer. The body may wrap the values in `input`,
 * `config` or something else.
 */
export const fieldOf = (
  layout: Layout,
  pointer: string,
): { field: LayoutField; remainingPointer: string } | undefined => {
  const parts = pointer.split('/').slice(1)
  for (const at of [0, 1]) {
    const field = layout.fields.find(({ name }) => parts[at] !== undefined && name === unescape(parts[at]))
    if (field)
      return {
        field,
        remainingPointer: parts
          .slice(at + 1)
          .map((part) => `/${part}`)
          .join(''),
      }
  }
  return undefined
}

/** Assigns problem+json errors to a form's fields; errors that name none of its fields get an empty pointer. */
export const errorsOf = (layout: Layout, errors: FormError[] = []): FormError[] =>
  errors.map(({ pointer, message }) => {
    const fieldPointer = fieldOf(layout, pointer)
    return { pointer: fieldPointer ? pointerTo(fieldPointer.field.name) + fieldPointer.remainingPointer : '', message }
  })

const chosen = new Set(['choice', 'choices', 'pick', 'pick-many', 'file', 'connection', 'switch'])

const ofNumber = ({ title, min, max, unit }: LayoutField, value: number) => {
  const counted = unit === undefined ? '' : ` ${unit}`
  if (min !== undefined && value < min) return `${title} must be at least ${min}${counted}.`
  return max !== undefined && value > max ? `${title} must be at most ${max}${counted}.` : undefined
}

const isAddress = (text: string) => {
  try {
    return /^https?:$/.test(new URL(text).protocol)
  } catch {
    return false
  }
}

/** What is wrong with a value that is not empty. */
const ofValue = (field: LayoutField, value: unknown): string | undefined => {
  const { title, control } = field
  if (value instanceof Unreadable) return `${title}: ${value.reason}`
  if (typeof value === 'number') return ofNumber(field, value)
  if (control === 'url' && typeof value === 'string' && !isAddress(value))
    return `${title} is not an address that starts with http:// or https://.`
  if (control === 'email' && typeof value === 'string' && !/^[^\s@]+@\S+$/.test(value))
    return `${title} is not an e-mail address, such as ada@example.com.`
  return undefined
}

/** Errors inside a value: in the rows of a table, or among the account's fields. */
const within = (field: LayoutField, value: unknown, at: string): FormError[] => {
  if (field.control === 'rows' && Array.isArray(value))
    return (value as Values[]).flatMap((row, index) => {
      const [place, prefix] = [`${at}/${index}`, `${field.title} ${index + 1}: `]
      const draft = { values: row }
      return [
        ...check(rowLayout(field), draft, place, prefix),
        ...ofSets({ fields: field.row?.fields ?? [], oneOf: field.row?.oneOf ?? null }, draft, place, prefix),
      ]
    })
  if (typeof value !== 'object' || value === null || value instanceof Unreadable) return []
  return Object.entries(value).flatMap(([name, part]) =>
    part instanceof Unreadable ? [{ pointer: at + pointerTo(name), message: `${field.title}: ${part.reason}` }] : [],
  )
}

const ofSets = (layout: Layout, { values }: Draft, at: string, prefix: string): FormError[] => {
  if (!layout.oneOf) return []
  const { sets, exactlyOne } = layout.oneOf
  const complete = sets.filter(({ fields }) => fields.every((name) => !isEmpty(values[name])))
  const filled = [...setFields(layout)].filter((name) => !isEmpty(values[name]))
  const isFine = exactlyOne
    ? complete.some(({ fields }) => filled.every((name) => fields.includes(name)))
    : complete.length > 0
  if (isFine) return []
  const names = sets.map(({ title }) => `“${title}”`)
  return [
    { pointer: at, message: `${prefix}Fill in ${exactlyOne ? 'exactly' : 'at least'} one of ${names.join(', ')}.` },
  ]
}

const check = (layout: Layout, draft: Draft, at: string, prefix: string): FormError[] => [
  ...visibleFields(layout, draft).flatMap((field): FormError[] => {
    const value = draft.values[field.name]
    const pointer = at + pointerTo(field.name)
    if (isEmpty(value))
      return field.required
        ? [
            {
              pointer,
              message: `${prefix}${chosen.has(field.control) ? 'Choose' : 'Enter'} “${field.title}”: it is required.`,
            },
          ]
        : []
    const problem = ofValue(field, value)
    return [
      ...(problem === undefined ? [] : [{ pointer, message: prefix + problem }]),
      ...within(field, value, pointer),
    ]
  }),
  ...ofSets(layout, draft, at, prefix),
]

/** Errors to fix before the form is sent. The server has the final word; this check only saves a request. */
export const problemsOf = (layout: Layout, draft: Draft): FormError[] =>
  check(layout, draft, '', '').map((error) => {
    // An error of the form as a whole is fixed in the set that lacks least.
    const fields = nearestSet(layout, draft)?.fields ?? []
    const first = fields.find((name) => isEmpty(draft.values[name])) ?? fields[0]
    return error.pointer === '' && first !== undefined ? { ...error, pointer: pointerTo(first) } : error
  })
