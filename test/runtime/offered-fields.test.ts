import { describe, expect, it } from 'vitest'
import { defineIntegration, defineStep, inputJsonSchema, keySets, words, z } from '#kit'
import type { ExampleFile, FieldWire, Integration, JsonSchema, WireProfile } from '#kit'
import { buildManifest, toolInput } from '../../shared/runtime/catalogue/manifest.ts'
import { manifestShape } from '../../shared/api/manifest.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { describeTool } from '../../shared/runtime/catalogue/tool-description.ts'
import { addStepOperations } from '../../shared/faces/http/step-operations.ts'
import { makeTools } from '../../shared/faces/mcp/tools.ts'
import { integrations } from '../data/harness.ts'

const row = z.strictObject({
  mail: words('Mail', 'Address of the person.').optional(),
  land: words('Land', 'Land of the person.').optional(),
  note: words('Note', 'Kept as it is, and not sent.').optional(),
})
const find = defineStep({
  id: 'find',
  title: 'Find',
  purpose: 'Finds one person.',
  effect: 'read',
  input: () =>
    keySets(
      z.strictObject({
        mail: words('Mail', 'Address of the person.').optional(),
        first: words('First', 'First name of the person.').optional(),
        last: words('Last', 'Last name of the person.').optional(),
        land: words('Land', 'Land of the person.').optional(),
        level: words('Level', 'Level of the person.').optional(),
        wants: z.array(z.string()).optional().meta({ title: 'Wants', description: 'What is wanted.' }),
        field: words('Field', 'Field of work of the person.').optional(),
        rows: z
          .array(z.unknown().meta(inputJsonSchema(row)))
          .optional()
          .meta({ title: 'Rows', description: 'Several persons.' }),
        limit: z.int().optional().meta({ title: 'Limit', description: 'At most so many.' }),
      }),
      [['mail'], ['first', 'last'], ['land']],
    ),
  output: () => z.looseObject({}),
  endpoints: ['person'],
  run: (ctx, input) => ctx.ask('person', input),
})

type Fields = { [ours: string]: FieldWire }
const none: Fields = { mail: 'mail', first: 'first', last: 'last', land: null, level: null, wants: null, field: null }
const endpoint = (fields: Fields, path: string | null = '/person') => ({
  person: { method: 'POST' as const, path, place: 'json' as const, fields },
})
const base = integrations[1]!
const wire: WireProfile = { ...base.wire, endpoints: endpoint(none), records: {}, assumed: {} }
const integrationOf = (profiles: NonNullable<Integration['profiles']>) =>
  defineIntegration({ ...base, id: 'made-up', title: 'Made up', steps: [find], wire, profiles })
const readyWith = (fields: Fields, path?: string | null): WireProfile => ({
  ...wire,
  profile: 'ready',
  baseUrl: 'https://api.made-up.example',
  auth: { 'api-key': { place: 'header', fields: { key: '{apiKey}' } } },
  endpoints: endpoint(fields, path),
})
const foundUnder = (fields: Fields, path?: string | null) =>
  createRegistry([integrationOf({ ready: () => readyWith(fields, path) })], { 'made-up': { profile: 'ready' } }).step(
    'made-up',
    'find',
  )
const schemaUnder = (fields: Fields) => toolInput(foundUnder(fields))
const properties = (schema: JsonSchema) => schema.properties as Record<string, JsonSchema>
const shown = (schema: JsonSchema) => Object.keys(properties(schema))

