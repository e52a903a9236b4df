import { helpOf, narrowedBy, titleOf } from '../form.ts'
import { code, literal } from '../literal.ts'
import type { Code } from '../literal.ts'
import type { Field, Layout } from '../manifests.ts'

/** The choices of a field with their labels, in the form of the framework's options. */
const labelled = ({ choices = [], labels }: Field) => ({
  options: choices.map((value) => ({ value, label: labels?.[value] ?? value })),
})

const call = (name: string, propertyOptions: Record<string, unknown>, indent: string): Code =>
  code(`Property.${name}(${literal(propertyOptions, indent)})`)

const loaded = (field: Field, fields: Field[]) => {
  const titles = Object.fromEntries(
    (field.dependsOn ?? []).map((name) => [name, fields.find((other) => other.name === name)?.title ?? name]),
  )
  return {
    auth: code('auth'),
    refreshers: ['connection', ...narrowedBy(field, fields)],
    refreshOnSearch: true,
    options: code(`choices(form, ${literal(field.name)}${field.dependsOn ? `, ${literal(titles)}` : ''})`),
  }
}

/** Code for the framework property that represents a field. */
export const propertyOf = (field: Field, fields: Field[], indent: string): Code => {
  const { control, required, default: defaultValue } = field
  const propertyOptions = { displayName: titleOf(field), description: helpOf(field, fields), required }
  const make = (name: string, more: Record<string, unknown> = {}) => call(name, { ...propertyOptions, ...more }, indent)
  switch (control) {
    case 'long-text':
      return make('LongText', { defaultValue })
    case 'date-time':
      return make('DateTime', { defaultValue })
    case 'number':
      return make('Number', { defaultValue })
    case 'duration':
      return make('Number', {
        defaultValue: field.unit === 'ms' && typeof defaultValue === 'number' ? defaultValue / 1000 : defaultValue,
      })
    case 'switch':
      return typeof defaultValue === 'boolean'
        ? make('Checkbox', { defaultValue })
        : make('StaticDropdown', { options: code('{ options: yesOrNo }') })
    case 'choice':
      return make('StaticDropdown', { defaultValue, options: labelled(field) })
    case 'choices':
      return make('StaticMultiSelectDropdown', { defaultValue, options: labelled(field) })
    case 'pick':
      return make('Dropdown', loaded(field, fields))
    case 'pick-many':
      return make('MultiSelectDropdown', loaded(field, fields))
    case 'list':
      return make('Array')
    case 'rows':
      return make('Array', { properties: propertiesOf(field.row!, `${indent}  `) })
    case 'json':
      return make('Json')
    case 'file':
      return make('File')
    default:
      return make('ShortText', { defaultValue })
  }
}

export const propertiesOf = ({ fields }: Layout, indent: string): Record<string, Code> =>
  Object.fromEntries(fields.map((field) => [field.name, propertyOf(field, fields, indent)]))
