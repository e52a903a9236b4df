import * as z from 'zod'
import type { Infer } from './infer.ts'

/** What a limit counts: the calls of one token, of all tokens of one app, of one family of paths, or with one value. */
export const limitScope = () => z.enum(['connection', 'app', 'route', 'field'])
const milliseconds = () => z.int().positive()

const limit = () =>
  z
    .strictObject({
      per: limitScope().describe(
        'What the limit counts: a token (`connection`), all tokens of one app (`app`), one family of paths (`route`), or each value of a field of the request (`field`), such as a channel.',
      ),
      max: z.int().positive().describe('Calls in a window, or points with `counts: "points"`.'),
      counts: z
        .literal('points')
        .optional()
        .describe('The limit counts points instead of calls; `pace.points` says how many a request costs.'),
      windowMs: milliseconds().describe('Length of the window, in ms.'),
      route: z
        .string()
        .startsWith('/')
        .optional()
        .describe(
          'With `per: "route"` or `"field"`: the path pattern it applies to. A `/**` at the end matches everything below it.',
        ),
      field: z
        .string()
        .min(1)
        .optional()
        .describe(
          'With `per: "field"`: a `{name}` of `route`, otherwise a dotted path in the body or a parameter of the query. Calls without it are not counted.',
        ),
    })
    .refine(({ per, field }) => (per === 'field') === (field !== undefined), {
      path: ['field'],
      error: 'it belongs to "per": "field", which names the field whose values are counted apart',
    })
export type PaceLimit = Infer<typeof limit>

const cost = () => z.int().positive()

/** Where an answer holds a number. */
const numberPlace = () =>
  z.union([
    z.strictObject({ header: z.string().min(1).describe('Name of the header; or give `path`.') }),
    z.strictObject({ path: z.string().min(1).describe('Dotted path in the body; or give `header`.') }),
  ])
export type NumberPlace = Infer<typeof numberPlace>

const points = () =>
  z.strictObject({
    default: cost().describe(
      'Cost of a request to which nothing more specific applies. A request can state its own cost (`points`).',
    ),
    write: cost().optional().describe('Cost of a request that does more than read; default: `default`.'),
    routes: z
      .record(z.string().startsWith('/'), cost())
      .optional()
      .describe(
        'Costs by path pattern, such as `/messages/{id}/send`. They take precedence over `write` and `default`.',
      ),
    actual: numberPlace()
      .optional()
      .describe('Where the reply says how many points the request really cost. The difference is free again.'),
  })

const resetHeader = () =>
  z.strictObject({
    header: z.string().min(1).describe('Name of the header.'),
    as: z
      .enum(['epoch-s', 'epoch-ms', 'seconds', 'ms', 'date'])
      .describe('Its form: Unix time in seconds or ms, seconds or ms from now, or a date (RFC 3339 or HTTP date).'),
  })
export type ResetHeader = Infer<typeof resetHeader>

const remaining = () =>
  z
    .strictObject({
      header: z.string().optional().describe('Name of the header; or give `path`.'),
      path: z.string().min(1).optional().describe('Dotted path in the body, if no header reports it.'),
      // An empty or negative value says nothing.
      part: z
        .string()
        .min(1)
        .optional()
        .describe(
          'The header holds an object in text with a number for each window (`{"minute": 12, "day": 900}`); this one counts.',
        ),
      per: limitScope().describe('Which limit it reports on.'),
      counts: z
        .literal('points')
        .optional()
        .describe('It reports points, of a limit that counts points. Default: calls.'),
      windowMs: milliseconds()
        .optional()
        .describe(
          'Length of the window it reports on, where several limits of a kind are reported; default: the shortest.',
        ),
      reset: resetHeader()
        .optional()
        .describe('The header that says when this window ends. All of it is free again then.'),
    })
    .refine(({ header, path }) => (header === undefined) !== (path === undefined), {
      path: ['header'],
      error: 'give either "header" or "path", which says where the number is',
    })

export const pace = () =>
  z
    .strictObject({
      limits: z.array(limit()).describe('Rate limits of the provider.'),
      points: points()
        .optional()
        .describe(
          'What requests cost in points; required if a limit counts points. Each cost is the most that a request can cost.',
        ),
      concurrency: z.int().positive().describe('Calls at the same time, for each connection.'),
      remaining: z
        .array(remaining())
        .optional()
        .describe('Where the provider reports how many calls or points are left.'),
      // Without these and `remaining[].reset`, headers with usual names are read, and their format is guessed.
      resets: z
        .array(resetHeader())
        .optional()
        .describe('Headers that say when a limit opens again, where no header reports what is left.'),
      waitTexts: z
        .array(z.string().regex(/\{(seconds|minutes)\}/, 'a wait text holds {seconds} or {minutes}'))
        .optional()
        .describe(
          'Texts in which refusals say how long to wait, with `{seconds}` or `{minutes}`: `Retry in {seconds}s`. Read where no header says it.',
        ),
      fallbackMs: milliseconds()
        .optional()
        .describe('How long a refusal that names no time pauses, in ms; default: the window of the limit, or 10 s.'),
    })
    .refine((value) => value.points !== undefined || !value.limits.some(({ counts }) => counts === 'points'), {
      path: ['points'],
      error: 'a limit counts points, so say what a request costs, such as "points": { "default": 1 }',
    })
export type Pace = Infer<typeof pace>

export const timeouts = () =>
  z.strictObject({
    connectMs: milliseconds().describe('For the connection.'),
    headersMs: milliseconds().describe('From sending to the headers of the reply.'),
    bodyMs: milliseconds().describe('Between two parts of the body.'),
    totalMs: milliseconds().describe('For one attempt as a whole.'),
    deadlineMs: milliseconds().describe('For all attempts and waits of a call together.'),
  })
