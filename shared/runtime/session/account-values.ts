import { fail, failField, moment } from '#kit'
import type { AccountField, AccountValue, FieldError, Option, Step, StepContext } from '#kit'

type ValueReading = { value: AccountValue['value'] } | { problem: string }

/** Limits of error messages: an account with many fields and an input with many names would fill the memory. */
const maxErrors = 20
const maxListedNames = 50

const dateTime = moment('Date', 'A moment.')
const plain = (text: string) => text.trim().toLowerCase()
const short = (value: unknown) => {
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
const cut = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
const named = (things: { name: string; id: string }[]) => {
  const shown = things
    .slice(0, maxListedNames)
    .map(({ name, id }) => (name === id ? cut(name) : `${cut(name)} (${cut(id)})`))
  return [...shown, ...(things.length > maxListedNames ? [`and ${things.length - maxListedNames} more`] : [])].join(
    ', ',
  )
}
const fieldNames = (fields: AccountField[]) => named(fields.map(({ title, id }) => ({ name: title, id })))
const optionNames = (options: Option[]) => named(options.map(({ label, value }) => ({ name: label, id: value })))

/**
 * Finds an item by id, otherwise by name if the name is unique: people and agents know names. Otherwise returns the
 * items with that name.
 */
const findOne = <T>(all: T[], idOrName: string, idOf: (item: T) => string, nameOf: (item: T) => string): T | T[] => {
  const exact = all.find((item) => idOf(item) === idOrName)
  if (exact) return exact
  const plainName = plain(idOrName)
  const hits = all.filter((item) => plain(nameOf(item)) === plainName)
  return hits.length === 1 ? hits[0]! : hits
}

const readChoice = (choices: Option[], input: unknown): ValueReading => {
  const all = `Choices: ${optionNames(choices) || 'none'}.`
  if (typeof input !== 'string') return { problem: `takes the name or id of a choice, not ${short(input)}. ${all}` }
  const hit = findOne(
    choices,
    input,
    ({ value }) => value,
    ({ label }) => label,
  )
  if (!Array.isArray(hit)) return { value: hit.value }
  if (hit.length > 1)
    return {
      problem: `has ${hit.length} choices named ${short(input)}; give the id of one: ${hit.map(({ value }) => value).join(', ')}.`,
    }
  return { problem: `has no choice ${short(input)}. ${all}` }
}

const readValue = (field: AccountField, input: unknown): ValueReading => {
  if (input === null) return { value: null }
  switch (field.type) {
    case 'text':
      return typeof input === 'string' ? { value: input } : { problem: `takes text, not ${short(input)}.` }
    case 'number':
      return typeof input === 'number' ? { value: input } : { problem: `takes a number, not ${short(input)}.` }
    case 'boolean':
      return typeof input === 'boolean' ? { value: input } : { problem: `takes true or false, not ${short(input)}.` }
    case 'date-time': {
      if (typeof input !== 'string')
        return { problem: `takes a date with time and zone, such as 2026-03-31T17:00:00Z, not ${short(input)}.` }
      const read = dateTime.safeParse(input)
      return read.success ? { value: read.data } : { problem: read.error.issues[0]?.message ?? 'is not a date.' }
    }
    case 'choice':
      return readChoice(field.choices, input)
  }
}

const findField = (fields: AccountField[], key: string): AccountField | { problem: string } => {
  const hit = findOne(
    fields,
    key,
    ({ id }) => id,
    ({ title }) => title,
  )
  if (!Array.isArray(hit)) return hit
  if (hit.length > 1)
    return {
      problem: `There are ${hit.length} fields named ${short(key)}; name one by its id: ${hit.map(({ id }) => id).join(', ')}.`,
    }
  return {
    problem: `${short(key)} is not a field of the account here. ${fields.length === 0 ? 'There are none.' : `There are: ${fieldNames(fields)}.`}`,
  }
}

const pointer = (name: string, key: string) => `/${name}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`

/**
 * Checks values for the account's own fields against the fields it has. `name`: the input field that contains the
 * values. @throws Failure `invalid_input` naming every wrong value and what its field takes
 */
export const readAccountValues = (
  name: string,
  fields: AccountField[],
  input: Record<string, unknown>,
): AccountValue[] => {
  const errors: FieldError[] = []
  const values = new Map<string, AccountValue & { key: string }>()
  const refuse = (key: string, message: string) => errors.push({ pointer: pointer(name, key), message })
  for (const [key, raw] of Object.entries(input)) {
    if (errors.length === maxErrors) break
    const field = findField(fields, key)
    if ('problem' in field) {
      refuse(key, field.problem)
      continue
    }
    const twice = values.get(field.id)
    if (twice) {
      refuse(key, `${short(twice.key)} and ${short(key)} name the same field. Give one of the two.`)
      continue
    }
    const read = readValue(field, raw)
    if ('problem' in read) refuse(key, `"${field.title}" ${read.problem}`)
    else values.set(field.id, { key, field, value: read.value })
  }
  if (errors.length > 0) throw fail('invalid_input', errors.map(({ message }) => message).join(' '), { errors })
  if (values.size === 0)
    throw failField(
      name,
      `${name} has no values. ${fields.length === 0 ? 'The account has no fields here.' : `Give at least one of: ${fieldNames(fields)}.`}`,
    )
  return [...values.values()].map(({ field, value }) => ({ field, value }))
}

/** Runs the handler. Values for the account's own fields are checked first, so that nothing wrong is sent. */
export const runHandler = (step: Step, ctx: StepContext, input: Record<string, unknown>): Promise<unknown> => {
  const { accountFields } = step
  const accountInput = accountFields && input[accountFields.field]
  // Not async: each additional promise would cost every run a turn of the event loop.
  return accountInput === undefined
    ? step.run(ctx, input, [])
    : runWithFields(step, ctx, input, accountInput as Record<string, unknown>)
}

const runWithFields = async (
  step: Step,
  ctx: StepContext,
  input: Record<string, unknown>,
  accountInput: Record<string, unknown>,
): Promise<unknown> => {
  const { field, load } = step.accountFields!
  // Forms send an empty object where nothing is filled in.
  if (Object.keys(accountInput).length === 0 && step.input.shape[field]!.safeParse(undefined).success)
    return step.run(ctx, input, [])
  return step.run(ctx, input, readAccountValues(field, await load(ctx, { values: input }), accountInput))
}
