import { once, z } from '#kit'
import { text, time } from './fields.ts'

export const app = once(() =>
  z.object({
    integration: text,
    key: text.nullable().describe('null: not set'),
    clientId: text.nullable().exactOptional().describe('OAuth 2.0 client id, if it differs from the key'),
    secrets: z.record(z.string(), z.string()).exactOptional().describe('The last four characters of each'),
    owner: z.enum(['operator', 'tenant']).exactOptional(),
    deliveriesTo: text
      .nullable()
      .exactOptional()
      .describe(
        'Address to enter at the provider for webhooks, where it has one for the whole app; null: this server has no public address',
      ),
    createdAt: time.exactOptional(),
    updatedAt: time.exactOptional(),
  }),
)

export type App = z.infer<ReturnType<typeof app>>

export const newApp = once(() =>
  z.strictObject({
    key: z.string().min(1).max(256),
    secret: z.string().min(1).max(1024).optional().describe('Used for webhook signatures and OAuth'),
    clientId: z.string().min(1).max(512).optional().describe('OAuth 2.0 client id, if it differs from the key'),
    clientSecret: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe('OAuth 2.0 client secret, if it differs from the secret'),
    owner: z
      .enum(['operator', 'tenant'])
      .optional()
      .describe('operator: for every tenant without an app of its own; needs the scope admin'),
    keepPrevious: z
      .boolean()
      .optional()
      .describe('false: deliveries signed with the previous secret are refused at once'),
  }),
)

export type NewApp = z.infer<ReturnType<typeof newApp>>
