import { methods, timeUnits, z } from '#kit'
import type { JsonSchema } from '#kit'
import { schemaVersion } from './manifest.ts'

// An id makes a part one definition of the JSON Schema, however often it is used.
const schema = z.looseObject({}).meta({ id: 'schema', description: 'A JSON Schema' })
const labels = z.record(z.string(), z.string())
const cost = z
  .strictObject({
    unit: z.literal('credit').describe("The provider's credits"),
    per: z.enum(['match', 'record', 'call']).describe('What is charged'),
    typical: z.array(z.number()).min(2).max(2).describe('[least, most]'),
  })
  .meta({ id: 'cost', description: 'The price of a run; null: it is free, or the provider says no price' })
const shown = {
  showWhen: z
    .strictObject({
      field: z.string().describe('The other field'),
      is: z
        .array(z.union([z.string(), z.number(), z.boolean()]))
        .optional()
        .describe('Its values; absent: any'),
    })
    .optional()
    .describe('Shown only while another field has one of some values'),
  placeholder: z.string().optional().describe('Shown in the empty field; never a default'),
  helpUrl: z.string().optional().describe('Page of the provider that explains the field'),
  unit: z
    .enum([...timeUnits, 'bytes', 'people', 'credits'])
    .optional()
    .describe('What the number counts; of a `duration`, the unit it is stored in'),
}
const extras = {
  options: z.literal(true).optional().describe('Choices are loaded from the account: POST …/options'),
  dependsOn: z.array(z.string()).optional().describe('Fields whose values the choices need first'),
  accepts: z.literal('id-or-url').optional().describe('Takes an id or a pasted address'),
  scope: z.literal(true).optional().describe('Only narrows dropdowns; shown in forms, absent from tools'),
  long: z.literal(true).optional().describe('A text of several lines'),
  labels: labels.optional().describe('Titles of the choices listed'),
  ...shown,
  rare: z.literal(true).optional().describe('Few agents need it: left out of tool definitions, accepted all the same'),
}
const field = z
  .strictObject({ ...extras, row: z.record(z.string(), z.strictObject(extras)).optional().describe('Extras of the fields of one row of a table') })
  .meta({ id: 'field', description: 'Extras of a field that JSON Schema has no word for' })
const controls = [
  'text',
  'long-text',
  'secret',
  'url',
  'email',
  'date-time',
  'number',
  'duration',
  'switch',
  'choice',
  'choices',
  'pick',
  'pick-many',
  'list',
  'rows',
  'json',
  'file',
  'connection',
] as const
const control = z.enum(controls).meta({
  id: 'control',
  description:
    'pick, pick-many: choices loaded from the account; choice, choices: those listed; rows: a table, drawn as `row` says; json: any JSON value; duration: a time span, stored as a number of `unit`; file: a file handle',
})
const layoutField = z
  .strictObject({
    name: z.string().describe('Name in the schema'),
    title: z.string().describe('Shown above the field'),
    description: z.string().describe('Shown below the field'),
    control,
    required: z.boolean().describe('Must be filled in'),
    place: z.enum(['main', 'more']).describe('main: shown at once; more: under "more fields"'),
    default: z.unknown().optional().describe('The value used when the field is absent'),
    choices: z.array(z.string()).optional().describe('Of `choice` and `choices`'),
    labels: labels.optional().describe('A title for each of `choices`'),
    min: z.number().optional().describe('Of `number` and `duration`: the least value, in its unit'),
    max: z.number().optional().describe('Of `number` and `duration`: the greatest value, in its unit'),
    dependsOn: z.array(z.string()).optional().describe('Fields whose values the choices need first'),
    accepts: z.literal('id-or-url').optional().describe('Takes an id or a pasted address'),
    scope: z.literal(true).optional().describe('Only narrows dropdowns; not part of `input`'),
    ...shown,
    get row(): z.ZodOptional<typeof layout> {
      return layout.optional().describe('Of `rows`: how one row is drawn')
    },
  })
  .meta({ id: 'layoutField', description: 'A field of a form' })
