import { schemaVersion } from './schema-version.ts'
import { methods, once, z } from '#kit'
import type { JsonSchema } from '#kit'
import { connectionField, field, layout } from './layout.ts'
import { json } from './resources/fields.ts'

// With an id, a part becomes one definition in the JSON Schema, however often it is used.
const schema = once(
  () => z.looseObject({}).meta({ id: 'schema', description: 'A JSON Schema' }) as z.ZodType<JsonSchema>,
)

/** [least, most] as a list, since many importers do not support tuples. */
const range = once(() => z.array(z.number()).min(2).max(2) as z.ZodType as z.ZodType<[number, number]>)

const cost = once(() =>
  z
    .strictObject({
      unit: z.literal('credit').describe("The provider's credits"),
      per: z.enum(['match', 'record', 'call']).describe('What is charged'),
      typical: range().describe('[least, most]'),
    })
    .meta({ id: 'cost', description: 'The price of a run; null: it is free, or the provider says no price' }),
)

const catalogueFields = {
  keywords: z.array(z.string()).describe('Other words that people search for'),
  icon: z.string().nullable().describe('Path of its icon, relative to the manifest; drawn in the text colour'),
  oauthScopes: z.array(z.string()).describe('OAuth scopes of the provider that it needs'),
}

const contract = once(() => ({
  version: z
    .string()
    .describe(
      'Version of its contract: within a major version inputs gain optional fields only, outputs gain fields only',
    ),
  deprecated: z
    .strictObject({
      since: z.string().describe('Version of the integration'),
      use: z.string().describe('Id of the replacement'),
    })
    .nullable()
    .describe('Present when it has a replacement; it works until the next major version of the integration'),
}))

/** Whether the wire profile in force has what it needs. */
const readiness = () => ({
  ready: z.boolean().describe('false: settings named in `needs` are missing'),
  needs: z.array(z.string()).describe('Missing settings, to be set by the operator'),
  notReady: z.string().nullable().describe('Why it is not ready, in sentences'),
})

const step = once(() =>
  z
    .strictObject({
      id: z.string().describe('Unique in the integration; it never changes'),
      title: z.string().describe('Display name'),
      group: z.string().describe('One of `groups`'),
      purpose: z.string().describe('One sentence, written for an agent'),
      ...contract(),
      badges: z
        .array(z.enum(['beta', 'legacy', 'deprecated', 'credits', 'setup', 'advanced']))
        .describe('Shown beside the title'),
      ...catalogueFields,
      connection: connectionField().nullable().describe('The field that chooses the account; null: it needs none'),
      tool: z.string().describe('Name of its MCP tool, OpenAPI operation and library tool'),
      effect: z
        .enum(['read', 'create', 'update', 'delete', 'by-method'])
        .describe('What it does at the provider; by-method: depends on the HTTP method'),
      cost: cost().nullable(),
      price: z.string().nullable().describe('The price in words, as the wire profile states it'),
      lookup: z
        .enum(['person', 'company'])
        .nullable()
        .describe(
          'What it looks up one of by identifiers, so that a job can do it for every row of a file; null: something else',
        ),
      listSource: z
        .literal(true)
        .optional()
        .describe('Present when stored lists of people or companies can be made from its output'),
      legacy: z
        .strictObject({ use: z.string().describe('Id of the step to offer') })
        .nullable()
        .describe('Present when it is kept only for agents built with it; offer the other step'),
      ...readiness(),
      input: schema().describe('JSON Schema of the input, for agents'),
      form: schema().describe('`input` plus the fields that only narrow dropdowns, in form order'),
      output: schema().describe('JSON Schema of the output; it may gain fields'),
      agentFields: z
        .array(z.string())
        .nullable()
        .describe(
          'Fields of the output that agents get by default, as dotted paths into objects and list entries; null: all',
        ),
      fields: z.record(z.string(), field()).describe('Extras of fields, by name'),
      accountFields: z
        .strictObject({
          field: z.string().describe('Field of the input that holds their values'),
          dependsOn: z.array(z.string()).describe('Fields to fill first'),
        })
        .nullable()
        .describe(
          'Fields that the account defines, loaded with POST …/fields: `field` of the input holds their values, `dependsOn` is needed first; null: it has none',
        ),
      container: z
        .string()
        .nullable()
        .describe(
          'Field of the container, such as a project, which may be left out: a run then works in that of the event that started its agent, or else in the default one of the connection',
        ),
      layout: layout(),
      sample: z
        .unknown()
        .describe('A recorded output, to map fields into later steps without a run; null: there is none'),
      examples: z
        .array(
          z.strictObject({
            title: z.string().describe('What it shows'),
            input: z.unknown().describe('The input'),
            output: z.unknown().exactOptional().describe('The output'),
            failure: z.unknown().exactOptional().describe('The failure, if it fails'),
          }),
        )
        .describe('Cases that our tests replay'),
    })
    .meta({ id: 'step', description: 'One operation that an agent or workflow can run' }),
)

