import { fail, failField, inputJsonSchema, outputJsonSchema, z } from '#kit'
import type { FieldError, JsonSchema } from '#kit'
import { coreSet, isInToolSet } from '../../catalogue/tool-sets.ts'
import { rules } from '../../../api/rules.ts'
import { mayCall, mayUseStep } from '../../bounds.ts'
import type { LoadedStep, Registry } from '../../catalogue/registry.ts'
import type { Caller } from '../../ports/index.ts'
import { identifierNames, lookupStep } from './candidates.ts'
import { lookupOptions, lookupOutputOf } from './schemas.ts'
import { kinds, wantable } from './record-fields.ts'
import type { Kind } from './record-fields.ts'
import type { LookupAnswer, LookupCall } from './types.ts'

type LookupArguments = Pick<
  LookupCall,
  'identifiers' | 'want' | 'providers' | 'order' | 'maxCredits' | 'maxAge' | 'refresh'
>

/** A tool that spans several integrations and belongs to none of them. */
export type LookupTool = {
  kind: Kind
  id: string
  name: string
  title: string
  group: string
  purpose: string
  description: string
  keywords: string[]
  /** Schema of its flat arguments: identifiers, wanted fields and options. */
  input: JsonSchema
  output: JsonSchema
  /** Ids of the integrations with a step that looks up this kind. */
  integrations: string[]
  example: { title: string; input: Record<string, unknown>; output: Record<string, unknown> }
  /** Parses arguments. @throws Failure `invalid_input` naming each wrong argument */
  read(args: unknown): LookupArguments & { narrow(answer: unknown): unknown }
  /** Whether a caller may use the tool at all. */
  isFor(caller: Caller): boolean
  /** Whether a tool set contains the tool: one that contains a step of it. */
  isIn(set: string): boolean
}

const source = {
  provider: 'contact-data',
  connection: 'con_1',
  at: '2026-03-02T09:00:00.000Z',
  asOf: '2026-03-02T09:00:00.000Z',
  confidence: 'A',
}
const texts: Record<Kind, Pick<LookupTool, 'title' | 'purpose' | 'keywords' | 'example'>> = {
  person: {
    title: 'Find Person Anywhere',
    purpose:
      'Looks for one person at one data provider after the other until the wanted fields are filled, and says who gave which value; no match is a result, not an error.',
    keywords: ['contact', 'lead', 'e-mail finder', 'phone', 'mobile', 'enrich', 'waterfall'],
    example: {
      title: 'A mobile number, wherever there is one',
      input: { email: 'gwen@kowhai.example', want: ['workEmail', 'mobilePhone'], maxCredits: 5 },
      output: {
        matched: true,
        complete: true,
        missing: [],
        record: {
          fullName: 'Gwen Ellery',
          emails: [
            { value: 'gwen@kowhai.example', type: 'work', deliverable: 'unknown', asOf: source.at, from: [source] },
          ],
          phones: [
            {
              number: '+61491570006',
              type: 'mobile',
              e164: '+61491570006',
              line: 'mobile',
              doNotCall: 'unknown',
              asOf: '2026-03-02T09:00:01.000Z',
              from: [
                {
                  provider: 'anz-data',
                  connection: 'con_2',
                  at: '2026-03-02T09:00:01.000Z',
                  asOf: '2026-03-02T09:00:01.000Z',
                  e164: '+61491570006',
                  line: 'mobile',
                  doNotCall: 'unknown',
                },
              ],
            },
          ],
          email: 'gwen@kowhai.example',
        },
        sources: { fullName: [source] },
        conflicts: [],
        notes: ['No provider says whether one of the numbers may be called; unknown does not mean that it may.'],
        providers: [
          {
            provider: 'contact-data',
            connection: 'con_1',
            status: 'match',
            filled: ['workEmail'],
            credits: 1,
            estimated: false,
          },
          {
            provider: 'anz-data',
            connection: 'con_2',
            status: 'match',
            filled: ['mobilePhone'],
            credits: 2,
            estimated: true,
          },
        ],
      },
    },
  },
  company: {
    title: 'Find Company Anywhere',
    purpose:
      'Looks for one company at one data provider after the other until the wanted fields are filled, and says who gave which value; no match is a result, not an error.',
    keywords: ['account', 'firmographics', 'organisation', 'ABN', 'enrich', 'waterfall'],
    example: {
      title: 'The ABN and size of a company',
      input: { domain: 'kowhai.example', want: ['abn', 'employeeRange'] },
      output: {
        matched: true,
        complete: false,
        missing: ['abn'],
        record: { name: 'Kowhai Field', domain: 'kowhai.example', employeeRange: '51-200' },
        sources: { name: [source], domain: [source], employeeRange: [source] },
        conflicts: [],
        notes: [],
        providers: [
          {
            provider: 'contact-data',
            connection: 'con_1',
            status: 'match',
            filled: ['employeeRange'],
            credits: 1,
            estimated: false,
          },
          { provider: 'anz-data', connection: 'con_2', status: 'no_match', filled: [], credits: 0, estimated: false },
        ],
      },
    },
  },
}