const layout: z.ZodObject = z
  .strictObject({
    fields: z.array(layoutField).describe('In the order of the form'),
    oneOf: z
      .strictObject({
        exactlyOne: z.boolean().describe('Exactly one set; false: at least one'),
        sets: z
          .array(
            z.strictObject({ title: z.string().describe('Of the segment'), fields: z.array(z.string()).describe('Names of fields that are needed together') }),
          )
          .describe('One segment each'),
      })
      .nullable()
      .describe('Sets of fields of which at least (or exactly) one must be filled: a segmented choice'),
  })
  .meta({ id: 'layout', description: 'How a form is drawn' })
const connection = z
  .strictObject({
    name: z.literal('connection').describe('Its name in requests, beside `input` and `config`'),
    title: z.string().describe('Shown above the field'),
    description: z.string().describe('Shown below the field'),
    control: z.literal('connection').describe('As of other fields'),
    required: z.boolean().describe('Must be filled in'),
    types: z.array(z.string()).describe('Connection types it takes'),
  })
  .meta({ id: 'connectionField', description: 'The field that chooses the account, drawn before the others' })
const found = {
  keywords: z.array(z.string()).describe('Other words people search it by'),
  icon: z.string().nullable().describe('File of its icon, beside the manifest; drawn in the colour of the text'),
  oauthScopes: z.array(z.string()).describe('OAuth scopes of the provider that the connection needs for it'),
}
const contract = {
  version: z.string().describe('Of its contract: within a major version inputs gain optional fields only, outputs gain fields only'),
  deprecated: z
    .strictObject({ since: z.string().describe('Version of the integration'), use: z.string().describe('Id of the other one') })
    .nullable()
    .describe('Replaced by another one; works until the next major version of the integration'),
}
const step = z
  .strictObject({
    id: z.string().describe('Unique in the integration; it never changes'),
    title: z.string().describe('For people'),
    group: z.string().describe('One of `groups`'),
    purpose: z.string().describe('One sentence, written for an agent'),
    ...contract,
    badges: z.array(z.enum(['beta', 'legacy', 'deprecated', 'credits', 'setup', 'advanced'])).describe('To show beside the title'),
    ...found,
    connection: connection.nullable().describe('null: it needs no account'),
    tool: z.string().describe('Name for tool faces'),
    effect: z.enum(['read', 'create', 'update', 'delete', 'by-method']).describe('What it does at the provider; by-method: as its HTTP method'),
    cost: cost.nullable(),
    price: z.string().nullable().describe('The price in words, as the wire profile states it'),
    legacy: z
      .strictObject({ use: z.string().describe('Id of the step to offer') })
      .nullable()
      .describe('Kept for agents built with it; another step is offered'),
    ready: z.boolean().describe('false: settings named in `needs` are missing'),
    needs: z.array(z.string()).describe('Settings that the operator has yet to give'),
    notReady: z.string().nullable().describe('Why it is not ready, in sentences'),
    input: schema.describe('JSON Schema of the input, for agents'),
    form: schema.describe('The same plus fields that only narrow dropdowns, in form order'),
    output: schema.describe('JSON Schema of the output; it may gain fields'),
    agentFields: z
      .array(z.string())
      .nullable()
      .describe('Fields of the output that agents get where they ask for no others, with dots into objects and entries of lists; null: all'),
    fields: z.record(z.string(), field).describe('Extras of fields, by name'),
    accountFields: z
      .strictObject({
        field: z.string().describe('Field of the input that holds their values'),
        dependsOn: z.array(z.string()).describe('Fields needed first'),
      })
      .nullable()
      .describe(
        'Fields that the account defines, loaded with POST …/fields: `field` of the input holds their values, `dependsOn` is needed first; null: it has none',
      ),
    layout,
    sample: z.unknown().describe('An output, to map the fields of later steps without a run; null: none is recorded'),
    examples: z
      .array(
        z.strictObject({
          title: z.string().describe('What it shows'),
          input: z.unknown().describe('The input'),
          output: z.unknown().optional().describe('What it gives'),
          failure: z.unknown().optional().describe('How it fails, where it does'),
        }),
      )
      .describe('Cases that tests replay'),
  })
  .meta({ id: 'step', description: 'One operation that an agent or workflow can run' })
