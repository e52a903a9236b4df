import { afterAll, describe, expect, it } from 'vitest'
import { z } from '#kit'
import type { Operation } from '../../shared/api/operation.ts'
import { allOperations, answerProblems } from './answers.ts'
import { breaksOf, openObjectsIn, partsOf } from './breaks.ts'
import { endless, failing, openObjects } from './objects.ts'

/**
 * Every operation, on objects of every kind: its answer has the fields of its schema and no others, and what its own
 * schema refuses is refused where it is wrong. What follows from a schema goes with it where the schema becomes loose,
 * so `http-problems.test.ts` and `http-triggers.test.ts` name some of it. A new operation is tried without being named here, unless it needs a
 * body.
 */
const { face, furnish, requestOf } = await openObjects()
afterAll(() => face.close())

const begin = async (operation: Operation) => requestOf(operation, await furnish())

/** What takes fields that its schema does not name, and why. */
const open: { [place: string]: string } = {
  'callTool body': 'The other fields are the input of the step, which refuses what it does not know.',
  'createConnection body/policy': 'Integrations have names of their own for scopes; the pack refuses any other.',
  'changeConnection body/policy': 'Integrations have names of their own for scopes; the pack refuses any other.',
}
/** Fields that take any JSON value. */
const anything = new Set(['runStep /input', 'saveStepSample /output'])

it('no request takes fields that its schema does not name, but for those that say why', () => {
  const places = allOperations.flatMap((operation) =>
    Object.entries(partsOf(operation)).flatMap(([part, schema]) =>
      openObjectsIn(schema).map((at) => `${operation.id} ${part}${at}`),
    ),
  )
  expect(places.toSorted()).toEqual(Object.keys(open).toSorted())
})

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

  const { body: bodySchema, query: querySchema } = partsOf(operation)
  it.runIf(bodySchema ?? querySchema)('refuses what its schema refuses, and says where', async () => {
    const [url, request] = await begin(operation)
    const breaks = breaksOf(operation, request.body)
    const tried = new Set(breaks.map(({ pointer }) => pointer))
    const fields = Object.entries({ '': bodySchema, '/query': querySchema }).flatMap(([at, schema]) =>
      Object.keys(schema?.shape ?? {}).map((name) => `${at}/${name}`),
    )
    expect(fields.filter((field) => !tried.has(field) && !anything.has(`${id} ${field}`))).toEqual([])
    if (querySchema && 'limit' in querySchema.shape)
      expect(breaks.map(({ query }) => query?.join('='))).toEqual(expect.arrayContaining(['limit=0', 'limit=201']))
    for (const { pointer, query, body } of breaks) {
      const what = JSON.stringify(query ?? body).slice(0, 200)
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

describe('the breaks', () => {
  const schema = z.strictObject({
    share: z.number().gt(0).max(1),
    scopes: z.array(z.enum(['run'])).optional(),
    force: z.boolean().default(false),
    entries: z.array(z.strictObject({ count: z.int().min(1).max(9) })),
  })
  const body = { share: 1, entries: [{ count: 2 }] }
  const triedFor = (at: string) =>
    breaksOf({ input: { body: () => schema } }, body).flatMap(({ pointer, body: broken }) =>
      pointer === at ? [broken as typeof body & { [name: string]: unknown }] : [],
    )
  it('go just beyond both bounds, choose what is no choice, and are deep inside', () => {
    expect(triedFor('/share').map(({ share }) => share)).toEqual(expect.arrayContaining([0, 1.001, undefined]))
    expect(triedFor('/scopes/0')).toMatchObject([{ scopes: ['unfit'] }])
    expect(triedFor('/force').map(({ force }) => force)).toContain('yes')
    const counts = triedFor('/entries/0/count').map(({ entries }) => entries[0]!.count)
    expect(counts).toEqual(expect.arrayContaining([0, 10, undefined]))
    expect(triedFor('/entries/0/unknown')).toMatchObject([{ entries: [{ count: 2, unknown: 1 }] }])
    expect(triedFor('/unknown')).toEqual([{ ...body, unknown: 1 }])
  })
  it('cannot be made of a number without bounds', () => {
    for (const count of [z.number().min(0), z.int().max(9), z.number()])
      expect(() => breaksOf({ input: { query: () => z.strictObject({ count }) } })).toThrow('without bounds')
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
