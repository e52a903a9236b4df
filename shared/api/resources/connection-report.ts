import { once, z } from '#kit'
import { text, time } from './fields.ts'

export const connectionLimits = once(() =>
  z.object({
    windows: z
      .array(
        z.object({
          per: z
            .enum(['connection', 'app', 'route'])
            .describe(
              'What the provider counts: calls of this connection, of all connections of one app, or of one path family',
            ),
          route: text.nullable().describe('Path family that the limit is for'),
          limit: z.int().nullable().describe('Calls per window; null: not known, but the provider asked for a pause'),
          windowMs: z.int().nullable(),
          used: z
            .int()
            .nullable()
            .describe(
              'Calls of this tenant that count now, including those in progress; null: this process has sent none recently',
            ),
          remaining: z.int().nullable().describe('Calls that may be sent now'),
          resetsAt: time
            .nullable()
            .describe('When the whole limit is available again; null: nothing is used, or calls are in progress'),
          pausedUntil: time.nullable().describe('Nothing is sent before this time, because the provider asked for it'),
        }),
      )
      .describe('The limits of the wire profile'),
    queue: z.object({
      running: z.int().describe('Calls of this connection in progress'),
      waiting: z.int().describe('Calls that wait for a limit'),
      concurrency: z.int().describe('Maximum number of calls in progress at once'),
    }),
    breaker: z.object({
      state: z
        .enum(['closed', 'open', 'trying'])
        .describe(
          'open: the provider fails, so nothing is sent until `until`; trying: one call tests whether it works again',
        ),
      until: time.nullable(),
    }),
  }),
)

export type ConnectionLimits = z.infer<ReturnType<typeof connectionLimits>>

const runRef = { runId: text, step: text, at: time }

export const connectionUsage = once(() =>
  z.object({
    tokens: z
      .array(z.object({ id: text, name: text }))
      .describe('Tokens bound to this connection; tokens that are not bound may use it too'),
    lastSuccess: z.object(runRef).nullable().describe('The newest run that succeeded'),
    lastError: z
      .object({ ...runRef, code: text.nullable(), message: text.nullable() })
      .nullable()
      .describe('The newest run that failed'),
  }),
)

export type ConnectionUsage = z.infer<ReturnType<typeof connectionUsage>>
