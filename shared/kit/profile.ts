/**
 * The wire profile: facts about a provider's API, as data. An operator may override any of it with JSON. The types are
 * inferred from the schema, whose descriptions are shown in docs/wire-profile.md.
 */
import * as z from 'zod'
import { once } from './once.ts'
import { authPlacement } from './profile/auth.ts'
import { isBaseUrlPattern } from './profile/base-url.ts'
import { endpoint } from './profile/endpoint.ts'
import { recordAlias } from './profile/field.ts'
import type { WithoutUndefined } from './profile/infer.ts'
import { jsonValues, texts } from './profile/infer.ts'
import { oauthProfile } from './profile/oauth.ts'
import { apiOperation } from './profile/operation.ts'
import { pace, timeouts } from './profile/pace.ts'
import { createProbe } from './profile/probe.ts'
import { errorDetails, errorRule, replyCondition } from './profile/reply.ts'
import { deliveryBodies, optOutRequests, webhookSignature } from './profile/webhook.ts'
import { bodyKinds } from './request.ts'

// Every schema is built by a function: most processes override little or nothing, and building all schemas takes longer
// than running a step.
const makeParts = {
  profile: () =>
    z
      .string()
      .describe(
        'Name of a [ready profile](configuration.md#choosing-a-profile) that the other settings are laid over; with `baseUrl`, also a name of your own. The manifest shows it.',
      ),
  // null: the operator must set it.
  baseUrl: () => z.string().nullable().describe('Address of the provider. Callers cannot set it.'),
  baseUrlPattern: () =>
    z
      .string()
      .refine(
        isBaseUrlPattern,
        'this is not a pattern of addresses such as "https://*.desk.example/api", with "*" for a whole label and two fixed labels after it',
      )
      .nullable()
      .optional()
      .describe(
        'Addresses that connections may bring along in place of `baseUrl`: `https://*.desk.example/api`. `*` stands for one label of the host name; two labels after it are fixed. Without it such connections cannot be used.',
      ),
  authUrl: () =>
    z
      .string()
      .nullable()
      .optional()
      .describe('Site that the browser is sent to for authorization, where the provider has such pages.'),
  authorizeReturn: () =>
    texts()
      .optional()
      .describe(
        'Parameters that make the token page send the browser back to `{returnUrl}` with the token in the fragment.',
      ),
  // null: the provider's documents do not show it, so the operator must set it.
  auth: () =>
    z
      .record(z.string(), authPlacement().nullable().describe('Placement for one connection type.'))
      .describe(
        'Where the credential goes, by connection type (`oauth2` for connections that `oauth.version` has switched to OAuth 2.0).',
      ),
  headers: () =>
    texts()
      .optional()
      .describe(
        'Fixed headers of every request, such as an API version. They are shown in dry runs: secrets belong in `auth`.',
      ),
  accept: () => z.string().min(1).optional().describe('The `Accept` header; default `application/json`.'),
  body: () =>
    z
      .enum(bodyKinds)
      .optional()
      .describe('How bodies are sent; default `json`. A request may say otherwise (`bodyAs`).'),
  uploadOrigins: () =>
    z
      .array(
        z
          .string()
          .refine(
            isBaseUrlPattern,
            'this is no origin such as "https://files.desk.example" or "https://*.files.desk.example", with "*" for a whole label and two fixed labels after it',
          ),
      )
      .optional()
      .describe(
        'Origins of the addresses that the provider gives for uploads and downloads, `*` as in `baseUrlPattern`. Requests there carry no credential; an address elsewhere is refused.',
      ),
  reserved: () =>
    z.array(z.string()).describe('Names that callers may never set in query or body, beside those in `auth`.'),
  writeMark: () =>
    z
      .strictObject({ header: z.string().describe('Header that carries the mark.') })
      .optional()
      .describe('How our own writes are marked, so that the events they cause can be recognised.'),
  pace: () => pace().describe('How fast the provider may be called.'),
  timeouts: () => timeouts().describe('How long to wait for one request, in ms.'),
  maxReplyBytes: () => z.int().positive().describe('Largest reply that is read.'),
  errors: () =>
    z
      .array(errorRule())
      .describe(
        'Which reply means which failure. The first rule whose conditions all hold decides; after all rules the usual meaning of the status counts.',
      ),
  errorDetails: () =>
    errorDetails()
      .optional()
      .describe('Where error replies hold their details; default: the first text under a usual name.'),
  rejectsBeforeExecuting: () =>
    z
      .array(z.int())
      .optional()
      .describe('Statuses, beside 429, at which the provider guarantees that nothing was executed.'),
  probes: () =>
    z.array(createProbe()).optional().describe('Where to look for a record after a create whose outcome is unknown.'),
  signature: () =>
    webhookSignature()
      .optional()
      .describe('How the provider signs its webhook deliveries, or what proves them instead.'),
  deliveries: () => deliveryBodies().optional().describe('How the bodies of webhook deliveries are written.'),
  optOuts: () =>
    optOutRequests()
      .optional()
      .describe(
        'How requests of the provider name people who opted out, which are signed as `signature` says with the secret of the app. Dotted paths into their JSON.',
      ),
  endpoints: () => z.record(z.string(), endpoint()).optional().describe('The requests of steps that name an endpoint.'),
  test: () =>
    z
      .strictObject({
        endpoint: z.string().describe('Name of the endpoint.'),
        values: jsonValues().optional().describe('Values for it, in our field names.'),
      })
      .optional()
      .describe('The free endpoint that tests a key. Without it, the first match shows that a key works.'),
  validKey: () =>
    z
      .array(replyCondition())
      .optional()
      .describe('Refusals that only a valid key gets, such as one for lack of credits.'),
  operations: () =>
    z
      .array(apiOperation())
      .optional()
      .describe("What API Call knows of the provider's endpoints; default: the list of the integration."),
  records: () =>
    z
      .record(z.string(), z.record(z.string(), recordAlias()))
      .optional()
      .describe('Names of record fields, by kind of record.'),
  oauth: () => oauthProfile().optional().describe('Addresses of OAuth.'),
  assumed: () => texts().describe('What is a guess, and why. Keys are dotted paths of this profile.'),
}
type SettingMakers = typeof makeParts

export type WireProfile = WithoutUndefined<
  z.infer<z.ZodObject<{ [name in keyof SettingMakers]: ReturnType<SettingMakers[name]> }>>
>

/**
 * The schema of each setting of a profile, built on first use: a process may check hundreds of overrides, and each
 * touches few settings.
 */
export const profileSettings = Object.fromEntries(
  Object.entries(makeParts).map(([name, make]) => [name, once<z.ZodType>(make)]),
) as SettingMakers