const trigger = once(() =>
  z
    .strictObject({
      id: z.string().describe('Unique in the integration; it never changes'),
      title: z.string().describe('Display name'),
      purpose: z.string().describe('One sentence, written for the builder'),
      ...contract(),
      badges: z.array(z.enum(['beta', 'deprecated', 'instant', 'polling'])).describe('Shown beside the title'),
      ...catalogueFields,
      connection: connectionField(),
      ...readiness(),
      instant: z.boolean().describe('true: events arrive instantly, by webhook; false: the provider is polled'),
      delivery: z.array(z.enum(['webhook', 'poll'])).describe('Supported kinds of delivery; the first is the default'),
      recoverable: z
        .enum(['all', 'some', 'none'])
        .describe(
          'How many of the events missed during downtime can be recovered; with polling delivery, how many are seen at all',
        ),
      webhookOnly: z.array(z.string()).describe('Types of events that arrive by webhook only'),
      whyWebhookOnly: z
        .record(z.string(), z.string())
        .exactOptional()
        .describe('Why no history holds such a type, by type; absent: nothing is said'),
      caveat: z.string().nullable().describe('What the builder must know'),
      config: schema().describe('JSON Schema of the config'),
      options: schema().describe(
        'JSON Schema of the options of a subscription: delivery, start, quiet period and so on',
      ),
      data: schema().describe('JSON Schema of what the agent gets as `event`; it may gain fields'),
      fields: z.record(z.string(), field()).describe('Extras of fields, by name'),
      container: z
        .string()
        .nullable()
        .describe(
          'Field of the config with the containers to watch, which may be left out: a subscription then watches the default one of its connection',
        ),
      layout: layout().describe('Layout of the config'),
      optionsLayout: layout().describe('Layout of the options'),
      sample: json.describe('A recorded `event`, as the agent gets it; null: there is none'),
      examples: z
        .array(
          z.strictObject({
            title: z.string().describe('What it shows'),
            config: z.unknown().describe('The config'),
            data: json.describe('The `event` that the agent gets; null: it is not started'),
          }),
        )
        .describe('Cases that our tests replay'),
    })
    .meta({ id: 'trigger', description: 'Something that can start an agent' }),
)

const apiOperation = once(() =>
  z
    .strictObject({
      method: z.enum(methods).describe('HTTP method'),
      path: z.string().describe('Path template; names in braces are parameters'),
      title: z.string().describe('Display name'),
      effect: z.enum(['read', 'create', 'update', 'delete']).describe('What it does at the provider'),
      price: z.string().exactOptional().describe('As the provider states it; absent: none'),
      cost: cost()
        .nullable()
        .exactOptional()
        .describe('The same as data; null: it is free; absent: not known, or a provider without prices'),
      body: z
        .literal('list')
        .exactOptional()
        .describe('The body is a list whose items hold the parameters of the body'),
      parameters: z
        .array(
          z.strictObject({
            name: z.string().describe('Its name'),
            in: z.enum(['path', 'query', 'body', 'either']).describe('either: accepted in the query and in the body'),
            type: z
              .enum(['string', 'number', 'integer', 'boolean', 'object', 'any'])
              .describe('Type of the value, or of each item if `list` is set'),
            list: z.literal(true).exactOptional().describe('Accepts several values'),
            required: z.literal(true).exactOptional().describe('The provider refuses calls without it'),
            choices: z.array(z.string()).exactOptional().describe('Values that the provider documents'),
          }),
        )
        .describe('Its parameters'),
    })
    .meta({ id: 'operation', description: 'An endpoint of the provider' }),
)

const pattern = z
  .string()
  .describe(
    'Path pattern: * matches one segment, a trailing /** everything below, a leading /** any number of segments',
  )

const ofMethods = z.array(z.string()).exactOptional().describe('HTTP methods; absent: all')