const cost = 'Costs what the providers that are asked charge.'

const withoutRecords = (answer: unknown) => {
  const { records: _, ...otherFields } = answer as LookupAnswer
  return otherFields
}

const errorsIn = (error: z.ZodError): FieldError[] =>
  error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ pointer: `/${key}`, message: `"${key}" is not an argument of this tool.` }))
      : [{ pointer: `/${issue.path.join('/')}`, message: `"${issue.path.join('/')}": ${issue.message}` }],
  )

const makeTool = (kind: Kind, steps: LoadedStep[], names: string[]): LookupTool => {
  const { title, ...text } = texts[kind]
  const described = Object.assign(
    {},
    ...steps.toReversed().map(({ step }) => inputJsonSchema(step.input).properties ?? {}),
  ) as Record<string, JsonSchema>
  const identifier = (name: string) => {
    const { title: named, description } = described[name] ?? {}
    return z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .meta({ title: String(named ?? name), description: String(description ?? name) })
  }
  const schema = z.strictObject({
    ...Object.fromEntries(names.map((name) => [name, identifier(name)])),
    ...lookupOptions(wantable(kind) as [string, ...string[]]),
    details: z
      .boolean()
      .optional()
      .meta({ title: 'Details', description: 'true: with the record of each provider, and its answer as given.' }),
  })
  const id = `find-${kind}-anywhere`
  const isOne = (test: (loadedStep: LoadedStep) => boolean) => steps.some(test)
  return {
    kind,
    id,
    name: id.replaceAll('-', '_'),
    title,
    group: 'Anywhere',
    ...text,
    description: `${text.purpose} ${cost}`,
    input: inputJsonSchema(schema),
    output: outputJsonSchema(lookupOutputOf(kind)),
    integrations: steps.map(({ loaded }) => loaded.integration.id),
    read(args) {
      const parsed = schema.safeParse(args ?? {})
      if (!parsed.success) {
        const errors = errorsIn(parsed.error)
        throw fail('invalid_input', errors.map(({ message }) => message).join(' '), { errors })
      }
      const { want, providers, order, maxCredits, maxAge, refresh, details = false, ...identifiers } = parsed.data
      const givenIdentifiers = Object.entries(identifiers as Record<string, string | undefined>).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      )
      if (givenIdentifiers.length === 0)
        throw failField(names[0]!, `Give at least one identifier: ${names.join(', ')}.`)
      return {
        identifiers: Object.fromEntries(givenIdentifiers),
        want,
        providers,
        ...(order === undefined ? {} : { order }),
        maxCredits,
        maxAge,
        refresh,
        narrow: (answer) => (details ? answer : withoutRecords(answer)),
      }
    },
    isFor: (caller) => mayCall(caller, rules.lookUp) && isOne((found) => mayUseStep(caller, found)),
    // Left out of the core set because their definitions are long: they come with a set about people and companies, or
    // when they are named.
    isIn: (set) => set !== coreSet && isOne((loadedStep) => isInToolSet(loadedStep, set)),
  }
}

/** The tools that the integrations of a pack make possible. */
export const lookupTools = (registry: Pick<Registry, 'all'>): LookupTool[] =>
  kinds.flatMap((kind) => {
    const steps = registry.all.flatMap((loaded) => lookupStep(loaded, kind) ?? [])
    return steps.length === 0 ? [] : [makeTool(kind, steps, identifierNames(registry, kind))]
  })
