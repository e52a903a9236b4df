import { methods, timeUnits, z } from '#kit'
import type { JsonSchema } from '#kit'
import { schemaVersion } from './manifest.ts'

// An id makes a part one definition of the JSON Schema, however often it is used.
const schema = z.looseObject({}).meta({ id: 'schema', description: 'A JSON Schema' })
const labels = z.record(z.string(), z.string())
const cost = z
  .strictObject({ unit: z.literal('credit'), per: z.enum(['match', 'record', 'call']), typical: z.array(z.number()).min(2).max(2) })
  .meta({ id: 'cost', description: "In the provider's credits; `typical` is [least, most]" })
const shown = {
  showWhen: z
    .strictObject({ field: z.string(), is: z.array(z.union([z.string(), z.number(), z.boolean()])).optional() })
    .optional()
    .describe('Shown only while that field has one of these values; without `is`, while it has any'),
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
    name: z.string(),
    title: z.string(),
    description: z.string(),
    control,
    required: z.boolean(),
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
      return layout.optional()
    },
  })
  .meta({ id: 'layoutField' })
const layout: z.ZodObject = z
  .strictObject({
    fields: z.array(layoutField).describe('In the order of the form'),
    oneOf: z
      .strictObject({ exactlyOne: z.boolean(), sets: z.array(z.strictObject({ title: z.string(), fields: z.array(z.string()) })) })
      .nullable()
      .describe('Sets of fields of which at least (or exactly) one must be filled: a segmented choice'),
  })
  .meta({ id: 'layout', description: 'How a form is drawn' })
const connection = z
  .strictObject({
    name: z.literal('connection'),
    title: z.string(),
    description: z.string(),
    control: z.literal('connection'),
    required: z.boolean(),
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
    .strictObject({ since: z.string(), use: z.string() })
    .nullable()
    .describe('Replaced by another one; works until the next major version of the integration'),
}
const step = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    group: z.string(),
    purpose: z.string().describe('One sentence, written for an agent'),
    ...contract,
    badges: z.array(z.enum(['beta', 'legacy', 'deprecated', 'credits', 'setup', 'advanced'])),
    ...found,
    connection: connection.nullable().describe('null: it needs no account'),
    tool: z.string().describe('Name for tool faces'),
    effect: z.enum(['read', 'create', 'update', 'delete', 'by-method']),
    cost: cost.nullable(),
    price: z.string().nullable().describe('The price in words, as the wire profile states it'),
    legacy: z.strictObject({ use: z.string() }).nullable(),
    ready: z.boolean().describe('false: settings named in `needs` are missing'),
    needs: z.array(z.string()),
    notReady: z.string().nullable().describe('Why it is not ready, in sentences'),
    input: schema,
    form: schema,
    output: schema,
    agentFields: z
      .array(z.string())
      .nullable()
      .describe('Fields of the output that agents get where they ask for no others, with dots into objects and entries of lists; null: all'),
    fields: z.record(z.string(), field),
    accountFields: z
      .strictObject({ field: z.string(), dependsOn: z.array(z.string()) })
      .nullable()
      .describe(
        'Fields that the account defines, loaded with POST …/fields: `field` of the input holds their values, `dependsOn` is needed first; null: it has none',
      ),
    layout,
    sample: z.unknown().describe('An output, to map the fields of later steps without a run; null: none is recorded'),
    examples: z.array(z.strictObject({ title: z.string(), input: z.unknown(), output: z.unknown().optional(), failure: z.unknown().optional() })),
  })
  .meta({ id: 'step' })
