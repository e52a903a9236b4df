import * as z from 'zod'
import type { Infer } from './infer.ts'
import { scalar } from './infer.ts'

const signingSecret = () => z.enum(['app', 'client'])
export type SigningSecret = Infer<typeof signingSecret>

const optionalText = (meaning: string) => z.string().min(1).optional().describe(meaning)

const jwt = () =>
  z.strictObject({
    algorithm: z
      .enum(['HS256', 'HS384', 'HS512', 'RS256', 'PS256', 'ES256', 'EdDSA'])
      .describe('The only algorithm that is accepted, whatever the token says.'),
    at: z
      .string()
      .optional()
      .describe(
        'Dotted path of the token in a JSON body, `""` where it is the whole body: `decode` then gets its payload. Without it, `header` holds the token.',
      ),
    keys: z
      .url({ protocol: /^https$/ })
      .optional()
      .describe(
        "Address of the provider's key set (JWKS), from which the token's `kid` chooses; a token in a header needs `audience` or `bodyHash` then. Without it, the secret is the key: a text, or with `RS256`, `PS256`, `ES256` and `EdDSA` a public key as PEM or in base64.",
      ),
    bodyHash: z
      .strictObject({
        claim: z.string().describe('Claim that holds it.'),
        encoding: z.enum(['base64', 'hex']).describe('Its encoding.'),
      })
      .optional()
      .describe('The SHA-256 of the body. Without it, a token in a header says only who sends.'),
    audience: optionalText(
      'What `aud` has to name; `{url}` stands for the registered address. With `{url}` and `keys`, the one address of a whole app serves its own workspace alone.',
    ),
    issuer: optionalText('What `iss` has to be.'),
    toleranceMs: z
      .int()
      .positive()
      .describe('Tokens whose `iat` differs from the clock of this server by more are refused.'),
  })

const fetched = () =>
  z.strictObject({
    id: z.string().describe('Dotted path of the id in the body of the delivery.'),
    path: z
      .string()
      .startsWith('/')
      .includes('{id}')
      .describe('Path that is read with the credential of the connection: `/v2/payments/{id}`.'),
  })