describe('a field that the profile in force has no name for', () => {
  it('is in no schema, nor are the sets that need it; what no endpoint knows stays', () => {
    const schema = schemaUnder(none)
    expect(shown(schema)).toEqual(['mail', 'first', 'last', 'rows', 'limit'])
    expect(schema['x-key-sets']).toEqual({ sets: [['mail'], ['first', 'last']], exactlyOne: false })
    expect(schema.description).toBe('Give at least one of: mail, first + last.')
  })

  it('is hidden where the profile does not list it at all', () => {
    expect(shown(schemaUnder({ mail: 'mail', last: null }))).toEqual(['mail', 'rows', 'limit'])
    expect(schemaUnder({})['x-key-sets']).toBeUndefined()
  })

  it('is not in the rows of a list either', () => {
    const inRows = (fields: Fields) => shown(properties(schemaUnder(fields)).rows!.items as JsonSchema)
    expect(inRows(none)).toEqual(['mail', 'note'])
    expect(inRows({ ...none, land: 'country' })).toEqual(['mail', 'land', 'note'])
  })

  it('is shown where another place of the endpoint has a name for it', () => {
    const loadStep = (over: object) => {
      const profile = readyWith(none)
      const person = { ...profile.endpoints!.person!, ...over }
      return createRegistry([integrationOf({ ready: () => ({ ...profile, endpoints: { person } }) })], {
        'made-up': { profile: 'ready' },
      }).step('made-up', 'find')
    }
    const bulk = { path: '/bulk', max: 10, envelope: '', answer: 'array', charge: 'match', fields: { level: 'level' } }
    expect(shown(toolInput(loadStep({ bulk })))).toContain('level')
    expect(shown(toolInput(loadStep({ path: '/person/{land}' })))).toContain('land')
    expect(
      shown(toolInput(loadStep({ fields: { ...none, wants: { name: null, flags: { mails: 'withMails' } } } }))),
    ).toContain('wants')
  })

  it('is in no form, tool or operation', () => {
    const loadedStep = foundUnder(none)
    const { form, layout, input } = buildManifest(loadedStep.loaded, []).steps[0]!
    const tool = makeTools(createRegistry([integrationOf({})]))
      .get('made_up_find')!
      .listed({ canChoose: true })
    for (const names of [
      shown(form),
      shown(input),
      layout.fields.map(({ name }) => name),
      Object.keys(tool.inputSchema.properties!),
    ]) {
      expect(names).toContain('mail')
      expect(names).not.toContain('land')
    }
    expect(layout.oneOf!.sets.map(({ fields }) => fields)).toEqual([['mail'], ['first', 'last']])
    const document = {
      paths: {
        '/v1/steps/{integration}/{step}/run': {
          post: {
            requestBody: { content: { 'application/json': { schema: { properties: {} } } } },
            responses: { 202: {} },
          },
        },
      },
      components: { schemas: { RunDone: { properties: { meta: {} } } } },
    }
    const text = JSON.stringify(addStepOperations(document, createRegistry([integrationOf({})])).paths)
    expect([text.includes('"mail"'), text.includes('"land"')]).toEqual([true, false])
  })
})

describe('a provider that has to have one of some fields', () => {
  const under = (requires: string[][]) => {
    const profile = readyWith({ ...none, land: 'land' })
    const personEndpoint = profile.endpoints!.person!
    const ready = { ...profile, endpoints: { person: { ...personEndpoint, requires } } }
    return createRegistry([integrationOf({ ready: () => ready })], { 'made-up': { profile: 'ready' } }).step(
      'made-up',
      'find',
    )
  }

  it('is shown only the sets that are enough for it, in front', () => {
    const schema = toolInput(under([['mail'], ['first']]))
    expect(schema['x-key-sets']).toMatchObject({ sets: [['mail'], ['first', 'last']] })
    expect(schema.description).not.toContain('land')
    const { layout } = buildManifest(under([['mail'], ['first']]).loaded, []).steps[0]!
    expect(layout.oneOf!.sets.map(({ fields }) => fields)).toEqual([['mail'], ['first', 'last']])
    expect(layout.fields.find(({ name }) => name === 'land')!.place).toBe('more')
  })

  it('is shown all of them where none is enough alone', () => {
    expect(toolInput(under([['level', 'land']]))['x-key-sets']).toMatchObject({
      sets: [['mail'], ['first', 'last'], ['land']],
    })
  })
})

