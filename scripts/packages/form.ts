import type { Field, Layout, Manifest, StepOf, TriggerOf } from './manifests.ts'
import type { Conversion } from './input.ts'

/**
 * How to convert a field's value when the platform's form represents it differently from the input; null when it does
 * not.
 */
export const conversionOf = ({ control, unit }: Field): Conversion | null => {
  switch (control) {
    case 'json':
    case 'file':
    case 'rows':
      return control
    case 'duration':
      return unit === 'ms' ? 'seconds' : null
    default:
      return null
  }
}

/** `holder`: the field that holds the values of the account's own fields. */
export const conversionsOf = (fields: Field[], holder?: string): Record<string, Conversion | null> =>
  Object.fromEntries(fields.map((field) => [field.name, field.name === holder ? 'account' : conversionOf(field)]))

/** A duration is entered in seconds when the input expects milliseconds. */
export const titleOf = (field: Field): string => {
  if (field.control !== 'duration' || field.unit === undefined) return field.title
  return `${field.title} (${field.unit === 'ms' ? 'seconds' : field.unit})`
}

/** The field's description. A form without conditions must say in words when the field applies. */
export const helpOf = (field: Field, fields: Field[]): string => {
  const description =
    conversionOf(field) === 'seconds' ? field.description.replaceAll(/,? in ms\b/g, '') : field.description
  const other = fields.find(({ name }) => name === field.showWhen?.field)
  if (!other) return description
  const values = field.showWhen?.is?.map((value) => other.labels?.[String(value)] ?? String(value)).join(' or ')
  return `${description} Only ${values === undefined ? `with ${other.title}` : `where ${other.title} is ${values}`}.`
}

/** A sentence that names the alternative fields of which one set must be filled; undefined when there are none. */
export const oneOfSentence = ({ fields, oneOf }: Layout): string | undefined => {
  if (!oneOf) return undefined
  const titles = oneOf.sets.map((set) =>
    set.fields.map((name) => fields.find((field) => field.name === name)?.title ?? name).join(' + '),
  )
  return `Fill ${oneOf.exactlyOne ? 'exactly' : 'at least'} one of these: ${titles.join('; ')}.`
}

/**
 * Names of the fields whose values determine a dropdown's choices: those it depends on, and earlier fields that only
 * narrow choices.
 */
export const narrowedBy = (field: Field, fields: Field[]): string[] => {
  const before = fields.slice(0, fields.indexOf(field))
  const narrowing = before
    .filter(({ name, scope }) => scope && !field.dependsOn?.includes(name))
    .map(({ name }) => name)
  return [...(field.dependsOn ?? []), ...narrowing]
}

/** Whether the integration is for sales work; catalogues of platforms have a section for it. */
export const isForSales = ({ keywords }: Manifest): boolean => keywords.includes('sales')

export const snake = (id: string): string => id.replaceAll('-', '_')
/** The name of a step in MCP and OpenAPI. */
export const toolNameOf = (manifest: Manifest, { id }: StepOf): string => `${snake(manifest.id)}_${snake(id)}`
export const camel = (id: string): string => id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The purpose, and what a user must know before choosing the step or trigger. */
export const descriptionOf = (entry: StepOf | TriggerOf): string => {
  const replaced = entry.deprecated?.use ?? ('legacy' in entry ? entry.legacy?.use : undefined)
  const texts = [
    entry.purpose,
    'caveat' in entry ? entry.caveat : null,
    'price' in entry && entry.price ? `Costs credits: ${entry.price}.` : null,
    replaced === undefined ? null : `Use "${replaced}" instead; this one is kept for what was built with it.`,
  ]
  return texts.filter((part) => part !== null).join(' ')
}

/** What a flow receives from a trigger: a start with a recorded event. */
export const sampleStart = (manifest: Manifest, { id, title, sample }: TriggerOf): Record<string, unknown> => ({
  id: '6b01f63f0000000000000075',
  start: 'd6ecf8e6a86fbc60f0a4f4a6c3f6a1b2',
  trigger: id,
  source: `/integrations/${manifest.id}`,
  time: '2026-11-21T19:51:27.813Z',
  via: 'webhook',
  causedByUs: false,
  event: sample,
  summary: title,
  untrusted: ['/event', '/summary'],
})