/** Shape of `manifests/<id>.json`, and of the manifests that a running server returns. */
export const manifestShape = once(() =>
  z.strictObject({
    $schema: z.string().describe('Path of the schema, relative to the manifest'),
    urn: z.string().describe('Identifies this version of the manifest'),
    schemaVersion: z.literal(schemaVersion).describe('Version of the format'),
    id: z.string().describe('Id of the integration; it never changes'),
    title: z.string().describe('Display name'),
    summary: z.string().describe('Description in one sentence'),
    keywords: z
      .array(z.string())
      .describe('Other words that people search for: the kind of product, and names it is known by'),
    version: z.string().describe('Version of the integration'),
    maturity: z.enum(['stable', 'beta']).describe('beta: parts of it are guesses, listed in `wire.assumed`'),
    icon: z
      .strictObject({
        light: z.string().describe('For light backgrounds'),
        dark: z.string().describe('For dark backgrounds'),
      })
      .describe('Paths of its icon, relative to the manifest'),
    ready: z.boolean().describe('true: every step that has an endpoint in the current wire profile can run'),
    groups: z.array(z.string()).describe('Groups of steps, in the order of the picker'),
    connections: z
      .array(
        z
          .strictObject({
            id: z.string().describe('Unique in the integration; it never changes'),
            title: z.string().describe('Display name'),
            purpose: z.string().describe('When to choose it'),
            recommended: z.boolean().describe('Offer this one first'),
            help: z.string().nullable().describe('Instructions for finding the values'),
            flow: z.enum(['secrets', 'token-page', 'oauth-1.0a', 'oauth-2.0']).describe('How an account is connected'),
            authorize: z
              .strictObject({
                path: z.string().describe('Path of the page'),
                params: z
                  .record(z.string(), z.string())
                  .describe('Query parameters, which may contain {appName} and {key}'),
              })
              .nullable()
              .describe('Address of the token page'),
            oauthScopes: z.array(z.string()).describe('OAuth scopes of the provider that connecting asks for'),
            app: z
              .strictObject({
                set: z.string().describe('Route that takes its key and secret'),
                callback: z
                  .string()
                  .nullable()
                  .describe("Redirect address to register, below the server's public address"),
                help: z.string().describe('The same as a sentence for the operator'),
              })
              .nullable()
              .describe(
                'The app registration at the provider, which the operator must set first; null: none is needed',
              ),
            secrets: schema().describe('JSON Schema of the secrets of a connection that is created through the API'),
            layout: layout().describe(
              'What a person fills in to connect; empty if the person logs in at the provider instead',
            ),
            testable: z.boolean().describe('true: connecting verifies the credential with a free request'),
          })
          .meta({ id: 'connectionType', description: 'A way to connect an account' }),
      )
      .describe('Ways to connect an account'),
    steps: z.array(step()).describe('Steps that can be run'),
    triggers: z.array(trigger()).describe('Triggers that can start an agent'),
    toolSets: z
      .array(
        z.strictObject({
          id: z.string().describe('Id of the set'),
          title: z.string().describe('Display name'),
          purpose: z.string().describe('When to choose it'),
          steps: z.array(z.string()).describe('Ids of its steps'),
        }),
      )
      .describe('Selections of steps, so that a host need not list every tool; `core` first'),
    apiCall: z
      .strictObject({
        methods: z.array(z.enum(methods)).describe('Allowed HTTP methods'),
        under: z.string().describe('Prefix of every path'),
        allow: z
          .array(z.strictObject({ path: pattern, methods: ofMethods }))
          .exactOptional()
          .describe('If present, a request must match one of these rules'),
        deny: z
          .array(
            z.strictObject({
              path: pattern,
              methods: ofMethods,
              query: z.array(z.string()).exactOptional().describe('Refused only with one of these parameters'),
              reason: z.string().describe('Why'),
            }),
          )
          .describe('What is refused'),
        operations: z
          .array(apiOperation())
          .describe(
            'Known endpoints that the policy allows. Calls to them are checked before they are sent; other endpoints can be called too',
          ),
      })
      .describe('What API Call may do'),
    wire: z
      .strictObject({
        profile: z.string().describe('Name of the current profile'),
        profiles: z.array(z.string()).describe('Profiles that can be chosen by name, for all connections or for one'),
        assumed: z.record(z.string(), z.string()).describe('Guesses about the provider, each with its reason'),
        unset: z.array(z.string()).describe('Missing settings, to be set by the operator'),
      })
      .describe('The wire profile: facts about the provider'),
  }),
)

export type Manifest = z.infer<ReturnType<typeof manifestShape>>

export type ConnectionManifest = Manifest['connections'][number]

export type StepManifest = Manifest['steps'][number]

export type TriggerManifest = Manifest['triggers'][number]

export type OperationManifest = Manifest['apiCall']['operations'][number]

export type Layout = StepManifest['layout']

export type LayoutField = Layout['fields'][number]

export type Control = LayoutField['control']

export type FieldManifest = StepManifest['fields'][string]

export type ConnectionField = TriggerManifest['connection']

/** JSON Schema of a manifest, with a versioned id. */
export const manifestJsonSchema = (): JsonSchema => ({
  ...(z.toJSONSchema(manifestShape()) as JsonSchema),
  $id: `urn:toolyard:manifest-schema:${schemaVersion}`,
  title: 'toolyard integration manifest',
})
