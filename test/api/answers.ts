/** Holds answers to what the operation of their route says of them. */
import { expect } from 'vitest'
import * as z from 'zod'
import { integrations } from '../../integrations/index.ts'
import type { Operation, Output } from '../../shared/api/operation.ts'
import { operations } from '../../shared/api/operations/index.ts'
import { aliasesOf } from '../../shared/api/resources/fields.ts'
import type { Make } from '../../shared/api/resources/fields.ts'
import { problem } from '../../shared/api/resources/problem.ts'
import { responsesOf } from '../../shared/faces/http/responses.ts'
import type { Ask, HttpWorld } from '../support/http-world.ts'

export const allOperations: Operation[] = Object.values(operations)
export const aliases = aliasesOf(integrations)

/** Longer paths first: `/v1/session` is no `/v1/{id}`, and a part by name comes before one that may be anything. */
const routes = allOperations
  .map((operation) => ({
    operation,
    fits: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .toSorted((a, b) => Number(a.operation.path.includes('{')) - Number(b.operation.path.includes('{')))

const operationFor = (method: string, url: string): Operation => {
  const [path] = url.split('?')
  const route = routes.find(({ operation, fits }) => operation.method === method && fits.test(path!))
  if (!route) throw new Error(`${method} ${url} is no operation`)
  return route.operation
}

const closedSchemas = new Map<Make, z.ZodType>()
/** Today's answers have the fields of the schema and no others, although later ones may have more. */
const closed = (make: Make): z.ZodType => {
  let schema = closedSchemas.get(make)
  if (!schema) closedSchemas.set(make, (schema = z.fromJSONSchema(z.toJSONSchema(make(aliases)) as never)))
  return schema
}

export type Answer = Awaited<ReturnType<HttpWorld['ask']>>

/** What the answer has that the operation does not say; empty when it is as documented. */
export const answerProblems = (operation: Operation, { status, headers, text, json }: Answer): string[] => {
  const type = String(headers['content-type'] ?? '')
  const misfits = (make: Make) => {
    const result = closed(make).safeParse(json)
    return result.success ? [] : [z.prettifyError(result.error)]
  }
  if (status >= 400) {
    if (!(status in responsesOf(operation, aliases))) return [`an undocumented ${status}`]
    return type === 'application/problem+json; charset=utf-8' || type === 'application/problem+json'
      ? misfits(problem)
      : [`a failure as ${type}`]
  }
  const outputs: (Output | undefined)[] = [operation.output, operation.accepted]
  const output = outputs.find((candidate) => candidate && (candidate.status ?? 200) === status)
  if (!output) return [`an undocumented ${status}`]
  if (output.schema) return type.startsWith('application/json') ? misfits(output.schema) : [`JSON as ${type}`]
  if (output.content === undefined) return text === '' ? [] : ['a body where none is documented']
  return output.content === '*/*' || type.startsWith(output.content) ? [] : [`${output.content} as ${type}`]
}

/** Asks, and fails where the answer is not as its operation says. */
export const checkedAsk =
  (face: HttpWorld) =>
  async (url: string, request: Ask = {}): Promise<Answer> => {
    const method = request.method ?? (request.body === undefined ? 'GET' : 'POST')
    const answer = await face.ask(url, request)
    expect(answerProblems(operationFor(method, url), answer), `${method} ${url}: ${answer.text}`).toEqual([])
    return answer
  }
export type CheckedAsk = ReturnType<typeof checkedAsk>
