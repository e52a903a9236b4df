import { afterAll, describe, expect, it } from 'vitest'
import type { z } from '#kit'
import type { Operation } from '../../shared/api/operation.ts'
import { aliases, allOperations, answerProblems } from './answers.ts'
import { endless, failing, openObjects } from './objects.ts'

/**
 * Every operation, on objects of every kind: its answer has the fields of its schema and no others, and what its own
 * schema refuses is refused where it is wrong. A new operation is tried without being named here, unless it needs a
 * body.
 */
const { face, furnish, requestOf } = await openObjects()
afterAll(() => face.close())

const begin = async (operation: Operation) => requestOf(operation, await furnish())

type Body = { [name: string]: unknown }
type Break = { what: string; pointer: string; query?: [string, string]; body?: Body }

const unfit: unknown[] = [{ unfit: [true] }, 'unfit '.repeat(2_000), [[{ unfit: true }]], 7.5, -1]
const unfitTexts = ['unfit'.repeat(2_000), '-1']

const objectOf = (schema: z.core.$ZodType | undefined): z.ZodObject | undefined => {
  if (schema === undefined) return undefined
  const def = schema._zod.def as { type: string; innerType?: z.core.$ZodType }
  return def.type === 'object' ? (schema as z.ZodObject) : objectOf(def.innerType)
}
const isStrict = ({ _zod }: z.ZodObject) => _zod.def.catchall?._zod.def.type === 'never'
/** Whether a schema refuses a value, and says so of this field. */
const refuses = (schema: z.ZodObject, value: object, name: string) =>
  schema.safeParse(value).error?.issues.some(({ path }) => path[0] === name) === true

/** Each way to break a body: a field of another kind, one that lacks, one that is not known; in its objects, too. */
const brokenBodies = (schema: z.ZodObject, body: Body, at = ''): { pointer: string; body: Body }[] => {
  const breaks: { pointer: string; body: Body }[] = isStrict(schema)
    ? [{ pointer: `${at}/unknown`, body: { ...body, unknown: 1 } }]
    : []
  for (const [name, field] of Object.entries(schema.shape)) {
    const { [name]: part, ...others } = body
    const value = unfit.find((candidate) => refuses(schema, { ...body, [name]: candidate }, name))
    if (value !== undefined) breaks.push({ pointer: `${at}/${name}`, body: { ...body, [name]: value } })
    if (refuses(schema, others, name)) breaks.push({ pointer: `${at}/${name}`, body: others })
    const inner = objectOf(field)
    if (inner)
      for (const { pointer, body: broken } of brokenBodies(inner, (part ?? {}) as Body, `${at}/${name}`))
        breaks.push({ pointer, body: { ...body, [name]: broken } })
  }
  return breaks
}

const brokenQueries = (schema: z.ZodObject): { pointer: string; query: [string, string] }[] => {
  const values: [string, string | undefined][] = Object.keys(schema.shape).map((name) => [
    name,
    unfitTexts.find((text) => refuses(schema, { [name]: text }, name)),
  ])
  if (isStrict(schema)) values.push(['unknown', '1'])
  return values.flatMap(([name, value]) =>
    value === undefined ? [] : [{ pointer: `/query/${name}`, query: [name, value] as [string, string] }],
  )
}

const breaksOf = ({ input }: Operation, body: Body = {}): Break[] => {
  const [bodySchema, querySchema] = [objectOf(input?.body?.(aliases)), objectOf(input?.query?.(aliases))]
  const breaks = [
    ...(bodySchema ? brokenBodies(bodySchema, body) : []),
    ...(querySchema ? brokenQueries(querySchema) : []),
  ]
  return breaks.map((change) => ({ ...change, what: JSON.stringify(change).slice(0, 200) }))
}

describe.each(allOperations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  it.skipIf(endless.has(id))('answers as it says', async () => {
    const answer = await face.ask(...(await begin(operation)))
    expect(answerProblems(operation, answer)).toEqual([])
    expect(answer.status, answer.text.slice(0, 400)).toBe(failing[id] ?? operation.output.status ?? 200)
  })

  it.runIf(operation.accepted)('answers as it says when the call continues in the background', async () => {
    const [url, request] = await begin(operation)
    const { control } = face.sandbox.board
    control.fault({ match: { path: '/1/cards' }, times: 1, cut: 'hang' })
    // A run of its own: after this one nobody knows whether it was carried out, and the same is not repeated.
    const input = { ...(request.body as { input: object }).input, name: 'Under way' }
    const body = { ...(request.body as object), dryRun: false, input }
    const answer = await face.ask(url, { ...request, body, headers: { prefer: 'respond-async' } })
    control.clearFaults()
    expect(answerProblems(operation, answer)).toEqual([])
    expect(answer.status).toBe(operation.accepted!.status)
    await face.ask(`/v1/runs/${answer.json.runId}/cancel`, { method: 'POST' })
  })

  it('refuses what its schema refuses, and says where', async () => {
    const [url, request] = await begin(operation)
    for (const { what, pointer, query, body } of breaksOf(operation, request.body as Body)) {
      const address = new URL(url, 'http://pack.example')
      if (query) address.searchParams.set(...query)
      const answer = await face.ask(address.pathname + address.search, { ...request, ...(body ? { body } : {}) })
      expect([what, answer.status, answer.json?.code], answer.text.slice(0, 400)).toEqual([what, 400, 'invalid_input'])
      const pointers = (answer.json.errors as { pointer: string }[]).map((error) => error.pointer)
      expect(pointers, what).toContainEqual(expect.stringMatching(new RegExp(`^${pointer}(/|$)`)))
      expect(answerProblems(operation, answer), what).toEqual([])
    }
  })
})

describe('the check of answers', () => {
  const operation = allOperations.find(({ id }) => id === 'createTenant')!
  const answer = (json: unknown, status = 201, type = 'application/json') => ({
    status,
    headers: { 'content-type': type },
    text: JSON.stringify(json),
    json,
  })
  const tenant = { id: 'x', name: 'X', createdAt: '2026-01-01T00:00:00.000Z' }
  it('can fail: by a field too few or too many, a status, a type, a failure that is no problem', () => {
    const hasProblems = (...parts: Parameters<typeof answer>) => answerProblems(operation, answer(...parts)).length > 0
    expect(hasProblems(tenant)).toBe(false)
    for (const parts of [
      [{ id: 'x', name: 'X' }],
      [{ ...tenant, hash: 'x' }],
      [tenant, 200],
      [tenant, 201, 'text/plain'],
      [{ code: 'invalid_input' }, 400, 'application/problem+json'],
      [{}, 418, 'application/problem+json'],
    ] as Parameters<typeof answer>[])
      expect(hasProblems(...parts), JSON.stringify(parts)).toBe(true)
  })
})
