import { once, z } from '#kit'

export const secretRotation = once(() =>
  z.strictObject({
    secret: z
      .string()
      .max(256)
      .optional()
      .describe('"whsec_" and 24 to 64 bytes in base64; absent: one is created and returned only in this response'),
    overlapMs: z
      .int()
      .min(0)
      .max(30 * 86_400_000)
      .optional()
      .describe('How long signatures of the previous secret are sent too, in ms; absent: a day'),
  }),
)
