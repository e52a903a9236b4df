import {
  defineIntegration,
  defineStep,
  fail,
  failField,
  fileRef,
  flag,
  formValue,
  keySets,
  moment,
  pageOptions,
  webAddress,
  z,
} from '#kit'
import type { FieldSpec, Option, WireProfile } from '#kit'

/** A throw-away integration whose forms have every control, and whose steps answer with their input. */

const text = (title: string, description = `About ${title.toLowerCase()}.`) => z.string().meta({ title, description })
const shelves: Option[] = Array.from({ length: 130 }, (_, at) => ({
  value: `shelf-${at + 1}`,
  label: `Shelf ${at + 1}`,
  hint: at === 0 ? 'the first' : '',
})).map(({ hint, ...rest }) => (hint ? { ...rest, hint } : rest))
const booksOf = (shelf: string): Option[] =>
  ['Atlas', 'Ballads', 'Cookery'].map((name) => ({
    value: `${shelf}-${name.toLowerCase()}`,
    label: `${name} of ${shelf}`,
  }))

const shelf: FieldSpec = { accepts: 'id-or-url', options: async (_, asked) => pageOptions(shelves, asked) }
const book: FieldSpec = {
  dependsOn: ['shelf'],
  options: async (_, asked) => pageOptions(booksOf(formValue(asked.values, 'shelf') ?? ''), asked),
}
/** Fails the first time that it is asked for "flaky". */
const flakyFor = new Set<string>()
const flaky: FieldSpec = {
  async options(_, asked) {
    if (asked.query === 'flaky' && !flakyFor.has(asked.query)) {
      flakyFor.add(asked.query)
      throw fail('unreachable', 'The catalogue does not answer.')
    }
    return pageOptions([{ value: 'f1', label: 'Flaky but found' }], asked)
  },
}

const everything = defineStep({
  id: 'everything',
  title: 'Everything',
  purpose: 'Answers with its input; every control is in its form.',
  keywords: ['controls'],
  icon: 'fields',
  effect: 'read',
  input: () =>
    z.strictObject({
      text: text('Text').max(20),
      longText: text('Long text').optional(),
      url: webAddress('Address', 'About address.').optional(),
      email: z.email().meta({ title: 'E-mail', description: 'About e-mail.' }).optional(),
      due: moment('Due', 'About due.').optional(),
      count: z.int().min(1).max(50).default(10).meta({ title: 'Count', description: 'About count.' }).optional(),
      wait: z.int().min(0).max(86_400_000).meta({ title: 'Wait', description: 'About wait.' }).optional(),
      flag: flag('Flag', 'About flag.').optional(),
      colour: z.enum(['red', 'green']).meta({ title: 'Colour', description: 'About colour.' }).optional(),
      sizes: z
        .array(z.enum(['small', 'large']))
        .meta({ title: 'Sizes', description: 'About sizes.' })
        .optional(),
      shelf: text('Shelf').optional(),
      book: text('Book').optional(),
      books: z.array(z.string()).meta({ title: 'Books', description: 'About books.' }).optional(),
      flaky: text('Flaky').optional(),
      lines: z.array(z.string()).meta({ title: 'Lines', description: 'About lines.' }).optional(),
      people: z
        .array(
          keySets(
            z.strictObject({
              email: text('E-mail').optional(),
              name: text('Name').optional(),
              age: z.int().min(0).max(150).meta({ title: 'Age', description: 'In years.' }).optional(),
            }),
            [['email'], ['name']],
          ),
        )
        .meta({ title: 'People', description: 'About people.' })
        .optional(),
      extra: z.looseObject({}).meta({ title: 'Extra', description: 'About extra.' }).optional(),
      file: fileRef('File', 'About file.').optional(),
      reason: text('Reason').optional(),
    }),
  output: () => z.looseObject({}),
  fields: {
    text: { placeholder: 'Such as this', helpUrl: 'https://help.example/text' },
    longText: { long: true },
    count: { unit: 'people' },
    wait: { unit: 'ms' },
    colour: { labels: { red: 'Warm red' } },
    shelf,
    book,
    books: book,
    flaky,
    reason: { showWhen: { field: 'colour', is: ['red'] } },
  },
  async run(_, input) {
    if (input.text === 'refuse') throw failField('text', 'Text: the provider refuses this word. Enter another one.')
    return input
  },
})

const optional = defineStep({
  id: 'everything-optional',
  title: 'Everything optional',
  purpose: 'Answers with its input; nothing is required.',
  icon: 'fields',
  effect: 'read',
  input: () => everything.input.partial(),
  output: () => z.looseObject({}),
  fields: everything.fields ?? {},
  run: async (_, input) => input,
})

const sets = (id: string, title: string, exactlyOne: boolean) =>
  defineStep({
    id,
    title,
    purpose: 'Answers with its input; one of several sets of fields is filled.',
    icon: 'fields',
    effect: 'read',
    input: () =>
      keySets(
        z.strictObject({
          email: text('E-mail').optional(),
          firstName: text('First name').optional(),
          lastName: text('Last name').optional(),
          note: text('Note').optional(),
        }),
        [['email'], ['firstName', 'lastName']],
        { exactlyOne },
      ),
    output: () => z.looseObject({}),
    run: async (_, input) => input,
  })

const ofAccount = defineStep({
  id: 'of-account',
  title: 'Of account',
  purpose: 'Answers with its input; the account defines some of its fields.',
  icon: 'fields',
  effect: 'update',
  input: () =>
    z.strictObject({
      shelf: text('Shelf'),
      values: z.looseObject({}).meta({ title: 'Custom fields', description: 'By field.' }),
    }),
  output: () => z.looseObject({}),
  fields: { shelf },
  accountFields: {
    field: 'values',
    dependsOn: ['shelf'],
    async load(_, { values }) {
      if (values['shelf'] === 'shelf-2') throw fail('unreachable', 'The catalogue does not answer.')
      return [
        { id: 'c1', title: 'Points', type: 'number' },
        { id: 'c2', title: 'Read', type: 'boolean' },
        { id: 'c3', title: 'Grade', type: 'choice', choices: [{ value: 'g1', label: 'Good' }] },
      ]
    },
  },
  run: async (_, { shelf: chosen }, values) => ({
    shelf: chosen,
    values: values.map(({ field, value }) => [field.title, value]),
  }),
})

const wire: WireProfile = {
  profile: 'documented',
  baseUrl: 'https://forms.example',
  auth: { 'api-key': { place: 'query', fields: { api_key: '{apiKey}' } } },
  reserved: [],
  pace: { limits: [], concurrency: 4 },
  timeouts: { connectMs: 5_000, headersMs: 15_000, bodyMs: 10_000, totalMs: 30_000, deadlineMs: 60_000 },
  maxReplyBytes: 1_000_000,
  errors: [],
  assumed: {},
}

export default defineIntegration({
  id: 'forms',
  title: 'Forms',
  summary: 'Forms with every control; only for tests.',
  version: '0.0.1',
  maturity: 'beta',
  connections: [
    {
      id: 'api-key',
      title: 'API key',
      purpose: 'A key made in the account settings.',
      secrets: z.strictObject({
        apiKey: z.string().meta({ title: 'API key', description: 'The key, as the settings page shows it.' }),
      }),
    },
  ],
  steps: [everything, optional, sets('any-set', 'Any set', false), sets('one-set', 'One set', true), ofAccount],
  apiCall: { methods: ['GET'], under: '/v1', deny: [] },
  wire,
})
