import type { AccountField, JsonSchema } from '#kit'
import type { AccountForm } from '../../api/resources/form.ts'
import { layoutOf } from './form-layout.ts'
import type { FieldManifest } from './form-layout.ts'

export type { AccountForm }

const typeOf = (field: AccountField): JsonSchema => {
  switch (field.type) {
    case 'date-time':
      return { type: 'string', format: 'date-time' }
    case 'choice':
      return { type: 'string', enum: field.choices.map(({ value }) => value) }
    case 'text':
      return { type: 'string' }
    default:
      return { type: field.type }
  }
}

const propertyOf = (field: AccountField): JsonSchema => ({
  title: field.title,
  ...(field.description === undefined ? {} : { description: field.description }),
  ...typeOf(field),
})

const labelsOf = (field: AccountField): FieldManifest =>
  field.type === 'choice' ? { labels: Object.fromEntries(field.choices.map(({ value, label }) => [value, label])) } : {}

export const accountForm = (fields: AccountField[]): AccountForm => {
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.id, propertyOf(field)])),
    additionalProperties: false,
  }
  return { schema, layout: layoutOf(schema, Object.fromEntries(fields.map((field) => [field.id, labelsOf(field)]))) }
}