const signatureFields = () =>
  z.strictObject({
    proof: z
      .enum(['signature', 'token', 'jwt', 'fetched'])
      .optional()
      .describe(
        'How a delivery is known to be genuine. `signature` (default): `header` holds a signature of what `signs` names. `token`: `header` holds the secret itself. `jwt`: a signed JSON Web Token. `fetched`: by nothing in it; what it names is read from the provider, and `decode` gets that.',
      ),
    header: z
      .string()
      .optional()
      .describe('Header that holds the signature or the token. Needed, except for a JWT in the body and `fetched`.'),
    // With a public-key algorithm the "secret" is the provider's public key.
    algorithm: z
      .enum(['hmac-sha1', 'hmac-sha256', 'hmac-sha512', 'ed25519', 'ecdsa-sha256', 'rsa-sha256'])
      .optional()
      .describe(
        'Algorithm of a signature. With `ed25519` the secret is the public key in hexadecimal or base64, with `ecdsa-sha256` and `rsa-sha256` the public key as PEM or in base64.',
      ),
    encoding: z.enum(['base64', 'hex']).optional().describe('Encoding of the signature.'),
    prefix: z
      .string()
      .optional()
      .describe('Text before each signature or token, such as `sha256=`, `v1=` or `Bearer `.'),
    separator: z
      .string()
      .min(1)
      .optional()
      .describe('Separator of several values in one header; without it the header holds exactly one.'),
    signs: z
      .union([z.literal('body+url'), z.string().regex(/\{(?:body|form)\}/, 'it has to contain {body} or {form}')])
      .optional()
      .describe(
        'What is signed: a template of `{body}` (raw bytes), `{url}` (the registered address), `{timestamp}`, `{id}` and `{form}` (the fields of a form sorted by name, each name followed by its value). `body+url` means `{body}{url}`.',
      ),
    timestamp: z
      .strictObject({
        header: z.string().describe('Header that holds it, in seconds or milliseconds since 1970 or as RFC 3339.'),
        prefix: optionalText(
          'Text before it, such as `t=`, where it is one of the values that `separator` separates in this header.',
        ),
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
    key: z
      .strictObject({
        encoding: z.enum(['base64', 'hex']).describe('Encoding of the key.'),
        prefix: optionalText('Text before it, such as `whsec_`.'),
      })
      .optional()
      .describe('How the key of an HMAC is written in the secret; without it the text of the secret is the key.'),
    jwt: jwt().optional().describe('With `jwt`: the token.'),
    fetched: fetched().optional().describe('With `fetched`: what is read.'),
    secret: z
      .enum(['app', 'client', 'hook', 'provider'])
      .optional()
      .describe(
        'What signs: the secret of the app (default), of its OAuth 2.0 client, one that is made for each hook and given to the provider with it (`hook`), or one that the provider makes and gives when the hook is registered (`provider`).',
      ),
    secrets: z
      .record(z.string(), signingSecret())
      .optional()
      .describe(
        'By connection type: whether the secret of the app or of its OAuth 2.0 client signs; types not named use `secret`.',
      ),
  })
type SignatureFields = Infer<typeof signatureFields>
type Needs<name extends keyof SignatureFields, choice extends keyof SignatureFields = never> = Required<
  Pick<SignatureFields, name>
> &
  Pick<SignatureFields, choice>

/** A header holds a signature of the delivery. */
export type SignedDelivery = { proof?: 'signature' } & Needs<
  'header' | 'algorithm' | 'encoding' | 'signs',
  'prefix' | 'separator' | 'timestamp' | 'id' | 'key'
>
/** A header holds the secret. */
export type TokenDelivery = { proof: 'token' } & Needs<'header', 'prefix'>
export type JwtDelivery = { proof: 'jwt' } & Needs<'jwt', 'header' | 'prefix' | 'key'>
/** A delivery proves nothing: what it names is fetched. */
export type FetchedDelivery = { proof: 'fetched' } & Needs<'fetched'>
/** How a delivery is known to be genuine, and whose secret decides. */
export type WebhookSignature = (SignedDelivery | TokenDelivery | JwtDelivery | FetchedDelivery) &
  Pick<SignatureFields, 'secret' | 'secrets'>

const neededBy: { [proof in NonNullable<SignatureFields['proof']>]: (keyof SignatureFields)[] } = {
  signature: ['header', 'algorithm', 'encoding', 'signs'],
  token: ['header'],
  jwt: ['jwt'],
  fetched: ['fetched'],
}

/** Why fields do not go together; undefined when they do. */
const whyUnfit = (signature: z.output<ReturnType<typeof signatureFields>>): string | undefined => {
  const { proof = 'signature', header, separator, signs = '', timestamp, id, jwt: token } = signature
  const missing = neededBy[proof].find((name) => signature[name] === undefined)
  if (missing !== undefined) return `"proof": "${proof}" needs "${missing}"`
  if (proof === 'jwt' && header === undefined && token?.at === undefined)
    return '"proof": "jwt" needs "header", or "jwt.at" for a token in the body'
  // The provider signs tokens for everybody: one that was made for somebody else would let any body pass.
  const isForAnybody = token?.at === undefined && token?.audience === undefined && token?.bodyHash === undefined
  if (proof === 'jwt' && token?.keys !== undefined && isForAnybody)
    return '"jwt.keys" needs "jwt.audience", or "jwt.bodyHash", for a token in a header'
  if (proof !== 'signature') return undefined
  // A time that is not signed can be forged, so it says nothing about the age of a delivery.
  if (timestamp !== undefined && !signs.includes('{timestamp}'))
    return 'a timestamp has to be signed: put {timestamp} into "signs"'
  if (timestamp === undefined && signs.includes('{timestamp}')) return '"signs" needs "timestamp" for {timestamp}'
  if (id === undefined && signs.includes('{id}')) return '"signs" needs "id" for {id}'
  return timestamp?.prefix !== undefined && separator === undefined ? '"timestamp.prefix" needs "separator"' : undefined
}

// An override that changes the proof leaves the fields of the former one in the merged profile, so these are accepted.
export const webhookSignature = () =>
  signatureFields().superRefine((signature, issues) => {
    const why = whyUnfit(signature)
    if (why !== undefined) issues.addIssue(why)
  }) as z.ZodType as z.ZodType<WebhookSignature>

const acknowledgement = () =>
  z
    .strictObject({
      constants: z.record(z.string(), scalar()).optional().describe('Fixed values of it.'),
      time: z.string().min(1).optional().describe('Name in it of the time of receipt.'),
      echo: z
        .record(z.string(), z.array(z.string()))
        .optional()
        .describe('Names in it of values of the request, each with paths of which the first one that is there counts.'),
    })
    .optional()
    .describe('JSON that acknowledges a request; without it, status 200 alone.')
/** What a provider wants to read in the answer to a request of its own. */
export type Acknowledgement = NonNullable<Infer<typeof acknowledgement>>

/** How the body of a delivery may be written. */
const deliveryBody = () => z.enum(['json', 'form', 'xml', 'text'])
export type DeliveryBody = Infer<typeof deliveryBody>

export const deliveryBodies = () =>
  z.strictObject({
    bodies: z
      .array(deliveryBody())
      .min(1)
      .describe(
        'What bodies are read as, by their content type; any other type is refused. Default: `json` alone. `form`: texts by name, a list where a name is repeated. `xml`: see [Bodies of deliveries](recipes-triggers.md#bodies-of-deliveries). `text`: a text.',
      ),
    jsonFields: z
      .array(z.string())
      .optional()
      .describe('Fields of forms that hold JSON, such as `payload`, which is read too.'),
    acknowledge: acknowledgement(),
  })
export type DeliveryBodies = Infer<typeof deliveryBodies>

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
        recordId: z.string().optional().describe('Of the id that the provider has for the person.'),
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
    acknowledge: acknowledgement(),
  })
export type OptOutRequests = Infer<typeof optOutRequests>
