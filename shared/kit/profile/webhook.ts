import * as z from 'zod'
import type { Infer } from './infer.ts'
import { scalar } from './infer.ts'

const signingSecret = () => z.enum(['app', 'client'])
export type SigningSecret = Infer<typeof signingSecret>

export const webhookSignature = () =>
  z
    .strictObject({
      header: z.string().describe('Header that holds the signature.'),
      // With `ed25519` the "secret" is the provider's public key, as 32 bytes in hexadecimal or base64.
      algorithm: z.enum(['hmac-sha1', 'hmac-sha256', 'ed25519']).describe('Algorithm.'),
      encoding: z.enum(['base64', 'hex']).describe('Encoding of the signature.'),
      prefix: z.string().optional().describe('Text before each signature, such as `sha256=`.'),
      separator: z
        .string()
        .min(1)
        .optional()
        .describe('Separator of several signatures in one header; without it the header holds exactly one.'),
      signs: z
        .union([z.literal('body+url'), z.string().includes('{body}')])
        .describe(
          'What is signed: a template of `{body}` (raw bytes), `{url}` (the registered address), `{timestamp}` and `{id}`. `body+url` means `{body}{url}`.',
        ),
      timestamp: z
        .strictObject({
          header: z.string().describe('Header that holds it, in seconds or milliseconds since 1970.'),
          toleranceMs: z
            .int()
            .positive()
            .describe('Deliveries that differ from the clock of this server by more are refused.'),
        })
        .optional()
        .describe('The signed time of a delivery.'),
      id: z
        .strictObject({ header: z.string().describe('Header that holds it.') })
        .optional()
        .describe('The signed id of a delivery.'),
      secret: z
        .enum(['app', 'client', 'hook'])
        .optional()
        .describe(
          'What signs: the secret of the app (default), of its OAuth 2.0 client, or one that is made for each hook and given to the provider with it.',
        ),
      secrets: z
        .record(z.string(), signingSecret())
        .optional()
        .describe(
          'By connection type: whether the secret of the app or of its OAuth 2.0 client signs; types not named use `secret`.',
        ),
    })
    // A time that is not signed can be forged, so it says nothing about the age of a delivery.
    .refine(
      ({ timestamp, signs }) => timestamp === undefined || signs.includes('{timestamp}'),
      'a timestamp has to be signed: put {timestamp} into "signs"',
    )
export type WebhookSignature = Infer<typeof webhookSignature>

export const optOutRequests = () =>
  z.strictObject({
    challenge: z
      .string()
      .optional()
      .describe(
        'Query parameter of a GET request that is answered with JSON of the same name and value, by which the provider verifies the address.',
      ),
    fields: z
      .strictObject({
        email: z.string().optional().describe('Of an e-mail address.'),
        linkedin: z.string().optional().describe('Of the address of a LinkedIn profile.'),
        phone: z.string().optional().describe('Of a phone number.'),
      })
      .optional()
      .describe('Paths of identifiers.'),
    list: z
      .strictObject({
        at: z.string().describe('Path of the list.'),
        kind: z.string().describe('Path in an item of what kind it is.'),
        value: z.string().describe('Path in an item of the identifier.'),
        kinds: z.record(z.string(), z.enum(['email', 'linkedin', 'phone'])).describe('Kind by what the items call it.'),
      })
      .optional()
      .describe('A list of identifiers.'),
    acknowledge: z
      .strictObject({
        constants: z.record(z.string(), scalar()).optional().describe('Fixed values of it.'),
        time: z.string().min(1).optional().describe('Name in it of the time of receipt.'),
        echo: z
          .record(z.string(), z.array(z.string()))
          .optional()
          .describe(
            'Names in it of values of the request, each with paths of which the first one that is there counts.',
          ),
      })
      .optional()
      .describe('JSON that acknowledges a request; without it, status 200 alone.'),
  })
export type OptOutRequests = Infer<typeof optOutRequests>
