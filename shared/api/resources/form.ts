import { once, z } from '#kit'
import { layout } from '../layout.ts'
import { actsFor, text, valuesByName } from './fields.ts'

export const optionsBody = once(() =>
  z.strictObject({
    connection: z.string().min(1).max(256).optional(),
    person: actsFor,
    field: z.string().min(1).max(128).describe('Input field to load choices for'),
    values: valuesByName().optional().describe('The fields of the form that are already filled'),
    query: z.string().max(256).optional().describe('Search text'),
    cursor: z.string().max(512).optional(),
  }),
)

export const fieldsBody = once(() =>
  z.strictObject({
    connection: z.string().min(1).max(256).optional(),
    person: actsFor,
    values: valuesByName().optional().describe('The fields of the form that are already filled'),
  }),
)

export const optionPage = once(() =>
  z.object({
    options: z.array(z.object({ value: text, label: text, hint: text.exactOptional() })),
    next: text.exactOptional(),
  }),
)

export type OptionPage = z.infer<ReturnType<typeof optionPage>>

export const accountForm = once(() =>
  z.object({
    schema: z.looseObject({}).describe('Of the object that holds the values, by the id of the field'),
    layout: layout(),
  }),
)

export type AccountForm = z.infer<ReturnType<typeof accountForm>>
