import { methods, once, z } from '#kit'
import type { AuthPlacement, WireProfile } from '#kit'
import { isBaseUrlPattern } from '../../wire/guard/base-url.ts'
import { condition, credits, endpoint, failureRule, price, recordAlias, scalar } from './endpoint-schema.ts'

// Every schema is made when it is asked for: most processes override nothing or little, and making all of them takes longer than a step.
const resetHeader = () => z.strictObject({ header: z.string().min(1), as: z.enum(['epoch-s', 'epoch-ms', 'seconds', 'ms', 'date']) })
const limit = () =>
  z.strictObject({
    per: z.enum(['connection', 'app', 'route']),
    max: z.int().positive(),
    windowMs: z.int().positive(),
    route: z.string().startsWith('/').optional(),
  })
const milliseconds = () => z.int().positive()
const address = () => z.string().nullable()
const pair = () => z.strictObject({ key: z.string(), secret: z.string() })
const templates = () => z.record(z.string(), z.string())
/** What each place needs beside it. What an override leaves over of another place is not looked at. */
const placeNeeds: Record<AuthPlacement['place'], ('fields' | 'user' | 'password')[]> = {
  header: ['fields'],
  query: ['fields'],
  body: ['fields'],
  basic: ['user', 'password'],
  oauth1: [],
}
const placement = () =>
  z
    .strictObject({
      place: z.enum(['header', 'query', 'body', 'basic', 'oauth1']),
      fields: templates().optional(),
      user: z.string().optional(),
      password: z.string().optional(),
      consumer: pair().optional(),
      token: pair().optional(),
    })
    .superRefine((given, issues) => {
      const missing = placeNeeds[given.place].find((name) => given[name] === undefined)
      if (missing !== undefined) issues.addIssue(`"place": "${given.place}" needs "${missing}"`)
    })

const operation = () =>
  z
    .strictObject({
      method: z.enum(methods),
      path: z.string().startsWith('/'),
      title: z.string().min(1),
      effect: z.enum(['read', 'create', 'update', 'delete']).optional(),
      price: z.union([z.string().min(1), price({ given: z.string().min(1).optional() })]).optional(),
      credits: credits().optional(),
      records: z.strictObject({ in: z.array(z.string()).min(1), most: z.int().positive() }).optional(),
      unpriced: z.array(z.string().min(1)).optional(),
      body: z.literal('list').optional(),
      parameters: z.array(
        z.strictObject({
          name: z.string().min(1),
          in: z.enum(['path', 'query', 'body', 'either']),
          type: z.enum(['string', 'number', 'integer', 'boolean', 'object', 'any']),
          list: z.literal(true).optional(),
          required: z.literal(true).optional(),
          choices: z.array(z.string()).optional(),
        }),
      ),
    })
    .superRefine(({ method, body, parameters }, issues) => {
      if (method !== 'GET') return
      const why = 'a GET request has no body'
      if (body) issues.addIssue({ code: 'custom', path: ['body'], message: why })
      const at = parameters.findIndex((parameter) => parameter.in === 'body')
      if (at >= 0) issues.addIssue({ code: 'custom', path: ['parameters', at, 'in'], message: why })
    })

