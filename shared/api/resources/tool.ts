import { once, z } from '#kit'
import { runHeaders } from './run.ts'

/** The person is no field of the body: a model fills that, and must not choose whom it acts for. */
export const toolHeaders = once(() =>
  runHeaders()
    .omit({ prefer: true })
    .extend({
      person: z
        .string()
        .min(1)
        .max(2_304)
        .optional()
        .describe(
          "The end user whom the call acts for, by the platform's own id, percent-encoded UTF-8: it uses that person's connections and the workspace's own",
        ),
    }),
)

export const toolBody = once(() =>
  z.looseObject({
    connection: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe(
        'Id or name of the connection; absent: the one of the person that the call acts for, or else the default of the workspace',
      ),
  }),
)

export const openApiDocument = once(() => z.looseObject({ openapi: z.string() }))
