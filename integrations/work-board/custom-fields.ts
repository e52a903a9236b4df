import { failField, path, readRows, textOf, z } from '#kit'
import type { AccountField, AccountFields, AccountValue, Option, Row, StepContext } from '#kit'
import { boardOf } from './options.ts'
import type { BoardFrom } from './options.ts'

/** The board's types of custom fields, and the key under which a value of each type is written. */
const types = {
  text: { type: 'text', key: 'text' },
  number: { type: 'number', key: 'number' },
  date: { type: 'date-time', key: 'date' },
  checkbox: { type: 'boolean', key: 'checked' },
} as const
const keys = Object.fromEntries(Object.values(types).map(({ type, key }) => [type, key]))

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && typeof (value as Row).id === 'string'

const optionsOf = (row: Row): Option[] =>
  (Array.isArray(row.options) ? row.options : [])
    .filter(isRow)
    .map((option) => ({ value: option.id, label: textOf((option.value ?? {}) as Row, 'text') || '(no name)' }))

/** Undefined when the field has a type unknown to this version. */
const fieldOf = (row: Row): AccountField | undefined => {
  const about = { id: row.id, title: textOf(row, 'name') || '(no name)' }
  const type = textOf(row, 'type')
  if (type === 'list') return { ...about, type: 'choice', choices: optionsOf(row) }
  return Object.hasOwn(types, type) ? { ...about, type: types[type as keyof typeof types].type } : undefined
}

/** Values of custom fields beside other properties of a card. */
export const customFieldValues = () =>
  z.looseObject({}).optional().meta({
    title: 'Custom fields',
    description: 'Values of custom fields of the board.',
    agentDescription: 'Values by name or id of a custom field of the board: text, number, boolean, date, or an option.',
  })

/** The custom fields of the board that these form fields determine. `dependsOn`: the field that a form asks for first. */
export const customFieldsOf = (dependsOn: string, from: BoardFrom): AccountFields<'customFields'> => ({
  field: 'customFields',
  dependsOn: [dependsOn],
  async load(ctx, request) {
    const board = await boardOf(ctx, request, from)
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/boards/${board}/customFields` }),
      'custom fields',
    )
    return rows.flatMap((row) => fieldOf(row) ?? [])
  },
})

/**
 * The board expects every value as text. `String` is not used because it writes large and small numbers with an
 * exponent.
 */
const written = (value: Exclude<AccountValue['value'], null>) =>
  typeof value === 'number'
    ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
    : String(value)

/** One entry of the request that sets custom fields. */
const itemOf = ({ field, value }: AccountValue) => {
  const idCustomField = field.id
  if (value === null) return { idCustomField, value: '', idValue: '' }
  if (field.type === 'choice') return { idCustomField, idValue: value }
  if (value === '') throw failField('customFields', `"${field.title}" is given an empty text. Give null to empty it.`)
  return { idCustomField, value: { [keys[field.type]!]: written(value) } }
}

/**
 * Sets custom fields of a card in one request, which may be repeated: the same values again change nothing. `followed`:
 * the step makes further changes afterwards.
 */
export const setCustomFields = (
  ctx: Pick<StepContext, 'send'>,
  card: string,
  values: AccountValue[],
  followed = false,
) =>
  ctx.send({
    method: 'PUT',
    path: path`/1/cards/${card}/customFields`,
    body: { customFieldItems: values.map(itemOf) },
    effect: 'update',
    ...(followed ? { followed } : {}),
  })

/** A value as people see it: for a list, the name of the choice. */
export const shownValue = ({ field, value }: AccountValue) =>
  field.type === 'choice' && value !== null
    ? (field.choices.find((choice) => choice.value === value)?.label ?? value)
    : value
