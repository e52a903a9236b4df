import * as z from 'zod'
import type { Infer } from './infer.ts'

/** What a limit counts: the calls of one token, of all tokens of one app, or of one family of paths. */
export const limitScope = () => z.enum(['connection', 'app', 'route'])
const milliseconds = () => z.int().positive()

const limit = () =>
  z.strictObject({
    per: limitScope().describe(
      'What the limit counts: a token (`connection`), all tokens of one app (`app`) or one family of paths (`route`).',
    ),
    max: z.int().positive().describe('Calls in a window.'),
    windowMs: milliseconds().describe('Length of the window, in ms.'),
    route: z.string().startsWith('/').optional().describe('With `per: "route"`: the path pattern it applies to.'),
  })
export type PaceLimit = Infer<typeof limit>

const resetHeader = () =>
  z.strictObject({
    header: z.string().min(1).describe('Name of the header.'),
    as: z
      .enum(['epoch-s', 'epoch-ms', 'seconds', 'ms', 'date'])
      .describe('Its form: Unix time in seconds or ms, seconds or ms from now, or a date (RFC 3339 or HTTP date).'),
  })
export type ResetHeader = Infer<typeof resetHeader>

const remaining = () =>
  z.strictObject({
    header: z.string().describe('Name of the header.'),
    // An empty or negative value says nothing.
    part: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The header holds an object in text with a number for each window (`{"minute": 12, "day": 900}`); this one counts.',
      ),
    per: limitScope().describe('Which limit it reports on.'),
    windowMs: milliseconds()
      .optional()
      .describe(
        'Length of the window it reports on, where several limits of a kind are reported; default: the shortest.',
      ),
    reset: resetHeader()
      .optional()
      .describe('The header that says when this window ends. All of it is free again then.'),
  })

export const pace = () =>
  z.strictObject({
    limits: z.array(limit()).describe('Rate limits of the provider.'),
    concurrency: z.int().positive().describe('Calls at the same time, for each connection.'),
    remaining: z
      .array(remaining())
      .optional()
      .describe('Headers in which the provider reports how many calls are left.'),
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
export type Pace = Infer<typeof pace>

export const timeouts = () =>
  z.strictObject({
    connectMs: milliseconds().describe('For the connection.'),
    headersMs: milliseconds().describe('From sending to the headers of the reply.'),
    bodyMs: milliseconds().describe('Between two parts of the body.'),
    totalMs: milliseconds().describe('For one attempt as a whole.'),
    deadlineMs: milliseconds().describe('For all attempts and waits of a call together.'),
  })
