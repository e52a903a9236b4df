import { once, timeUnits, z } from '#kit'

const labels = once(() => z.record(z.string(), z.string()))

const shown = once(() => ({
  showWhen: z
    .strictObject({
      field: z.string().describe('The other field'),
      is: z
        .array(z.union([z.string(), z.number(), z.boolean()]))
        .exactOptional()
        .describe('Its values; absent: any'),
    })
    .exactOptional()
    .describe('Shown only while another field has one of some values'),
  placeholder: z.string().exactOptional().describe('Shown in the empty field; never a default'),
  helpUrl: z.string().exactOptional().describe('Page of the provider that explains the field'),
  unit: z
    .enum([...timeUnits, 'bytes', 'people', 'credits'])
    .exactOptional()
    .describe('What the number counts; of a `duration`, the unit it is stored in'),
}))

const extras = once(() => ({
  options: z.literal(true).exactOptional().describe('Choices are loaded from the account with POST …/options'),
  names: z.string().exactOptional().describe('Kind of the things to choose from, as sentences and names refer to them'),
  dependsOn: z.array(z.string()).exactOptional().describe('Fields to fill first, because the choices depend on them'),
  accepts: z.literal('id-or-url').exactOptional().describe('Takes an id or a pasted address'),
  scope: z.literal(true).exactOptional().describe('Only narrows dropdowns; shown in forms, absent from tools'),
  long: z.literal(true).exactOptional().describe('A text of several lines'),
  labels: labels().exactOptional().describe('Display names of the choices'),
  ...shown(),
  rare: z
    .literal(true)
    .exactOptional()
    .describe('Rarely needed by agents: omitted from tool definitions, still accepted'),
}))

export const field = once(() =>
  z
    .strictObject({
      ...extras(),
      row: z
        .record(z.string(), z.strictObject(extras()))
        .exactOptional()
        .describe('Extras of the fields of one row of a table'),
    })
    .meta({ id: 'field', description: 'Extras of a field that JSON Schema has no word for' }),
)

/** How a form draws a field. */
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

const drawn = once(() => ({
  name: z.string().describe('Name in the schema'),
  title: z.string().describe('Shown above the field'),
  description: z.string().describe('Shown below the field'),
  control,
  required: z.boolean().describe('Must be filled in'),
  place: z.enum(['main', 'more']).describe('main: shown at once; more: under "more fields"'),
  default: z.unknown().exactOptional().describe('Value used when the field is absent'),
  choices: z.array(z.string()).exactOptional().describe('Allowed values of `choice` and `choices`'),
  labels: labels().exactOptional().describe('Display name of each choice'),
  min: z.number().exactOptional().describe('Minimum of a `number` or `duration`, in its unit'),
  max: z.number().exactOptional().describe('Maximum of a `number` or `duration`, in its unit'),
  names: z.string().exactOptional().describe('Kind of the things to choose from, as sentences and names refer to them'),
  dependsOn: z.array(z.string()).exactOptional().describe('Fields to fill first, because the choices depend on them'),
  accepts: z.literal('id-or-url').exactOptional().describe('Takes an id or a pasted address'),
  scope: z.literal(true).exactOptional().describe('Only narrows dropdowns; not part of `input`'),
  ...shown(),
}))

const oneOf = once(() =>
  z
    .strictObject({
      exactlyOne: z.boolean().describe('true: exactly one set; false: at least one'),
      sets: z
        .array(
          z.strictObject({
            title: z.string().describe('Of the segment'),
            fields: z.array(z.string()).describe('Names of fields to fill together'),
          }),
        )
        .describe('One segment for each set'),
    })
    .nullable()
    .describe('Sets of fields of which at least (or exactly) one must be filled; shown as a segmented control'),
)

const inOrder = 'In the order of the form'

/** A row contains no table: importers of OpenAPI fail on recursive schemas. */
const row = once(() =>
  z
    .strictObject({
      fields: z
        .array(z.strictObject(drawn()).meta({ id: 'rowField', description: 'A field of a row' }))
        .describe(inOrder),
      oneOf: oneOf(),
    })
    .meta({ id: 'row', description: 'Layout of one row of `rows`' }),
)

const layoutField = once(() =>
  z
    .strictObject({ ...drawn(), row: row().exactOptional() })
    .meta({ id: 'layoutField', description: 'A field of a form' }),
)

export const layout = once(() =>
  z
    .strictObject({ fields: z.array(layoutField()).describe(inOrder), oneOf: oneOf() })
    .meta({ id: 'layout', description: 'How a form is drawn' }),
)

export const connectionField = once(() =>
  z
    .strictObject({
      name: z.literal('connection').describe('Its name in requests, beside `input` and `config`'),
      title: z.string().describe('Shown above the field'),
      description: z.string().describe('Shown below the field'),
      control: z.literal('connection').describe('As for other fields'),
      required: z.boolean().describe('Must be filled in'),
      types: z.array(z.string()).describe('Connection types that it accepts'),
    })
    .meta({ id: 'connectionField', description: 'The field that chooses the account, drawn before the others' }),
)
