/**
 * Builds `manifests/types.ts`: TypeScript types of every step and trigger, as short as they can be written, so that
 * compilers need not evaluate the schemas from which they are made.
 */
import { inputJsonSchema, outputJsonSchema } from '#kit'
import type { JsonSchema } from '#kit'
import type { LoadedIntegration } from '../shared/runtime/catalogue/registry.ts'

export const indent = (text: string, by: string) => text.replaceAll('\n', `\n${by}`)
const quoted = (text: string) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
export const keyOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name))
export const pascal = (text: string) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
export const comment = (text: unknown): string =>
  typeof text === 'string' && text !== ''
    ? `/** ${text.replaceAll('*/', String.raw`*\/`).replaceAll(/\s*\n\s*/g, ' ')} */\n`
    : ''

/** Direction of the values: callers may pass `undefined` for a field they omit, whereas answers never contain it. */
type Side = 'given' | 'answered'
/** Renders a schema as a type. `hint`: the name to derive a declaration's name from. */
export type Render = (schema: JsonSchema, side: Side, hint: string) => string

const plain: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

const objectBody = (schema: JsonSchema, side: Side, render: Render): string => {
  const required = new Set((schema.required ?? []) as string[])
  const { additionalProperties: more } = schema
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(([name, part]) => {
    const type = render(part, side, name)
    const orNothing = side === 'given' && type !== 'unknown' ? ' | undefined' : ''
    const about = [part.description, part.default === undefined ? '' : `Default: ${JSON.stringify(part.default)}.`]
      .filter(Boolean)
      .join(' ')
    return `${comment(about)}${keyOf(name)}${required.has(name) ? `: ${type}` : `?: ${type}${orNothing}`}`
  })
  // An index signature must also be compatible with the named fields.
  const otherType =
    fields.length === 0 && typeof more === 'object' ? render(more as JsonSchema, side, 'value') : 'unknown'
  if (more !== false) fields.push(`[field: string]: ${otherType}`)
  if (fields.length === 0) return '{ [field: string]: never }'
  return `{\n  ${fields.map((field) => indent(field, '  ')).join('\n  ')}\n}`
}

const typeBy =
  (objectType: Render): Render =>
  (schema, side, hint) => {
    const render = typeBy(objectType)
    const choices = (schema.enum ?? (schema.const === undefined ? undefined : [schema.const])) as unknown[] | undefined
    if (choices)
      return choices.map((choice) => (typeof choice === 'string' ? quoted(choice) : JSON.stringify(choice))).join(' | ')
    const options = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
    if (options) return options.map((option) => render(option, side, hint)).join(' | ')
    if (Array.isArray(schema.type))
      return schema.type.map((type: unknown) => render({ ...schema, type }, side, hint)).join(' | ')
    if (schema.type === 'object') return objectType(schema, side, hint)
    if (schema.type !== 'array') return plain[schema.type as string] ?? 'unknown'
    const item =
      schema.items === undefined ? 'unknown' : render(schema.items as JsonSchema, side, hint.replace(/s$/, ''))
    return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`
  }

const whole: Render = typeBy((schema, side) => objectBody(schema, side, whole))

const globals = new Set(['Record', 'Object', 'Array', 'Date', 'Map', 'Set', 'Error', 'Request', 'Response'])
/** Shorter types, in characters, are easier to read in place than under a name. */
const minDeclared = 120

/**
 * Renders types such that an object that occurs several times is declared once. All types must first pass through
 * `count`, then through `render`; after that, `declarations` is complete.
 */
export const createTypes = () => {
  const times = new Map<string, number>()
  const names = new Map<string, string>()
  const declarations: string[] = []
  const nameFor = (hint: string): string => {
    const wantedName = globals.has(pascal(hint)) ? `${pascal(hint)}Fields` : pascal(hint)
    const taken = new Set(names.values())
    let name = wantedName
    for (let number = 2; taken.has(name); number += 1) name = `${wantedName}${number}`
    return name
  }
  const count: Render = typeBy((schema, side, hint) => {
    const text = whole(schema, side, hint)
    times.set(text, (times.get(text) ?? 0) + 1)
    // Objects inside a repeated type repeat only because that type does, so they are counted once.
    return times.get(text) === 1 ? objectBody(schema, side, count) : text
  })
  const render: Render = typeBy((schema, side, hint) => {
    const text = whole(schema, side, hint)
    const knownName = names.get(text)
    if (knownName !== undefined) return knownName
    if (text.length < minDeclared || times.get(text)! < 2) return objectBody(schema, side, render)
    const name = nameFor(typeof schema.title === 'string' ? schema.title : hint)
    names.set(text, name)
    declarations.push(`type ${name} = ${objectBody(schema, side, render)}\n`)
    return name
  })
  return { count, render, declarations }
}

type TypeEntry = { id: string; title: string; purpose: string; deprecated?: { use: string }; legacy?: { use: string } }
const entry = ({ id, title, purpose, deprecated, legacy }: TypeEntry, parts: Record<string, string>): string => {
  const use = deprecated?.use ?? legacy?.use
  const about = comment(`${title}: ${purpose}${use === undefined ? '' : ` @deprecated Use ${use}.`}`)
  const lines = Object.entries(parts).map(([name, type]) => `${name}: ${indent(type, '  ')}`)
  return `${about}${keyOf(id)}: {\n  ${lines.join('\n  ')}\n}`
}

const byIntegration = (
  name: string,
  about: string,
  all: LoadedIntegration[],
  entriesOf: (loaded: LoadedIntegration) => string[],
): string => {
  const parts = all.map((loaded) => {
    const entries = entriesOf(loaded)
    return `${keyOf(loaded.integration.id)}: {${entries.map((text) => `\n    ${indent(text, '    ')}`).join('')}${entries.length > 0 ? '\n  ' : ''}}`
  })
  return `${comment(about)}export type ${name} = {\n  ${parts.join('\n  ')}\n}\n`
}

const tables = (all: LoadedIntegration[], render: Render): string[] => [
  // Inputs come from the steps themselves: a manifest omits what the default wire profile does not offer, and an
  // operator may choose another profile.
  byIntegration('StepTypes', 'Input and output of each step, by integration and step.', all, ({ steps }) =>
    [...steps.values()].map(({ step }) =>
      entry(step, {
        input: render(inputJsonSchema(step.input), 'given', `${pascal(step.id)}Input`),
        output: render(outputJsonSchema(step.output), 'answered', `${pascal(step.id)}Output`),
      }),
    ),
  ),
  byIntegration(
    'TriggerTypes',
    'Config and event of each trigger, by integration and trigger.',
    all,
    ({ integration }) =>
      (integration.triggers ?? []).map((trigger) =>
        entry(trigger, {
          config: render(inputJsonSchema(trigger.config), 'given', `${pascal(trigger.id)}Config`),
          event: render(outputJsonSchema(trigger.data), 'answered', `${pascal(trigger.id)}Event`),
        }),
      ),
  ),
]

/** The text of `manifests/types.ts`. */
export const stepTypes = (all: LoadedIntegration[]): string => {
  const { count, render, declarations } = createTypes()
  tables(all, count)
  const shown = tables(all, render)
  return ['// Built by `npm run manifests`.\n', ...shown, ...declarations].join('\n')
}
