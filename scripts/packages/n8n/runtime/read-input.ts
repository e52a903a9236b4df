/** How to read a field of a step or trigger, as generated from the manifest. */
export type FieldSpec = {
  name: string
  /** As the form shows it. */
  title?: string
  control: string
  /** The parameter is under "Additional Fields". */
  more?: boolean
  /** The server's unit is smaller than the displayed one by this factor. */
  factor?: number
  /** An empty text is a valid value. */
  empty?: boolean
  /** Columns of a table. */
  rows?: FieldSpec[]
}
/**
 * How version 2 of a node makes items of a step's output. `list`: the field whose entries are the records. `page`: the
 * most records of one request. `simple`: paths of the fields of a record that remain with "Simplify".
 */
export type RecordSpec = { list?: string; page?: number; simple?: string[] }
export type StepSpecs = Record<string, { effect: string; fields: FieldSpec[] } & RecordSpec>
export type TriggerSpecs = Record<string, { fields: FieldSpec[]; options: FieldSpec[] }>

type Values = Record<string, unknown>
type ReadParameter = (name: string) => unknown

/** A resource locator wraps the chosen value in an object. */
export const unwrap = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && '__rl' in value ? (value as { value?: unknown }).value : value

const wrongJson = (name: string) =>
  new Error(`"${name}" is not valid JSON. Correct it, or give it by an expression that returns an object or a list.`)

const parseJson = (name: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return undefined
  try {
    return JSON.parse(value)
  } catch {
    return wrongJson(name)
  }
}

/** A list that was chosen in the form or made by an expression: a list, or comma-separated texts. */
const listOf = (value: unknown): string[] | undefined => {
  const items = (Array.isArray(value) ? value.flat() : String(value).split(','))
    .map((item) => String(unwrap(item)).trim())
    .filter((item) => item !== '')
  return items.length > 0 ? items : undefined
}

/** Minutes by which the zone is ahead of UTC at a time (ms since the epoch). */
const offsetAt = (time: number, zone: string) => {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(time)
  const [, sign, hours, minutes] =
    /GMT([+-])(\d\d):(\d\d)/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '') ?? []
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/** n8n gives the local time in the workflow's zone; the server requires a time with its zone. */
export const withZone = (value: unknown, zone: string): unknown => {
  if (value instanceof Date) return value.toISOString()
  const { toISO } = (typeof value === 'object' && value !== null ? value : {}) as { toISO?: () => string }
  if (toISO) return toISO.call(value)
  const text = String(value).trim()
  const wall = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.exec(text)
  if (!wall) return text === '' ? undefined : text
  const asUtc = Date.parse(`${text.replace(' ', 'T')}${wall[1] ? '' : 'T00:00:00'}Z`)
  // Uses the offset at the intended time, not at the same digits read as UTC: they differ around a clock change.
  const guess = asUtc - offsetAt(asUtc, zone) * 60_000
  return new Date(asUtc - offsetAt(guess, zone) * 60_000).toISOString()
}

const textOf = (value: unknown, mayBeEmpty: boolean) => {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text === '' && !mayBeEmpty ? undefined : text
}

const numberOf = (value: unknown, factor: number) => {
  if (value === '') return undefined
  const number = Number(value)
  // Passes on what is not a number: the server refuses it and names the field.
  return Number.isNaN(number) ? value : number * factor
}

/** Values of the account's own fields, as n8n's mapper stores them; fields left empty are not changed. */
const mapped = (value: unknown, zone: string) => {
  const { value: values, schema = [] } = value as { value?: Values | null; schema?: { id: string; type?: string }[] }
  const dates = new Set(schema.filter(({ type }) => type === 'dateTime').map(({ id }) => id))
  const filled = Object.entries(values ?? {}).filter(([, one]) => one !== null && one !== undefined && one !== '')
  return Object.fromEntries(filled.map(([name, one]) => [name, dates.has(name) ? withZone(one, zone) : one]))
}

const convert = (spec: FieldSpec, given: unknown, zone: string): unknown => {
  const value = unwrap(given)
  if (value === undefined || value === null) return undefined
  switch (spec.control) {
    case 'pick-many':
    case 'choices':
    case 'list':
      return listOf(value)
    case 'number':
    case 'duration':
      return numberOf(value, spec.factor ?? 1)
    case 'switch':
      return value === 'true' ? true : value === 'false' ? false : value
    case 'date-time':
      return withZone(value, zone)
    case 'account':
      return mapped(value, zone)
    case 'json':
      return parseJson(spec.name, value)
    default:
      return textOf(value, spec.empty === true && spec.more === true)
  }
}

const rowsOf = (spec: FieldSpec, read: ReadParameter, zone: string): unknown => {
  if (read(`${spec.name}Source`) === 'json') return parseJson(spec.name, read(`${spec.name}Json`))
  const { rows = [] } = (read(spec.name) ?? {}) as { rows?: Values[] }
  return rows.map((row) => readInput(spec.rows ?? [], (name) => row[name], zone))
}

/**
 * Reads the input of a step or the config of a trigger from the node's parameters; empty fields are left out. @throws
 * Error that names the field
 */
export const readInput = (fields: FieldSpec[], read: ReadParameter, zone: string): Values => {
  const more = (read('more') ?? {}) as Values
  const others = parseJson('otherFields', more['otherFields'])
  if (others instanceof Error) throw others
  const input: Values = { ...(others as Values | undefined) }
  for (const spec of fields) {
    const value =
      spec.control === 'rows'
        ? rowsOf(spec, read, zone)
        : convert(spec, spec.more ? more[spec.name] : read(spec.name), zone)
    if (value instanceof Error) throw value
    if (value !== undefined) input[spec.name] = value
  }
  return input
}
