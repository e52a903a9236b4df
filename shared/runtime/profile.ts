import { fail, failures, z } from '#kit'
import type { FailureCode, WireProfile } from '#kit'

const scalar = z.union([z.string(), z.number(), z.boolean()])
const condition = {
  status: z.union([z.int(), z.tuple([z.int(), z.int()])]).optional(),
  path: z.string().optional(),
  is: z.enum(['null', 'absent', 'empty', 'present']).optional(),
  equals: scalar.optional(),
  contains: z.string().optional(),
}
const failureRule = z.strictObject({
  ...condition,
  failure: z.enum(Object.keys(failures) as FailureCode[]),
  pauses: z.enum(['connection', 'app', 'route']).optional(),
})
const fieldSpec = z.strictObject({
  name: z.string().nullable(),
  map: z.record(z.string(), scalar).optional(),
  mailHosts: z.array(z.string()).optional(),
  as: z.enum(['string', 'number', 'list']).optional(),
})
const fieldWire = z.union([z.string(), z.null(), fieldSpec, z.array(fieldSpec)])
const aliases = z.array(z.string())
const recordAlias = z.union([
  aliases,
  z.strictObject({ lists: z.array(z.strictObject({ at: z.string(), item: z.record(z.string(), aliases), set: z.record(z.string(), scalar).optional() })) }),
])
const limit = z.strictObject({
  per: z.enum(['connection', 'app', 'route']),
  max: z.int().positive(),
  windowMs: z.int().positive(),
  route: z.string().startsWith('/').optional(),
})
const endpoint = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE']),
  path: z.string().startsWith('/').nullable(),
  place: z.enum(['json', 'query']),
  kind: z.string().optional(),
  fields: z.record(z.string(), fieldWire),
  constants: z.record(z.string(), scalar).optional(),
  identifiers: z.enum(['one', 'all']).optional(),
  record: z.array(z.string()).optional(),
  noMatch: z.array(z.strictObject(condition)).optional(),
  credits: z.union([z.strictObject({ header: z.string() }), z.strictObject({ path: z.string() }), z.strictObject({ flag: z.string(), amount: z.number() })]).optional(),
  page: z
    .strictObject({
      style: z.enum(['offset', 'page', 'cursor']),
      place: z.enum(['json', 'query']),
      position: z.string(),
      size: z.string(),
      firstPage: z.int().optional(),
      asString: z.boolean().optional(),
      max: z.int().positive(),
      default: z.int().positive(),
      total: z.string().optional(),
      nextCursor: z.string().optional(),
    })
    .optional(),
  redirects: z.literal('same-origin').optional(),
  bulk: z
    .strictObject({
      path: z.string().startsWith('/').nullable(),
      max: z.int().positive().nullable(),
      envelope: z.string(),
      itemId: z.string().optional(),
      answer: z.enum(['array', 'byId']),
      answers: z.union([z.string(), aliases]).optional(),
      charge: z.enum(['record', 'match']),
      itemNoMatch: z.array(z.strictObject(condition)).optional(),
      itemErrors: z.array(failureRule).optional(),
      itemRecord: z.array(z.string()).optional(),
    })
    .optional(),
})
const milliseconds = z.int().positive()
const address = z.string().nullable()
const templates = z.record(z.string(), z.string())

