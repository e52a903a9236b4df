import { once, z } from '#kit'

export const toolBody = once(() =>
  z.looseObject({
    connection: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Id or name of the connection; absent: the default connection of the integration'),
  }),
)

export const openApiDocument = once(() => z.looseObject({ openapi: z.string() }))
