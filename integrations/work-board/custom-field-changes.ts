import { fail, failField, isFailure, path, readRow, readRows, textOf } from '#kit'
import type { ProviderRequest, Row, StepContext } from '#kit'

/** Changes of the definition of a custom field: its own properties, and the options of a list. */

/** The board identifies an option by `id` within its field, and by `_id` in answers about options alone. */
const withId = (option: Record<string, unknown>): Record<string, unknown> => {
  const { _id, ...more } = option
  return more.id === undefined ? { id: _id, ...more } : option
}

/** The option as a row with an id. @throws Failure `bad_reply` */
const readOption = (reply: unknown): Row =>
  readRow(typeof reply === 'object' && reply !== null ? withId(reply as Record<string, unknown>) : reply, 'an option')

export const optionsIn = (field: Row): Row[] =>
  readRows(Array.isArray(field.options) ? field.options.map(withId) : [], 'options')

export const optionText = (option: Row): string => textOf((option.value ?? {}) as Row, 'text')

/** The body of a request that adds an option. */
export const optionBody = (name: string) => ({ value: { text: name }, color: 'none' })

type OptionChanges = { add: string[]; remove: string[] }
type Write = { request: ProviderRequest; onReply(reply: unknown): void }

/** The requests that make the changes of options, and the options that the field then has. */
const optionWrites = (field: Row, { add, remove }: OptionChanges): { writes: Write[]; options: Row[] } => {
  const options = optionsIn(field)
  const at = path`/1/customFields/${field.id}/options`
  const removedOptions = options.filter(({ id }) => remove.includes(id))
  const kept = options.filter((option) => !removedOptions.includes(option))
  const missing = [...new Set(add)].filter((name) => !kept.some((option) => optionText(option) === name))
  const removals = removedOptions.map(({ id }): Write => ({
    request: { method: 'DELETE', path: path`/1/customFields/${field.id}/options/${id}`, effect: 'delete' },
    onReply: () => undefined,
  }))
  const additions = missing.map((name): Write => ({
    request: { method: 'POST', path: at, body: { ...optionBody(name), pos: 'bottom' }, effect: 'create' },
    onReply: (reply) => void kept.push(readOption(reply)),
  }))
  return { writes: [...removals, ...additions], options: kept }
}

/**
 * Changes a custom field, one request after another, and returns the changed field. Options that were already added or
 * removed are skipped, so a run that failed halfway may be repeated. @throws Failure that says how many changes were made
 */
export const changeCustomField = async (
  ctx: StepContext,
  idCustomField: string,
  properties: Record<string, string | number | boolean>,
  optionChanges: OptionChanges,
): Promise<unknown> => {
  const field = readRow(
    await ctx.send({ method: 'GET', path: path`/1/customFields/${idCustomField}` }),
    'a custom field',
  )
  const isList = textOf(field, 'type') === 'list'
  if (!isList && optionChanges.add.length + optionChanges.remove.length > 0)
    throw failField(
      optionChanges.add.length > 0 ? 'addOptions' : 'removeOptions',
      `Only a list has options, and "${textOf(field, 'name')}" is of the type ${textOf(field, 'type')}. Leave addOptions and removeOptions out.`,
    )
  let changed: Row = field
  const { writes, options } = optionWrites(field, optionChanges)
  if (Object.keys(properties).length > 0)
    writes.unshift({
      request: { method: 'PUT', path: path`/1/customFields/${field.id}`, body: properties },
      onReply: (reply) => void (changed = readRow(reply, 'a custom field')),
    })
  for (const [finished, write] of writes.entries()) {
    try {
      write.onReply(await ctx.send({ ...write.request, ...(finished + 1 < writes.length ? { followed: true } : {}) }))
    } catch (thrown) {
      if (!isFailure(thrown) || finished === 0) throw thrown
      throw fail(
        thrown.code,
        `${finished} of ${writes.length} changes were made and are not made again if you repeat the call. ${thrown.message}`,
        thrown.details,
      )
    }
  }
  return isList ? { ...changed, options } : changed
}