/** The wire profile as data: what an operator's override must still be after it was laid over the documented one. */
export const wireProfileSchema = z.strictObject({
  profile: z.string(),
  baseUrl: z.string().nullable(),
  authUrl: z.string().nullable().optional(),
  auth: z.record(z.string(), z.strictObject({ place: z.enum(['header', 'query', 'body']), fields: z.record(z.string(), z.string()) }).nullable()),
  reserved: z.array(z.string()),
  writeMark: z.strictObject({ header: z.string() }).optional(),
  pace: z.strictObject({
    limits: z.array(limit),
    concurrency: z.int().positive(),
    remaining: z.array(z.strictObject({ header: z.string(), per: z.enum(['connection', 'app', 'route']) })).optional(),
  }),
  timeouts: z.strictObject({ connectMs: milliseconds, headersMs: milliseconds, bodyMs: milliseconds, totalMs: milliseconds, deadlineMs: milliseconds }),
  maxReplyBytes: z.int().positive(),
  errors: z.array(failureRule),
  rejectsBeforeExecuting: z.array(z.int()).optional(),
  signature: z.strictObject({ header: z.string(), algorithm: z.literal('hmac-sha1'), encoding: z.literal('base64'), signs: z.literal('body+url') }).optional(),
  endpoints: z.record(z.string(), endpoint).optional(),
  records: z.record(z.string(), z.record(z.string(), recordAlias)).optional(),
  oauth: z
    .strictObject({
      version: z.enum(['1.0a', '2.0']),
      v1: z.strictObject({ requestUrl: address, authorizeUrl: address, tokenUrl: address, authorizeParams: templates.optional() }).optional(),
      v2: z
        .strictObject({
          authorizeUrl: address,
          tokenUrl: address,
          issuer: z.string().optional(),
          scopes: z.array(z.string()),
          authorizeParams: templates.optional(),
          tokenBody: z.enum(['form', 'json']).optional(),
        })
        .optional(),
    })
    .optional(),
  assumed: z.record(z.string(), z.string()),
})

type Tree = { [name: string]: unknown }
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lays `over` on `under`: objects merge, everything else (lists too) replaces. Neither is changed. */
export const overlay = (under: Tree, over: Tree): Tree => {
  const merged: Tree = { ...under }
  for (const [name, value] of Object.entries(over)) {
    if (name === '__proto__') continue
    const below = under[name]
    merged[name] = isTree(value) && isTree(below) ? overlay(below, value) : value
  }
  return merged
}

/**
 * The profile in force: the documented one with the operator's JSON laid over it.
 * A path that an override sets stops being assumed. Throws `invalid_input` naming the setting that is wrong.
 */
export const effectiveProfile = (integration: string, documented: WireProfile, override: Tree | undefined): WireProfile => {
  const merged = override === undefined ? documented : overlay(documented, override)
  // Parsed once in a process: compiling a parser for it would cost a cold start more than it saves.
  const parsed = wireProfileSchema.safeParse(merged, { jitless: true })
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw fail('invalid_input', `The wire setting "wire.${integration}.${issue?.path.join('.')}" is not usable: ${issue?.message}.`)
  }
  const assumed = { ...(merged.assumed as Record<string, string>) }
  for (const what of Object.keys(assumed)) if (override && reaches(override, what.split('.'))) delete assumed[what]
  return { ...(merged as unknown as WireProfile), assumed }
}

const reaches = (tree: Tree, [head, ...rest]: string[]): boolean => {
  if (head === undefined) return true
  const below = tree[head]
  if (below === undefined) return false
  return rest.length === 0 || !isTree(below) ? true : reaches(below, rest)
}

/** Settings that are null and so make something `ready: false`; dotted, as the operator writes them. */
export const unsetSettings = (integration: string, profile: WireProfile): string[] => {
  const unset: string[] = []
  const at = (...parts: string[]) => ['wire', integration, ...parts].join('.')
  if (profile.baseUrl === null) unset.push(at('baseUrl'))
  for (const [type, placement] of Object.entries(profile.auth)) if (placement === null) unset.push(at('auth', type))
  for (const [name, part] of Object.entries(profile.endpoints ?? {})) {
    if (part.path === null) unset.push(at('endpoints', name, 'path'))
    for (const [field, wire] of Object.entries(part.fields)) {
      const specs = Array.isArray(wire) ? wire : [wire]
      if (specs.some((spec) => spec === null || (typeof spec === 'object' && spec.name === null))) unset.push(at('endpoints', name, 'fields', field))
    }
    if (part.bulk?.path === null) unset.push(at('endpoints', name, 'bulk', 'path'))
    else if (part.bulk?.max === null) unset.push(at('endpoints', name, 'bulk', 'max'))
  }
  return unset
}
