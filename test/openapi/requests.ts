import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import * as z from 'zod'
import type { HttpWorld } from '../support/http-world.ts'
import { allowedBy, nearTo } from './arbitrary.ts'
import type { Schema } from './arbitrary.ts'

type Content = Record<string, { schema: Schema }>
type Operation = {
  operationId: string
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Record<string, { $ref?: string; content?: Content }>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Schema; responses: Record<string, { content?: Content }> }
}
type Request = { url: string; headers: Record<string, string>; payload?: string }

/** One has no end, and two take nothing that could be wrong, but time. */
const left = ['stream', 'backup', 'rotateKeys']

/** In a path, values that exist beside ones that do not. */
const pathValue = (name: string, knownValues: Record<string, string[]>): Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...(knownValues[name] ?? knownValues.id!)) },
    {
      weight: 1,
      // Neither empty nor dots: those are another address, already for the client.
      arbitrary: fc
        .oneof(
          fc.string({ minLength: 1, maxLength: 20 }),
          fc.constantFrom('\u0000', '%', '../x', 'x'.repeat(300), '\ud83d\ude00'),
        )
        .filter((text) => text.isWellFormed() && !/^\.{1,2}$/.test(text))
        .map(encodeURIComponent),
    },
    { weight: 1, arbitrary: fc.constantFrom('%zz', '%c3%28') },
  )

const requestFor = (
  path: string,
  { parameters = [], requestBody }: Operation,
  schemas: Schema,
  knownValues: Record<string, string[]>,
): Arbitrary<Request> => {
  const of = (where: string) => parameters.filter((parameter) => parameter.in === where)
  const paths = fc.record(Object.fromEntries(of('path').map(({ name }) => [name, pathValue(name, knownValues)])))
  const query = fc.record(
    Object.fromEntries(
      of('query').map(({ name, schema }) => [
        name,
        fc.oneof(
          { weight: 3, arbitrary: allowedBy(schema, schemas) },
          { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
        ),
      ]),
    ),
    { requiredKeys: [] },
  )
  const headers = fc.record(
    Object.fromEntries(
      of('header').map(({ name, schema }) => [
        name,
        allowedBy(schema, schemas).map((value) => String(value).replaceAll(/[^\x21-\x7e]/g, 'x')),
      ]),
    ),
    { requiredKeys: [] },
  )
  const schema = requestBody?.content['application/json']?.schema
  const allowed = schema && allowedBy(schema, schemas)
  const payload = allowed
    ? fc.oneof(
        { weight: 5, arbitrary: allowed.map((value) => JSON.stringify(value)) },
        { weight: 5, arbitrary: nearTo(allowed).map((value) => JSON.stringify(value)) },
        { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
        { weight: 1, arbitrary: fc.constantFrom('', '{', '[]', 'null', '"x"', '{"input":{"__proto__":{"x":1}}}') },
      )
    : fc.constant(undefined)
  return fc
    .record({ paths, query, headers, payload })
    .map(({ paths: places, query: queryValues, headers: headerValues, payload: body }) => {
      const search = new URLSearchParams(
        Object.entries(queryValues).map(([name, value]) => [name, String(value)] as [string, string]),
      ).toString()
      const url =
        path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String((places as Record<string, string>)[name])) +
        (search === '' ? '' : `?${search}`)
      return { url, headers: headerValues as Record<string, string>, ...(body === undefined ? {} : { payload: body }) }
    })
}

export type Tally = { requests: number; statuses: Map<number, number> }

/**
 * Requests made from the document, and ones near to them, for every operation. An answer of 500, of a status that is
 * not documented, or of a body that is not as documented fails, with the seed and the smallest such request.
 */
export const tryRequests = async (
  face: HttpWorld,
  { each, seed, knownValues }: { each: number; seed: number; knownValues: Record<string, string[]> },
): Promise<Tally> => {
  const document = (await face.ask('/openapi.json')).json as Document
  const { schemas, responses } = document.components
  const tally: Tally = { requests: 0, statuses: new Map() }
  const checkers = new Map<object, z.ZodType>()
  const checkerOf = (schema: Schema) => {
    let checker = checkers.get(schema)
    if (!checker)
      checkers.set(
        schema,
        (checker = z.fromJSONSchema(
          JSON.parse(JSON.stringify({ ...schema, $defs: schemas }).replaceAll('#/components/schemas/', '#/$defs/')),
        )),
      )
    return checker
  }
  const send = async (method: string, operation: Operation, { url, headers, payload }: Request) => {
    const reply = await face.http.inject({
      method: method as 'GET',
      url,
      headers: {
        authorization: `Bearer ${face.token}`,
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload }),
    })
    tally.requests += 1
    tally.statuses.set(reply.statusCode, (tally.statuses.get(reply.statusCode) ?? 0) + 1)
    const documentedResponse = operation.responses[String(reply.statusCode)]
    if (reply.statusCode === 500 || !documentedResponse)
      throw new Error(
        `answered ${documentedResponse ? '' : 'an undocumented '}${reply.statusCode}: ${reply.body.slice(0, 500)}`,
      )
    const content =
      documentedResponse.content ??
      (documentedResponse.$ref ? responses[documentedResponse.$ref.split('/').at(-1)!]!.content : undefined)
    if (!content) return
    const [[type, { schema }]] = Object.entries(content) as [[string, { schema: Schema }]]
    if (!String(reply.headers['content-type']).includes(type))
      throw new Error(`answered ${reply.statusCode} as ${String(reply.headers['content-type'])}`)
    const checked = checkerOf(schema).safeParse(type.includes('json') ? reply.json() : reply.body)
    if (!checked.success)
      throw new Error(
        `answered ${reply.statusCode} with another body than documented: ${z.prettifyError(checked.error)}\n${reply.body.slice(0, 500)}`,
      )
  }
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (left.includes(operation.operationId)) continue
      const property = fc.asyncProperty(requestFor(path, operation, schemas, knownValues), (request) =>
        send(method.toUpperCase(), operation, request),
      )
      await fc
        .assert(property, { numRuns: each, seed, timeout: 30_000, endOnFailure: true })
        .catch((error: unknown) => {
          throw new Error(`${operation.operationId} (${method.toUpperCase()} ${path}): ${(error as Error).message}`, {
            cause: error,
          })
        })
      // Limits that were set would decide what the next operations answer.
      if (operation.operationId === 'putPolicy' || path.includes('policies'))
        await face.pack.policies.put('default', {}, { tenant: 'default' })
      // So would rules that hold what these ask for.
      if (path.includes('approval-rules'))
        for (const { id } of (await face.pack.approvalRules.list({ tenant: 'default' }, { limit: 200 })).items)
          await face.pack.approvalRules.patch({ tenant: 'default' }, id, { when: { tokens: ['tok_holding'] } })
    }
  }
  return tally
}
