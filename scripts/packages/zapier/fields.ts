import { conversionOf, helpOf, titleOf } from '../form.ts'
import { code, literal } from '../literal.ts'
import type { Code } from '../literal.ts'
import type { Field, Layout, Schema } from '../manifests.ts'

const maxHelp = 1000
export const cut = (text: string, max: number) => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)

/** A hidden trigger that the generated app has for each dropdown. */
export type Choices = { key: string; field: Field; needs: Record<string, string> }

const typeOf = (field: Field, schema: Schema | undefined) => {
  switch (field.control) {
    case 'long-text':
      return 'text'
    case 'date-time':
      return 'datetime'
    case 'number':
      return schema?.['type'] === 'integer' ? 'integer' : 'number'
    case 'duration':
      return 'number'
    case 'switch':
      return 'boolean'
    case 'file':
      return 'file'
    case 'json':
      return 'json'
    default:
      return 'string'
  }
}

const labelled = ({ choices = [], labels }: Field) =>
  choices.map((value) => ({ value, sample: value, label: labels?.[value] ?? value }))
/** Zapier stores every default as text. */
const defaultOf = (field: Field) => {
  if (field.default === undefined || typeof field.default === 'object') return undefined
  return String(conversionOf(field) === 'seconds' ? Number(field.default) / 1000 : field.default)
}

const decides = (name: string, fields: Field[]) =>
  fields.some(({ dependsOn, showWhen }) => dependsOn?.includes(name) || showWhen?.field === name)

type Drawing = { fields: Field[]; schema: Schema; prefix: string; extra: string[] }

const plainField = (field: Field, { fields, schema, prefix, extra }: Drawing): Record<string, unknown> => {
  const { name, control, required } = field
  const commonFields = { key: name, label: titleOf(field), required }
  if (control === 'rows') {
    const row = field.row!
    const children = row.fields.map((rowField) =>
      plainField(rowField, { fields: row.fields, schema: schema.properties?.[name]?.items ?? {}, prefix, extra: [] }),
    )
    return { ...commonFields, children }
  }
  const isList = ['pick-many', 'choices', 'list'].includes(control)
  const isLoaded = control === 'pick' || control === 'pick-many'
  const isChoice = control === 'choice' || control === 'choices'
  return {
    ...commonFields,
    type: isChoice || isLoaded ? undefined : typeOf(field, schema.properties?.[name]),
    helpText: cut(helpOf(field, fields), maxHelp),
    placeholder: field.placeholder,
    default: isList ? undefined : defaultOf(field),
    list: isList || undefined,
    choices: isChoice ? labelled(field) : undefined,
    dynamic: isLoaded ? `${prefix}_${name}_choices.id.name` : undefined,
    dependsOn: isLoaded ? field.dependsOn : undefined,
    altersDynamicFields: decides(name, fields) || extra.includes(name) || undefined,
  }
}

/** `extra`: names of further fields that determine which other fields exist, such as the account's own fields. */
export const inputFields = (
  layout: Layout,
  schema: Schema,
  prefix: string,
  extra: string[] = [],
): (Record<string, unknown> | Code)[] =>
  layout.fields.map((field) => {
    const plain = plainField(field, { fields: layout.fields, schema, prefix, extra })
    return field.showWhen ? code(`shownWhen(${literal(field.showWhen)}, [${literal(plain, '      ')}])`) : plain
  })

export const choicesIn = (layout: Layout, prefix: string): Choices[] =>
  layout.fields
    .filter(({ control }) => control === 'pick' || control === 'pick-many')
    .map((field) => ({
      key: `${prefix}_${field.name}_choices`,
      field,
      needs: Object.fromEntries(
        (field.dependsOn ?? []).map((name) => [
          name,
          layout.fields.find((other) => other.name === name)?.title ?? name,
        ]),
      ),
    }))
