import { once, z } from '#kit'

/** Clients that the operator has registered by hand. */
export const knownClients = once(() =>
  z.array(
    z.strictObject({
      client_id: z
        .string()
        .regex(/^[\w.-]{1,128}$/)
        .describe('Letters, digits, ".", "_" and "-"'),
      client_name: z.string().min(1).max(128),
      redirect_uris: z.array(z.string()).min(1).max(10),
      client_secret: z.string().min(16).max(256).optional(),
    }),
  ),
)
export type KnownClient = z.infer<ReturnType<typeof knownClients>>[number]