const trigger = z
  .strictObject({
    id: z.string().describe('Unique in the integration; it never changes'),
    title: z.string().describe('For people'),
    purpose: z.string().describe('One sentence, written for the builder'),
    ...contract,
    badges: z.array(z.enum(['beta', 'deprecated', 'instant', 'polling'])).describe('To show beside the title'),
    ...found,
    connection,
    instant: z.boolean().describe('Events arrive at once, by webhook; false: the provider is polled'),
    delivery: z.array(z.enum(['webhook', 'poll'])).describe('Ways it can be delivered; the first is taken where none is asked for'),
    recoverable: z
      .enum(['all', 'some', 'none'])
      .describe('How much of what happens while we are down can be found again; with polling delivery, how much is seen at all'),
    webhookOnly: z.array(z.string()).describe('Types of events that arrive by webhook only'),
    caveat: z.string().nullable().describe('What a builder has to know'),
    config: schema.describe('JSON Schema of the config'),
    options: schema.describe('Of a subscription to it: delivery, where it starts from, quiet period and so on'),
    data: schema.describe('JSON Schema of what the agent gets as `event`; it may gain fields'),
    fields: z.record(z.string(), field).describe('Extras of fields, by name'),
    layout: layout.describe('How the form of the config is drawn'),
    optionsLayout: layout.describe('How the form of the options is drawn'),
    sample: z.unknown().describe('What the agent gets as `event`; null: none is recorded'),
    examples: z
      .array(
        z.strictObject({
          title: z.string().describe('What it shows'),
          config: z.unknown().describe('The config'),
          data: z.unknown().describe('What the agent gets as `event`; null where nothing starts'),
        }),
      )
      .describe('Cases that tests replay'),
  })
  .meta({ id: 'trigger', description: 'Something that can start an agent' })
const apiOperation = z
  .strictObject({
    method: z.enum(methods).describe('HTTP method'),
    path: z.string().describe('Template: names in braces are parameters'),
    title: z.string().describe('For people'),
    effect: z.enum(['read', 'create', 'update', 'delete']).describe('What it does at the provider'),
    price: z.string().optional().describe('As the provider states it; absent: none'),
    body: z.literal('list').optional().describe('The body is a list whose items hold the parameters of the body'),
    parameters: z
      .array(
        z.strictObject({
          name: z.string().describe('Its name'),
          in: z.enum(['path', 'query', 'body', 'either']).describe('either: taken in the query and in the body'),
          type: z.enum(['string', 'number', 'integer', 'boolean', 'object', 'any']).describe('With `list`: of each item'),
          list: z.literal(true).optional().describe('Takes several'),
          required: z.literal(true).optional().describe('The provider refuses calls without it'),
          choices: z.array(z.string()).optional().describe('Values that the provider documents'),
        }),
      )
      .describe('What it takes'),
  })
  .meta({ id: 'operation', description: 'An endpoint of the provider' })

const pattern = z.string().describe('Pattern of paths: * is a segment, a trailing /** all below')
const ofMethods = z.array(z.string()).optional().describe('Absent: all')

