import { failures, z } from '#kit'
import type { FailureCode } from '#kit'
import type { Operation, Output } from '../../api/operation.ts'
import type { Aliases } from '../../api/resources/fields.ts'
import { problem } from '../../api/resources/problem.ts'

/** Failures that every operation with a token can have. */
const always: FailureCode[] = [
  'invalid_input',
  'unauthenticated',
  'not_allowed',
  'rate_limited',
  'internal',
  'unavailable',
]

type Content = { description: string; content: Record<string, { schema: z.ZodType }> }

/** Statuses of HTTP itself, in addition to those of the failure table. */
const httpStatuses: Record<number, string> = { 415: 'invalid_input: the body is not JSON.' }

const contentOf = (
  { description, schema, content, contentDescription }: Output,
  aliases: Aliases,
): Content | z.ZodType => {
  if (schema) return { description, content: { 'application/json': { schema: schema(aliases) } } }
  if (content === undefined) return z.null().describe(description)
  return {
    description,
    content: {
      [content]: { schema: contentDescription === undefined ? z.string() : z.string().describe(contentDescription) },
    },
  }
}

const failureTexts = ({ access, input, upload, failures: own }: Operation) => {
  const hasBody = input?.body !== undefined || upload !== undefined
  const codes = access === 'public' ? own : new Set([...always, ...own, ...(hasBody ? (['too_large'] as const) : [])])
  const byStatus = new Map<number, string[]>()
  for (const code of codes)
    byStatus.set(failures[code].status, [
      ...(byStatus.get(failures[code].status) ?? []),
      `${code}: ${failures[code].meaning}`,
    ])
  if (hasBody) for (const [status, text] of Object.entries(httpStatuses)) byStatus.set(Number(status), [text])
  return [...byStatus].sort(([a], [b]) => a - b)
}

/**
 * The responses of an operation for the OpenAPI document: success (no body if it has no schema), and a problem for each
 * status of its failures.
 */
export const responsesOf = (operation: Operation, aliases: Aliases) => {
  const response: Record<number, Content | z.ZodType> = {}
  for (const output of [operation.output, operation.accepted])
    if (output) response[output.status ?? 200] = contentOf(output, aliases)
  for (const [status, texts] of failureTexts(operation)) {
    response[status] = { description: texts.join(' '), content: { 'application/problem+json': { schema: problem() } } }
  }
  return response
}
