import { describeKeySets, didYouMean, fail, inputLimits, issueText, sayExcess, valueExcess, z } from '#kit'
import type { FieldError, Json, KeySets, Step, Trigger } from '#kit'

const pointerOf = (path: readonly PropertyKey[]) =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const describeIssue = (
  issue: z.core.$ZodIssue,
  step: Pick<Step, 'title' | 'input'>,
  hidden: ReadonlySet<string>,
): FieldError[] => {
  if (issue.code === 'unrecognized_keys') {
    const fieldNames = Object.keys(step.input.shape).filter((name) => !hidden.has(name))
    return issue.keys.map((key) => ({
      pointer: `${pointerOf(issue.path)}/${key}`,
      message: `"${key}" is not a field of "${step.title}".${didYouMean(key, fieldNames)} Its fields: ${fieldNames.join(', ')}.`,
    }))
  }
  const rule = issue.code === 'custom' ? (issue.params?.['keySets'] as KeySets | undefined) : undefined
  const sets = rule?.sets.filter((set) => !set.some((name) => hidden.has(name))) ?? []
  if (rule && sets.length > 0) return [{ pointer: pointerOf(issue.path), message: describeKeySets({ ...rule, sets }) }]
  const missing = issue.code === 'invalid_type' && issue.input === undefined
  const pointer = pointerOf(issue.path)
  const text = missing ? 'is required.' : issueText(issue)
  // A message of the integration's author is a sentence of its own; ours continue after the field name.
  const joint = text === issue.message ? ': ' : ' '
  return [{ pointer, message: issue.path.length > 0 ? `"${pointer.slice(1)}"${joint}${text}` : text }]
}

const usedBefore = new WeakMap<z.ZodType, { compiled?: z.ZodType }>()

/** Compiles a schema on its second use: in a process that runs a step only once, compiling costs more than it saves. */
const compiled = <T extends z.ZodType>(schema: T): T => {
  const cacheEntry = usedBefore.get(schema)
  if (cacheEntry) return (cacheEntry.compiled ??= z.compile(schema)) as T
  usedBefore.set(schema, {})
  return schema
}

const none: ReadonlySet<string> = new Set()

/**
 * Parses an input strictly. `hidden`: fields that messages must not suggest.
 * @throws Failure `invalid_input` naming every wrong field
 */
export const parseInput = (
  step: Pick<Step, 'title' | 'input'>,
  input: unknown,
  hidden: () => ReadonlySet<string> = () => none,
): Record<string, unknown> => {
  const parsed = compiled(step.input).safeParse(input ?? {}, { reportInput: true })
  if (parsed.success) return parsed.data as Record<string, unknown>
  const errors = parsed.error.issues.flatMap((issue) => describeIssue(issue, step, hidden()))
  throw fail('invalid_input', errors.map((error) => error.message).join(' '), { errors })
}

export const parseOutput = (step: Step, value: unknown): unknown => {
  const parsed = compiled(step.output).safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw fail(
    'bad_reply',
    `The provider's answer is not what its documents say: ${pointerOf(issue?.path ?? []) || 'it'} ${issue?.message ?? ''}.`,
  )
}

/**
 * Parses what a trigger gives for the agent: fields that its schema does not name are left out.
 * @throws z.ZodError when the data is not what the trigger promises, which is a defect of its integration
 */
export const parseTriggerData = (trigger: Pick<Trigger, 'data'>, value: unknown): Json =>
  compiled(trigger.data).parse(value) as Json

/** A larger input is checked, hashed and sent in separate turns of the event loop. */
const usualLimits = { ...inputLimits, values: 10_000 }

/**
 * Checks the size of an input before anything walks it, for every face. Returns whether it is large.
 * @throws Failure `invalid_input` when it is nested too deeply, `too_large` when it holds too much
 */
export const requireBounded = (input: unknown): boolean => {
  if (!valueExcess(input, usualLimits)) return false
  const excess = valueExcess(input, inputLimits)
  if (excess)
    throw fail(
      excess === 'depth' ? 'invalid_input' : 'too_large',
      `The input holds ${sayExcess(excess, inputLimits)}. Send less at a time.`,
    )
  return true
}
