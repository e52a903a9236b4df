/** The parts of a zod issue from which its sentence is made. `message` is zod's, or the author's own. */
export type Issue = {
  code?: string | undefined
  message: string
  expected?: unknown
  origin?: unknown
  minimum?: unknown
  maximum?: unknown
  inclusive?: unknown
  values?: unknown
}

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const units: Record<string, string> = { string: ' characters', array: ' entries' }

const atLeast = ({ origin, minimum, inclusive }: Issue) => {
  if (minimum === 1 && (origin === 'string' || origin === 'array')) return 'must not be empty.'
  const unit = units[String(origin)]
  if (unit !== undefined) return `must have at least ${minimum}${unit}.`
  return inclusive === false ? `must be greater than ${minimum}.` : `must be at least ${minimum}.`
}

const atMost = ({ origin, maximum, inclusive }: Issue) => {
  const unit = units[String(origin)]
  if (unit !== undefined) return `must have at most ${maximum}${unit}.`
  return inclusive === false ? `must be less than ${maximum}.` : `must be at most ${maximum}.`
}

/**
 * The rest of a sentence that begins with the field's name. Replaces zod's own sentences, which are for programmers,
 * and keeps those of an author.
 */
export const issueText = (issue: Issue): string => {
  if (!/^(Invalid input|Invalid option|Too small|Too big)\b/.test(issue.message)) return issue.message
  if (issue.message.endsWith('received undefined')) return 'is required.'
  if (issue.code === 'too_small') return atLeast(issue)
  if (issue.code === 'too_big') return atMost(issue)
  if (issue.code === 'invalid_value' && Array.isArray(issue.values)) {
    return issue.values.length === 1
      ? `must be ${String(issue.values[0])}.`
      : `must be one of: ${issue.values.join(', ')}.`
  }
  const kind = kinds[String(issue.expected)]
  return kind === undefined ? issue.message : `must be ${kind}.`
}
