import { methods, once, z } from '#kit'
import {
  displayName,
  externalId,
  id,
  labelFilter,
  labels,
  namesOf,
  perAliases,
  person,
  personFilter,
  text,
  time,
  valuesByName,
} from './fields.ts'
import { page } from './page.ts'

const method = z.enum(methods)

const containerIds = z.array(z.string().min(1).max(128)).max(500)

const policyFields = {
  methods: z.exactOptional(z.array(method).max(methods.length)).describe('Only these methods'),
  paths: z
    .exactOptional(z.array(z.string().startsWith('/').max(512)).max(100))
    .describe(
      'Only these paths; "*" matches one segment, a trailing "/**" everything below, a leading "/**" any number of segments',
    ),
  scopes: z.exactOptional(containerIds).describe('Only these containers by id'),
}

// Other fields are an integration's own names for `scopes`; the pack refuses those that the connection's integration
// does not have.
const policy = perAliases(({ scopes }) =>
  z.object({ ...policyFields, ...namesOf(scopes, z.exactOptional(containerIds), 'scopes') }).catchall(containerIds),
)

const secrets = once(() =>
  valuesByName().describe('Match the secrets schema of the connection type. They are never returned'),
)

export const connection = perAliases(({ scopes }) =>
  z.object({
    id: text,
    integration: text,
    type: text,
    profile: text.nullable().describe('Wire profile chosen for it; null: the one the operator picks'),
    name: text,
    state: z.enum(['connected', 'unverified', 'needs_reconnect', 'revoked', 'disabled']),
    stateReason: text.nullable(),
    stateAt: time,
    account: z.object({ id: text, name: text.nullable() }).nullable(),
    secrets: z.record(z.string(), z.string()).describe('The last four characters of each'),
    policy: z
      .object({
        methods: z.array(text).exactOptional(),
        paths: z.array(text).exactOptional(),
        scopes: z.array(text).exactOptional(),
        ...namesOf(scopes, z.array(text).exactOptional(), 'scopes'),
      })
      .catchall(z.array(text))
      .nullable(),
    externalId: text.nullable(),
    person: person.nullable().describe("The end user whose account it is; null: it is the workspace's"),
    labels: z.record(z.string(), z.string()),
    isDefault: z.boolean(),
    defaultContainer: text
      .nullable()
      .describe(
        'Id of the container, such as a project, for steps and triggers that are given none; null: there is none',
      ),
    createdAt: time,
    updatedAt: time,
    lastUsedAt: time.nullable(),
    expiresAt: time
      .nullable()
      .describe(
        'When the access token expires; it is renewed before then. null: it does not expire, or that is not known',
      ),
    grantedScopes: z
      .array(text)
      .exactOptional()
      .describe('OAuth scopes that the provider granted; absent: it does not say'),
  }),
)

export type Connection = z.infer<ReturnType<typeof connection>>

const profile = z.string().min(1).max(64)

export const newConnection = perAliases((aliases) =>
  z.strictObject({
    integration: id,
    type: id.describe('Connection type of the integration'),
    profile: profile
      .nullable()
      .optional()
      .describe('Wire profile, one of `wire.profiles` of the manifest; absent or null: the one the operator picks'),
    name: displayName.optional().describe('Absent: the name of the account at the provider'),
    secrets: secrets().optional(),
    policy: policy(aliases).optional(),
    externalId: externalId.optional().describe("The platform's own id of the connection"),
    person: person
      .optional()
      .describe("The end user whose account it is; absent: the workspace's, or that of the person the token acts for"),
    labels: labels().optional(),
    isDefault: z.boolean().optional(),
  }),
)

export const connectRequest = once(() =>
  z.strictObject({
    integration: id.optional().describe('Required for a new connection'),
    type: id.optional().describe('Connection type; absent: the recommended type that is configured'),
    connection: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Id of a connection to reconnect, or its name together with integration'),
    name: displayName.optional().describe('Absent: the name of the account at the provider'),
    profile: profile.optional().describe('Wire profile to preselect on the page, where the integration has several'),
    integrations: z
      .array(id)
      .min(1)
      .max(50)
      .optional()
      .describe('In place of `integration`: the person who opens the link chooses one of these'),
    types: z
      .array(id)
      .min(1)
      .max(20)
      .optional()
      .describe('Connection types that may be used; absent: those that are configured'),
    expiresInMs: z
      .int()
      .min(60_000)
      .max(604_800_000)
      .optional()
      .describe('How long the link may be opened; absent: ten minutes'),
    returnTo: z
      .string()
      .max(512)
      .optional()
      .describe(
        'Where to continue afterwards: a path on this server, or an address on an origin the operator has listed',
      ),
    locale: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'Language of the page, such as "de"; absent: that of the browser. The page exists in English and German; any other language gives English',
      ),
    externalId: externalId.optional(),
    person: person.optional().describe("The end user who connects their account; absent: it becomes the workspace's"),
    labels: labels().optional(),
  }),
)

export const connectStarted = once(() => z.object({ url: text, state: text, expiresAt: time }))

export const connectionChanges = perAliases((aliases) =>
  z.strictObject({
    name: displayName.optional(),
    profile: profile
      .nullable()
      .optional()
      .describe(
        'Another wire profile; null: the one the operator picks. Needs `secrets`, since they then go to another address',
      ),
    secrets: secrets().optional(),
    policy: policy(aliases).nullable().optional(),
    labels: labels().optional(),
    externalId: externalId.nullable().optional(),
    person: person.nullable().optional().describe("Whose account it is from now on; null: the workspace's"),
    isDefault: z
      .literal(true)
      .optional()
      .describe('Makes this the default connection of its integration: of its person, or of the workspace'),
    defaultContainer: z
      .string()
      .min(1)
      .max(512)
      .nullable()
      .optional()
      .describe(
        'The container, such as a project, for steps and triggers that are given none; as their fields take it. It is looked up at the provider. null: none',
      ),
    disabled: z.boolean().optional(),
    revoked: z
      .literal(true)
      .optional()
      .describe(
        'Deletes the secrets here, and revokes them at the provider where it supports that. The connection can be reconnected',
      ),
  }),
)

export const connectionFilter = once(() =>
  z.strictObject({
    ...page().shape,
    integration: id.optional(),
    externalId: id.optional(),
    person: personFilter,
    label: labelFilter().optional().describe('name:value; repeat it to narrow further'),
  }),
)
