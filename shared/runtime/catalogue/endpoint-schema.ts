import { failures, methods, z } from '#kit'
import type { FailureCode } from '#kit'

// Every schema is made when it is asked for: most processes override nothing or little, and making all of them takes longer than a step.
export const scalar = () => z.union([z.string(), z.number(), z.boolean()])
export const condition = () => ({
  status: z.union([z.int(), z.tuple([z.int(), z.int()])]).optional(),
  header: z.strictObject({ name: z.string().min(1), equals: z.string().optional(), present: z.boolean().optional() }).optional(),
  path: z.string().optional(),
  is: z.enum(['null', 'absent', 'empty', 'present']).optional(),
  equals: scalar().optional(),
  contains: z.string().optional(),
  begins: z.string().min(1).optional(),
})
/** A status alone may come from a gateway, another host or a wrong path. */
const noMatchRule = () =>
  z.strictObject(condition()).refine(({ status, path, is, equals, contains, begins }) => {
    const most = Array.isArray(status) ? status[1] : (status ?? 599)
    const saysWhat = equals !== undefined || contains !== undefined || begins !== undefined
    return most < 300 || saysWhat || ((path ?? '') !== '' && is !== undefined)
  }, 'a no match by another status than 2xx has to name what the body says: "begins", "equals", or "is" at a "path"')
export const failureRule = () =>
  z.strictObject({
    ...condition(),
    failure: z.enum(Object.keys(failures) as FailureCode[]),
    message: z.string().min(1).max(500).optional(),
    pauses: z.enum(['connection', 'app', 'route']).optional(),
  })
const fieldSpec = () =>
  z.strictObject({
    name: z.string().nullable(),
    map: z.record(z.string(), scalar()).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    mailHosts: z.array(z.string()).optional(),
    case: z.enum(['lower', 'upper']).optional(),
    as: z.enum(['string', 'number', 'list']).optional(),
    template: z.unknown().optional(),
    add: z.literal(true).optional(),
    flags: z.record(z.string(), z.string()).optional(),
    default: z.unknown().optional(),
    resolve: z.strictObject({ endpoint: z.string(), field: z.string(), take: z.string() }).optional(),
    choices: z
      .strictObject({ endpoint: z.string(), list: z.string(), value: z.string(), label: z.string(), cacheMs: z.int().positive().optional() })
      .optional(),
  })
const fieldWire = () => z.union([z.string(), z.null(), fieldSpec(), z.array(fieldSpec())])
const fields = () => z.record(z.string(), fieldWire())
const aliases = () => z.array(z.string())
export const recordAlias = () =>
  z.union([
    aliases(),
    z.strictObject({
      lists: z.array(z.strictObject({ at: z.string(), item: z.record(z.string(), aliases()), set: z.record(z.string(), scalar()).optional() })),
    }),
  ])
const constants = () => z.record(z.string(), z.unknown())
export const price = (more: { given?: z.ZodOptional<z.ZodString> } = {}) =>
  z.array(
    z.strictObject({
      per: z.enum(['call', 'match', 'record', 'results']),
      credits: z.number().min(0),
      of: z.int().positive().optional(),
      wanted: z.string().min(1).optional(),
      ...more,
    }),
  )
export const credits = () =>
  z.union([
    z.strictObject({ header: z.string() }),
    z.strictObject({ path: z.string() }),
    z.strictObject({ flag: z.string(), amount: z.number().min(0).optional() }),
  ])
const page = () =>
  z.strictObject({
    style: z.enum(['offset', 'page', 'cursor']),
    place: z.enum(['json', 'query']),
    position: z.string(),
    size: z.string(),
    firstPage: z.int().optional(),
    asString: z.boolean().optional(),
    min: z.int().positive().optional(),
    max: z.int().positive(),
    default: z.int().positive(),
    last: z.int().min(0).optional(),
    total: z.string().optional(),
    nextCursor: z.string().optional(),
  })
const pending = () =>
  z.strictObject({
    when: z.array(z.strictObject(condition())).min(1),
    poll: z.strictObject({ path: z.string().startsWith('/'), names: z.record(z.string(), z.string()) }).optional(),
    everyMs: z.int().positive(),
    limitMs: z.int().positive(),
  })
const bulk = () =>
  z.strictObject({
    method: z.enum(methods).optional(),
    path: z.string().startsWith('/').nullable(),
    max: z.int().positive().nullable(),
    envelope: z.string(),
    constants: constants().optional(),
    price: price().optional(),
    credits: credits().optional(),
    fields: fields().optional(),
    itemConstants: constants().optional(),
    items: z.enum(['object', 'value']).optional(),
    beside: z.array(z.string()).optional(),
    itemId: z.string().optional(),
    answerId: z.string().optional(),
    answer: z.enum(['array', 'byId']),
    answers: z.union([z.string(), aliases()]).optional(),
    charge: z.enum(['record', 'match']),
    itemNoMatch: z.array(z.strictObject(condition())).optional(),
    itemErrors: z.array(failureRule()).optional(),
    itemRecord: z.array(z.string()).optional(),
  })

export const endpoint = () =>
  z.strictObject({
    method: z.enum(methods),
    path: z.string().startsWith('/').nullable(),
    baseUrl: z.string().optional(),
    place: z.enum(['json', 'query']),
    kind: z.string().optional(),
    aliases: z.string().optional(),
    fields: fields(),
    envelope: z
      .strictObject({ at: z.string().min(1), as: z.enum(['object', 'list']), constants: constants().optional(), beside: z.array(z.string()).optional() })
      .optional(),
    constants: constants().optional(),
    requires: z.array(z.array(z.string()).min(1)).min(1).optional(),
    identifiers: z.enum(['one', 'all']).optional(),
    record: z.array(z.string()).optional(),
    recordIs: z.literal('object').optional(),
    joins: z.array(z.strictObject({ into: z.string(), from: z.string(), by: z.string() })).optional(),
    noMatch: z.array(noMatchRule()).optional(),
    noMatchOnceMatched: z.array(z.strictObject(condition())).optional(),
    errors: z.array(failureRule()).optional(),
    price: price().optional(),
    credits: credits().optional(),
    page: page().optional(),
    searchId: z.string().optional(),
    pending: pending().optional(),
    repeats: z.literal('free').optional(),
    redirects: z.literal('same-origin').optional(),
    probe: z.strictObject({ values: z.record(z.string(), z.unknown()), credits: z.number().min(0) }).optional(),
    bulk: bulk().optional(),
  })
