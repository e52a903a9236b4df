/**
 * A form renderer as a platform would write it: it knows manifest.schema.json and nothing of this repository. `draw`
 * gives the fields that a person sees. `fillIn` is the person: it takes first choices, and types an example elsewhere.
 */
export type Field = {
  name: string
  title: string
  control: string
  required: boolean
  place: 'main' | 'more'
  default?: unknown
  choices?: string[]
  labels?: Record<string, string>
  dependsOn?: string[]
  showWhen?: { field: string; is?: unknown[] }
  placeholder?: string
  unit?: string
  min?: number
  max?: number
  row?: Layout
}
export type Layout = {
  fields: Field[]
  oneOf: { exactlyOne: boolean; sets: { title: string; fields: string[] }[] } | null
}
export type Values = Record<string, unknown>
/** What the platform asks the server for, and the example a person would type from. */
export type Host = {
  options(field: string, values: Values): Promise<{ value: string }[]>
  /** Fields that the account defines inside a field, where the step has such. */
  account?: { field: string; dependsOn: string[]; load(values: Values): Promise<Layout> }
  /** Stores a file of the person. */
  upload(): Promise<{ file: string }>
  example: Values
}

/** Names the field that a person cannot fill in. */
export class CannotFill extends Error {}

const isShown = ({ showWhen }: Field, values: Values) => {
  if (!showWhen) return true
  const value = values[showWhen.field]
  return showWhen.is ? showWhen.is.includes(value) : value !== undefined && value !== ''
}

/** The fields on the screen, in order: with the segment chosen, "more fields" opened or not. */
export const draw = ({ fields, oneOf }: Layout, values: Values, segment: number, isOpen: boolean): Field[] => {
  const elsewhere = new Set(oneOf?.sets.flatMap((set, at) => (at === segment ? [] : set.fields)))
  for (const name of oneOf?.sets[segment]?.fields ?? []) elsewhere.delete(name)
  const isHere = ({ name, place }: Field) => !elsewhere.has(name) && (isOpen || place === 'main')
  return fields.filter((field) => isHere(field) && isShown(field, values))
}

const hour: Record<string, number> = { ms: 3_600_000, seconds: 3600, minutes: 60, hours: 1, days: 1 }

const typedControls = ['text', 'long-text', 'url', 'email', 'date-time']
const typed = ({ name, placeholder }: Field, { example }: Host) =>
  typeof example[name] === 'string' ? example[name] : placeholder

const rowOf = async (field: Field, host: Host) => {
  const [first] = (host.example[field.name] ?? []) as Values[]
  return [await fillIn(field.row!, { ...host, example: first ?? {} }, { segment: 0, optionalFields: [] })]
}

/** Each field of the account that can be answered. */
const accountValues = async (layout: Layout, host: Host): Promise<Values> => {
  const values: Values = {}
  for (const field of layout.fields) {
    const value = await answer(field, values, host, 0)
    if (value !== undefined) values[field.name] = value
  }
  return values
}

const answer = async (field: Field, values: Values, host: Host, turn: number): Promise<unknown> => {
  const { control, choices = [] } = field
  switch (control) {
    case 'pick':
    case 'pick-many': {
      const choice = (await host.options(field.name, values))[turn]?.value
      return choice === undefined || control === 'pick' ? choice : [choice]
    }
    case 'choice':
      return host.example[field.name] ?? choices[0]
    case 'choices':
      return choices.slice(0, 1)
    case 'switch':
      return true
    case 'duration':
      return field.default ?? Math.min(hour[field.unit!]!, field.max ?? Infinity)
    case 'number':
      return field.default ?? (field.placeholder === undefined ? undefined : Number(field.placeholder))
    case 'rows':
      return rowOf(field, host)
    case 'list': {
      const texts = host.example[field.name] as string[] | undefined
      return texts ?? (field.placeholder === undefined ? undefined : [field.placeholder])
    }
    case 'json':
      if (host.account?.field === field.name) return accountValues(await host.account.load(values), host)
      return host.example[field.name] ?? (field.placeholder === undefined ? undefined : JSON.parse(field.placeholder))
    case 'file':
      return host.upload()
    default:
      if (typedControls.includes(control)) return typed(field, host)
      throw new Error(`The control "${control}" of "${field.name}" is unknown.`)
  }
}

/** A field with all that it is chosen by or shown with. */
const withParents = (layout: Layout, name: string): string[] => {
  const { dependsOn = [], showWhen } = layout.fields.find((field) => field.name === name)!
  return [name, ...[...dependsOn, ...(showWhen ? [showWhen.field] : [])].flatMap((other) => withParents(layout, other))]
}

type FormChoices = { segment: number; optionalFields: string[] }
/**
 * Fills in what the form insists on, the segment, and the `optionalFields` with what they depend on. A dropdown that
 * turns out empty sends the person back to the field it depends on, for the next choice there. Throws `CannotFill`.
 */
export const fillIn = async (layout: Layout, host: Host, { segment, optionalFields }: FormChoices): Promise<Values> => {
  const must = layout.fields.filter(({ required }) => required).map(({ name }) => name)
  const names = [...must, ...(layout.oneOf?.sets[segment]?.fields ?? []), ...optionalFields]
  const needed = new Set(names.flatMap((name) => withParents(layout, name)))
  const turns: Record<string, number> = {}
  const attempt = async (): Promise<Values> => {
    const values: Values = {}
    for (;;) {
      const isReady = ({ name, dependsOn = [] }: Field) =>
        needed.has(name) && !(name in values) && dependsOn.every((other) => values[other] !== undefined)
      const next = layout.fields.find((field) => isReady(field) && isShown(field, values))
      if (!next) break
      const child = layout.fields.find(({ name, showWhen }) => needed.has(name) && showWhen?.field === next.name)
      const value = child?.showWhen?.is?.[0] ?? (await answer(next, values, host, turns[next.name] ?? 0))
      const parent = next.dependsOn?.at(-1)
      if (value === undefined && parent !== undefined) {
        turns[next.name] = 0
        turns[parent] = (turns[parent] ?? 0) + 1
        return attempt()
      }
      if (value === undefined) throw new CannotFill(next.name)
      values[next.name] = value
    }
    const missing = [...needed].find((name) => values[name] === undefined)
    if (missing !== undefined) throw new CannotFill(missing)
    return values
  }
  return attempt()
}