/** What each part of a wire profile must be, as data. */
const parts: { [name in keyof Required<WireProfile>]: () => z.ZodType } = {
  profile: () => z.string(),
  baseUrl: () => z.string().nullable(),
  baseUrlPattern: () =>
    z
      .string()
      .refine(
        isBaseUrlPattern,
        'this is not a pattern of addresses such as "https://*.desk.example/api", with "*" for a whole label and two fixed labels after it',
      )
      .nullable()
      .optional(),
  authUrl: () => z.string().nullable().optional(),
  authorizeReturn: () => templates().optional(),
  auth: () => z.record(z.string(), placement().nullable()),
  headers: () => templates().optional(),
  accept: () => z.string().min(1).optional(),
  body: () => z.enum(['json', 'form', 'multipart']).optional(),
  reserved: () => z.array(z.string()),
  writeMark: () => z.strictObject({ header: z.string() }).optional(),
  pace: () =>
    z.strictObject({
      limits: z.array(limit()),
      concurrency: z.int().positive(),
      remaining: z
        .array(
          z.strictObject({
            header: z.string(),
            part: z.string().min(1).optional(),
            per: z.enum(['connection', 'app', 'route']),
            windowMs: z.int().positive().optional(),
            reset: resetHeader().optional(),
          }),
        )
        .optional(),
      resets: z.array(resetHeader()).optional(),
      waitTexts: z.array(z.string().regex(/\{(seconds|minutes)\}/, 'a wait text holds {seconds} or {minutes}')).optional(),
      fallbackMs: z.int().positive().optional(),
    }),
  timeouts: () =>
    z.strictObject({ connectMs: milliseconds(), headersMs: milliseconds(), bodyMs: milliseconds(), totalMs: milliseconds(), deadlineMs: milliseconds() }),
  maxReplyBytes: () => z.int().positive(),
  errors: () => z.array(failureRule()),
  errorDetails: () =>
    z
      .strictObject({
        message: z.array(z.string()).optional(),
        list: z.strictObject({ at: z.string(), field: z.string().optional(), code: z.string().optional(), message: z.string().optional() }).optional(),
      })
      .optional(),
  rejectsBeforeExecuting: () => z.array(z.int()).optional(),
  probes: () =>
    z
      .array(
        z.strictObject({
          after: z.string(),
          find: z.strictObject({ path: z.string(), query: z.record(z.string(), scalar()).optional() }),
          list: z.string(),
          same: z.record(z.string(), z.string()),
          idHoldsTime: z.boolean().optional(),
          createdAt: z.string().optional(),
          pageSize: z.int().min(1).optional(),
        }),
      )
      .optional(),
  signature: () =>
    z
      .strictObject({
        header: z.string(),
        algorithm: z.enum(['hmac-sha1', 'hmac-sha256', 'ed25519']),
        encoding: z.enum(['base64', 'hex']),
        prefix: z.string().optional(),
        separator: z.string().min(1).optional(),
        signs: z.union([z.literal('body+url'), z.string().includes('{body}')]),
        timestamp: z.strictObject({ header: z.string(), toleranceMs: z.number().int().positive() }).optional(),
        id: z.strictObject({ header: z.string() }).optional(),
        secret: z.enum(['app', 'client', 'hook']).optional(),
        secrets: z.record(z.string(), z.enum(['app', 'client'])).optional(),
      })
      // A time that anybody can write says nothing of the age of a delivery.
      .refine(({ timestamp, signs }) => timestamp === undefined || signs.includes('{timestamp}'), 'a timestamp has to be signed: put {timestamp} into "signs"')
      .optional(),
  optOuts: () =>
    z
      .strictObject({
        challenge: z.string().optional(),
        fields: z.strictObject({ email: z.string().optional(), linkedin: z.string().optional(), phone: z.string().optional() }).optional(),
        list: z
          .strictObject({ at: z.string(), kind: z.string(), value: z.string(), kinds: z.record(z.string(), z.enum(['email', 'linkedin', 'phone'])) })
          .optional(),
        acknowledge: z
          .strictObject({
            constants: z.record(z.string(), scalar()).optional(),
            time: z.string().min(1).optional(),
            echo: z.record(z.string(), z.array(z.string())).optional(),
          })
          .optional(),
      })
      .optional(),
  endpoints: () => z.record(z.string(), endpoint()).optional(),
  test: () => z.strictObject({ endpoint: z.string(), values: z.record(z.string(), z.unknown()).optional() }).optional(),
  validKey: () => z.array(z.strictObject(condition())).optional(),
  operations: () => z.array(operation()).optional(),
  records: () => z.record(z.string(), z.record(z.string(), recordAlias())).optional(),
  oauth: () =>
    z
      .strictObject({
        version: z.enum(['1.0a', '2.0']).optional(),
        v1: z
          .strictObject({
            requestUrl: address(),
            authorizeUrl: address(),
            tokenUrl: address(),
            authorizeParams: templates().optional(),
            scopeNames: z.record(z.string(), z.array(z.string())).optional(),
          })
          .optional(),
        v2: z
          .strictObject({
            authorizeUrl: address(),
            tokenUrl: address(),
            issuer: z.string().optional(),
            scopes: z.array(z.string()),
            scopeNames: z.record(z.string(), z.array(z.string())).optional(),
            authorizeParams: templates().optional(),
            tokenBody: z.enum(['form', 'json']).optional(),
            clientAuth: z.enum(['body', 'basic']).optional(),
            refreshTokens: z.enum(['rotating', 'reusable']).optional(),
          })
          .optional(),
        client: z
          .strictObject({
            tokenUrl: address(),
            scopes: z.array(z.string()).optional(),
            params: templates().optional(),
            tokenBody: z.enum(['form', 'json']).optional(),
            clientAuth: z.enum(['body', 'basic']).optional(),
          })
          .optional(),
      })
      .optional(),
  assumed: () => z.record(z.string(), z.string()),
}

/** The schema of each part, built when it is first asked for: an override touches few, and a process may check hundreds. */
export const profileParts = Object.fromEntries(Object.entries(parts).map(([name, build]) => [name, once(build)])) as typeof parts