const trigger = z.strictObject({
  id: z.string(),
  title: z.string(),
  purpose: z.string(),
  ...contract,
  badges: z.array(z.enum(['beta', 'deprecated', 'instant', 'polling'])),
  ...found,
  connection,
  instant: z.boolean().describe('Events arrive at once, by webhook; false: the provider is polled'),
  delivery: z.array(z.enum(['webhook', 'poll'])).describe('Ways it can be delivered; the first is taken where none is asked for'),
  recoverable: z
    .enum(['all', 'some', 'none'])
    .describe('How much of what happens while we are down can be found again; with polling delivery, how much is seen at all'),
  webhookOnly: z.array(z.string()).describe('Types of events that arrive by webhook only'),
  caveat: z.string().nullable(),
  config: schema,
  options: schema.describe('Of a subscription to it: delivery, where it starts from, quiet period and so on'),
  data: schema,
  fields: z.record(z.string(), field),
  layout: layout.describe('How the form of the config is drawn'),
  optionsLayout: layout.describe('How the form of the options is drawn'),
  sample: z.unknown().describe('What the agent gets as `event`; null: none is recorded'),
  examples: z.array(
    z.strictObject({ title: z.string(), config: z.unknown(), data: z.unknown().describe('What the agent gets as `event`; null where nothing starts') }),
  ),
})
const apiOperation = z.strictObject({
  method: z.enum(methods),
  path: z.string().describe('Template: names in braces are parameters'),
  title: z.string(),
  effect: z.enum(['read', 'create', 'update', 'delete']),
  price: z.string().optional().describe('As the provider states it; absent: none'),
  body: z.literal('list').optional().describe('The body is a list whose items hold the parameters of the body'),
  parameters: z.array(
    z.strictObject({
      name: z.string(),
      in: z.enum(['path', 'query', 'body', 'either']).describe('either: taken in the query and in the body'),
      type: z.enum(['string', 'number', 'integer', 'boolean', 'object', 'any']).describe('With `list`: of each item'),
      list: z.literal(true).optional(),
      required: z.literal(true).optional(),
      choices: z.array(z.string()).optional().describe('Values that the provider documents'),
    }),
  ),
})

/** Shape of `manifests/<id>.json`; the manifests of a running server have it too. */
export const manifestShape = z.strictObject({
  $schema: z.string(),
  urn: z.string().describe('Names this version of the manifest'),
  schemaVersion: z.literal(schemaVersion),
  id: z.string(),
  title: z.string(),
  summary: z.string(),
  version: z.string(),
  maturity: z.enum(['stable', 'beta']),
  icon: z.strictObject({ light: z.string(), dark: z.string() }),
  ready: z.boolean(),
  groups: z.array(z.string()).describe('Groups of the steps in the order a picker shows them'),
  connections: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      purpose: z.string(),
      recommended: z.boolean(),
      help: z.string().nullable(),
      flow: z.enum(['secrets', 'token-page', 'oauth-1.0a', 'oauth-2.0']).describe('What connecting in the browser does'),
      authorize: z
        .strictObject({ path: z.string(), params: z.record(z.string(), z.string()) })
        .nullable()
        .describe('Authorize address of the token page'),
      oauthScopes: z.array(z.string()).describe('OAuth scopes of the provider that connecting asks for'),
      app: z
        .strictObject({
          set: z.string().describe('Route that takes its key and secret'),
          callback: z.string().nullable().describe("Redirect address to register, below the server's public address"),
          help: z.string(),
        })
        .nullable()
        .describe('The registration as an application at the provider that the operator has to set first; null: it needs none'),
      secrets: schema.describe('Of a connection that is made through the API'),
      layout: layout.describe('What a person fills in to connect; empty where the browser is sent to log in'),
      testable: z.boolean().describe('A free request verifies the credential when connecting'),
    }),
  ),
  steps: z.array(step),
  triggers: z.array(trigger),
  toolSets: z
    .array(z.strictObject({ id: z.string(), title: z.string(), purpose: z.string(), steps: z.array(z.string()) }))
    .describe('Selections of steps for hosts that cannot take all tools; `core` first'),
  apiCall: z.strictObject({
    methods: z.array(z.enum(methods)),
    under: z.string(),
    allow: z
      .array(z.strictObject({ path: z.string(), methods: z.array(z.string()).optional() }))
      .optional()
      .describe('When present, a request must fit one of these rules'),
    deny: z.array(z.strictObject({ path: z.string(), methods: z.array(z.string()).optional(), query: z.array(z.string()).optional(), reason: z.string() })),
    operations: z
      .array(apiOperation)
      .describe('Known endpoints that the policy allows; API Call checks calls of them before sending. Others can be called too'),
  }),
  wire: z.strictObject({
    profile: z.string(),
    profiles: z.array(z.string()).describe('Those that can be chosen by name, for all connections or for one'),
    assumed: z.record(z.string(), z.string()).describe('What is a guess, and why'),
    unset: z.array(z.string()).describe('Settings the operator has yet to give'),
  }),
})

/** JSON Schema of a manifest, with a versioned id. */
export const manifestJsonSchema = (): JsonSchema => ({
  ...(z.toJSONSchema(manifestShape) as JsonSchema),
  $id: `urn:toolyard:manifest-schema:${schemaVersion}`,
  title: 'toolyard integration manifest',
})