describe('words of the profile in force', () => {
  const under = foundUnder({
    ...none,
    level: { name: 'levelIds', map: { director: 4, manager: 5 }, labels: { director: 'Director' }, as: 'list' },
    wants: { name: null, flags: { emails: 'revealEmails', phones: 'revealPhones' } },
    field: { name: 'fieldIds', choices: { endpoint: 'fields', list: 'items', value: 'id', label: 'name' } },
  })

  it('are the choices of a field, with their titles', () => {
    const schema = toolInput(under)
    expect(properties(schema).level).toMatchObject({ type: 'string', enum: ['director', 'manager'] })
    expect(properties(schema).wants).toMatchObject({ type: 'array', items: { enum: ['emails', 'phones'] } })
    const step = buildManifest(under.loaded, []).steps[0]!
    expect(step.fields).toEqual({ level: { labels: { director: 'Director' } }, field: { options: true } })
    const drawn = Object.fromEntries(
      step.layout.fields.map(({ name, control, choices, labels }) => [name, [control, choices, labels]]),
    )
    expect(drawn).toMatchObject({
      level: ['choice', ['director', 'manager'], { director: 'Director' }],
      wants: ['choices', ['emails', 'phones'], { emails: 'Emails', phones: 'Phones' }],
      field: ['pick', undefined, undefined],
    })
  })

  it('leave the schema of the step as it is', () => {
    expect(properties(inputJsonSchema(under.step.input)).level).not.toHaveProperty('enum')
  })
})

describe('the manifest', () => {
  const loadedStep = foundUnder(none, null)

  it('names the profile in force and the profiles there are', () => {
    expect(buildManifest(loadedStep.loaded, []).wire).toMatchObject({
      profile: 'ready',
      profiles: ['documented', 'ready'],
    })
  })

  it('has the shape that its schema says', () => {
    const under = foundUnder({
      ...none,
      level: { name: 'level', map: { director: 4 }, labels: { director: 'Director' } },
    })
    expect(manifestShape().safeParse(buildManifest(under.loaded, [])).error?.issues).toBeUndefined()
  })

  it('shows the examples that the profile can run', () => {
    const exampleOf = (input: Record<string, unknown>) => ({
      title: JSON.stringify(input),
      input,
      exchanges: [],
      output: {},
    })
    const file = {
      step: 'find',
      cases: [exampleOf({ land: 'NZ' }), exampleOf({ mail: 'a@b.example' }), exampleOf({ rows: [{ land: 'NZ' }] })],
    } as unknown as ExampleFile
    const inputs = (under: typeof loadedStep) =>
      buildManifest(under.loaded, [file]).steps[0]!.examples.map(({ input }) => input)
    expect(inputs(foundUnder(none))).toEqual([{ mail: 'a@b.example' }])
    expect(inputs(loadedStep)).toHaveLength(3)
  })

  it('says why a step is not ready, and which profiles have it', () => {
    const step = buildManifest(loadedStep.loaded, []).steps[0]!
    expect(step).toMatchObject({
      ready: false,
      badges: expect.arrayContaining(['setup']) as unknown,
      needs: ['wire.made-up.endpoints.person.path'],
    })
    const why =
      'Not ready: the profile "ready" has no endpoint for it; the operator has yet to set wire.made-up.endpoints.person.path. Profiles that have it: documented.'
    expect(step.notReady).toBe(why)
    expect(describeTool(loadedStep, toolInput(loadedStep))).toContain(why)
    expect(buildManifest(foundUnder(none).loaded, []).steps[0]).toMatchObject({ ready: true, notReady: null })
  })

  it('says it too where the profile does not have the endpoint at all', () => {
    const without = () => ({ ...readyWith(none), endpoints: {} })
    const step = createRegistry([integrationOf({ ready: without })], { 'made-up': { profile: 'ready' } }).step(
      'made-up',
      'find',
    )
    expect(step.needs).toEqual(['wire.made-up.endpoints.person.path'])
    expect(describeTool(step, toolInput(step))).toContain('the profile "ready" has no endpoint for it')
  })
})