/** Shape of `manifests/<id>.json`; the manifests of a running server have it too. */
export const manifestShape = z.strictObject({
  $schema: z.string().describe('Address of the schema, beside the manifest'),
  urn: z.string().describe('Names this version of the manifest'),
  schemaVersion: z.literal(schemaVersion).describe('Of the format'),
  id: z.string().describe('Of the integration; it never changes'),
  title: z.string().describe('For people'),
  summary: z.string().describe('What it is, in a sentence'),
  version: z.string().describe('Of the integration'),
  maturity: z.enum(['stable', 'beta']).describe('beta: parts of it are guesses, listed in `wire.assumed`'),
  icon: z
    .strictObject({ light: z.string().describe('For light backgrounds'), dark: z.string().describe('For dark backgrounds') })
    .describe('Files of its icon, beside the manifest'),
  ready: z.boolean().describe('Every step that the wire profile in force has an endpoint for can run'),
  groups: z.array(z.string()).describe('Groups of the steps in the order a picker shows them'),
  connections: z
    .array(
      z
        .strictObject({
          id: z.string().describe('Unique in the integration; it never changes'),
          title: z.string().describe('For people'),
          purpose: z.string().describe('When to choose it'),
          recommended: z.boolean().describe('The one to offer first'),
          help: z.string().nullable().describe('Where a person finds the values'),
          flow: z.enum(['secrets', 'token-page', 'oauth-1.0a', 'oauth-2.0']).describe('What connecting in the browser does'),
          authorize: z
            .strictObject({
              path: z.string().describe('Path of the page'),
              params: z.record(z.string(), z.string()).describe('Query templates of {appName} and {key}'),
            })
            .nullable()
            .describe('Authorize address of the token page'),
          oauthScopes: z.array(z.string()).describe('OAuth scopes of the provider that connecting asks for'),
          app: z
            .strictObject({
              set: z.string().describe('Route that takes its key and secret'),
              callback: z.string().nullable().describe("Redirect address to register, below the server's public address"),
              help: z.string().describe('The same in a sentence'),
            })
            .nullable()
            .describe('The registration as an application at the provider that the operator has to set first; null: it needs none'),
          secrets: schema.describe('Of a connection that is made through the API'),
          layout: layout.describe('What a person fills in to connect; empty where the browser is sent to log in'),
          testable: z.boolean().describe('A free request verifies the credential when connecting'),
        })
        .meta({ id: 'connectionType', description: 'A way to connect an account' }),
    )
    .describe('Ways to connect an account'),
  steps: z.array(step).describe('What can be run'),
  triggers: z.array(trigger).describe('What can start an agent'),
  toolSets: z
    .array(
      z.strictObject({
        id: z.string().describe('Of the set'),
        title: z.string().describe('For people'),
        purpose: z.string().describe('When to choose it'),
        steps: z.array(z.string()).describe('Ids of its steps'),
      }),
    )
    .describe('Selections of steps for hosts that cannot take all tools; `core` first'),
  apiCall: z
    .strictObject({
      methods: z.array(z.enum(methods)).describe('Allowed HTTP methods'),
      under: z.string().describe('What every path begins with'),
      allow: z
        .array(z.strictObject({ path: pattern, methods: ofMethods }))
        .optional()
        .describe('When present, a request must fit one of these rules'),
      deny: z
        .array(
          z.strictObject({
            path: pattern,
            methods: ofMethods,
            query: z.array(z.string()).optional().describe('Refused only with one of these parameters'),
            reason: z.string().describe('Why'),
          }),
        )
        .describe('What is refused'),
      operations: z
        .array(apiOperation)
        .describe('Known endpoints that the policy allows; API Call checks calls of them before sending. Others can be called too'),
    })
    .describe('What API Call may do'),
  wire: z
    .strictObject({
      profile: z.string().describe('Name of the one in force'),
      profiles: z.array(z.string()).describe('Those that can be chosen by name, for all connections or for one'),
      assumed: z.record(z.string(), z.string()).describe('What is a guess, and why'),
      unset: z.array(z.string()).describe('Settings the operator has yet to give'),
    })
    .describe('The wire profile: facts about the provider'),
})

/** JSON Schema of a manifest, with a versioned id. */
export const manifestJsonSchema = (): JsonSchema => ({
  ...(z.toJSONSchema(manifestShape) as JsonSchema),
  $id: `urn:toolyard:manifest-schema:${schemaVersion}`,
  title: 'toolyard integration manifest',
})
