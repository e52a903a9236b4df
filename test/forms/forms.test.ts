import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox } from '../../shared/sandbox/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { openOAuthWorld, serve } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'
import { createPlatform, extraFields, schemaProblems } from './platform.ts'
import type { Manifest, StepForm, TriggerForm } from './platform.ts'
import { CannotFill, draw, fillIn } from './renderer.ts'
import type { Field, Host, Layout, Values } from './renderer.ts'

/**
 * Every step is filled in and run, and every trigger attached, by a form renderer that knows the manifest's schema and
 * nothing else.
 */

/** A drawn form in words. */
const show = (fields: Field[]) =>
  fields.map(
    ({ title, control, required, choices, labels, unit }) =>
      `${title}${required ? '*' : ''} [${control}${unit ? ` in ${unit}` : ''}]${choices ? ` ${choices.map((choice) => labels?.[choice]).join(' | ')}` : ''}`,
  )

const openServer = async (profiles: Record<string, string>) => {
  const sandbox: Sandbox = await startSandbox({
    board: { limits: { token: 100_000, key: 100_000, memberRoute: 100_000 } },
    profiles,
  })
  const world: OAuthWorld = await openOAuthWorld({ sandbox, isServed: true, agentOrigins: ['http://127.0.0.1:9'] })
  const { origin, close } = await serve(world)
  const { text: token } = await world.pack.tokens.create('default', {
    name: 'Platform',
    scopes: ['run', 'connections', 'subscriptions', 'read'],
  })
  const platform = createPlatform(origin, token)
  return {
    platform,
    sandbox,
    close: async () => {
      await close()
      await world.close()
      await sandbox.close()
    },
  }
}
type Server = Awaited<ReturnType<typeof openServer>>

type Variant = { segment: number; optionalFields: string[] }

const named = ({ segment, optionalFields: [field] }: Variant) => field ?? `set ${segment + 1}`

/** Fills in each segment of a form, then each further field with the first segment that a person can fill. */
const fillAll = async (
  layout: Layout,
  host: Host,
  take: (name: string, values: Values) => Promise<void>,
  renew = () => {},
): Promise<string[]> => {
  const unfilled: string[] = []
  const fill = async (variant: Variant) => {
    renew()
    const values = await fillIn(layout, host, variant).catch((thrown: unknown) => {
      if (thrown instanceof CannotFill) return undefined
      throw thrown
    })
    if (values) await take(named(variant), values)
    else unfilled.push(named(variant))
    return values !== undefined
  }
  const segments = (layout.oneOf?.sets ?? [undefined]).map((_, at) => at)
  let fillable: number | undefined
  for (const segment of segments) if (await fill({ segment, optionalFields: [] })) fillable ??= segment
  for (const { name } of extraFields(layout)) await fill({ segment: fillable ?? 0, optionalFields: [name] })
  return unfilled
}

/** What a person knows without the form: where somebody works. */
const knownValues = {
  companyDomain: createDataSet().companies.find(({ abn, knownTo }) => abn !== undefined && knownTo.length > 1)!.domain,
}

type Seen = { ran: string[]; refused: Record<string, string>; unfilled: string[] }

/** Connects an account by what the form of a connection type asks for. */
const connect = async ({ platform, sandbox }: Server, { id, connections }: Manifest): Promise<string> => {
  const account = sandbox.accounts.find(({ integration }) => integration === id)!
  const form = connections.find((candidate) => candidate.id === account.type)!
  const secrets = Object.fromEntries(draw(form.layout, {}, 0, true).map(({ name }) => [name, account.secrets[name]]))
  if (account.app) expect((await platform.ask(`/v1/apps/${id}`, account.app, 'PUT')).status).toBe(200)
  const made = await platform.ask('/v1/connections', { integration: id, type: form.id, name: 'Mine', secrets })
  expect([id, made.status]).toEqual([id, 201])
  return made.body.id
}

const runAll = async (
  { platform, sandbox }: Server,
  integration: string,
  step: StepForm,
  connection: string,
): Promise<Seen> => {
  const seen: Seen = { ran: [], refused: {}, unfilled: [] }
  const example = { ...knownValues, ...step.examples.find(({ output }) => output !== undefined)?.input }
  const target = step.connection ? { connection } : {}
  const path = `/v1/steps/${integration}/${step.id}`
  const plain = platform.hostOf(path, target.connection, example)
  const load = async (values: Values) => {
    const { status, body } = await platform.ask(`${path}/fields`, { connection, values })
    expect([step.id, status]).toEqual([step.id, 200])
    return body.layout as Layout
  }
  const host = step.accountFields ? { ...plain, account: { ...step.accountFields, load } } : plain
  const run = async (name: string, input: Values) => {
    const { status, body } = await platform.ask(`${path}/run`, { ...target, input })
    if (status === 200) seen.ran.push(name)
    else seen.refused[name] = `${body.code}: ${body.detail}`
  }
  // What one step deletes, the next one needs.
  seen.unfilled = await fillAll(step.layout, host, run, () => sandbox.board.control.reset())
  return seen
}

const attachAll = async (
  { platform }: Server,
  integration: string,
  trigger: TriggerForm,
  connection: string,
): Promise<Seen> => {
  const seen: Seen = { ran: [], refused: {}, unfilled: [] }
  const host = platform.hostOf(
    `/v1/triggers/${integration}/${trigger.id}`,
    connection,
    trigger.examples[0]?.config ?? {},
  )
  const attach = async (name: string, config: Values, options: Values = {}) => {
    const agent = { url: 'http://127.0.0.1:9/start' }
    const made = await platform.ask('/v1/subscriptions', {
      integration,
      trigger: trigger.id,
      connection,
      config,
      agent,
      options,
    })
    if (made.status !== 201) seen.refused[name] = `${made.body.code}: ${made.body.detail}`
    else {
      seen.ran.push(name)
      expect((await platform.ask(`/v1/subscriptions/${made.body.id}`)).body).toMatchObject({
        state: 'active',
        trigger: trigger.id,
        options,
      })
      expect((await platform.ask(`/v1/subscriptions/${made.body.id}`, undefined, 'DELETE')).status).toBe(204)
    }
  }
  let last: Values = {}
  seen.unfilled = await fillAll(trigger.layout, host, async (name, config) => {
    last = config
    await attach(name, config)
  })
  const options = await fillIn(trigger.optionsLayout, host, {
    segment: 0,
    optionalFields: trigger.optionsLayout.fields.map(({ name }) => name),
  })
  await attach('options', last, options)
  return seen
}

const startOf = (text: string) => text.slice(0, text.indexOf('.') + 1)
/** What did not run, with the first sentence of each refusal; and what a person cannot fill in. */
const leftOver = (all: Record<string, Seen>) =>
  Object.fromEntries(
    Object.entries(all).flatMap(([name, { refused, unfilled }]) => {
      const said = Object.fromEntries(Object.entries(refused).map(([field, text]) => [field, startOf(text)]))
      return Object.keys(said).length + unfilled.length === 0
        ? []
        : [[name, { ...said, ...(unfilled.length > 0 ? { unfilled } : {}) }]]
    }),
  )

/** Refusals that the form cannot prevent, and fields whose values only an earlier answer gives. */
const noChange = 'invalid_input: No change is given.'
const refused = 'rejected: The provider refused the request.'
const unknown = 'not_found: The provider does not know what was named, or the account cannot see it.'
/** Nobody knows its price, so that it needs the operator's consent. */
const withoutConsent = { waterfallReveal: 'budget_exceeded: The price of "waterfallReveal" is not known beforehand.' }
const cursor = { unfilled: ['cursor'] }
const nothing = 'invalid_input: Nothing to search for is given.'
const noCardsGiven = 'invalid_input: No cards are given.'
const noCards = { 'set 1': noCardsGiven, idBoard: noCardsGiven }
/** The first list of the board has no card with such parts. */
const noneInList = { unfilled: ['idList'] }
const onBoard = {
  'update-card': { 'set 1': noChange, fromBoard: noChange, fromList: noChange, unfilled: ['idAttachmentCover'] },
  'get-boards': cursor,
  'get-list-cards': cursor,
  'get-board-cards': cursor,
  'get-card-activity': cursor,
  'get-board-activity': cursor,
  'get-comments': cursor,
  'move-cards': { ...noCards, query: noCardsGiven, toBoard: noCardsGiven },
  'label-cards': { ...noCards, remove: noCardsGiven },
  'assign-cards': { ...noCards, remove: noCardsGiven },
  'archive-cards': { ...noCards, query: noCardsGiven },
  'update-board': { 'set 1': noChange },
  'update-label': { 'set 1': noChange, idBoard: noChange },
  'update-list': { 'set 1': noChange, fromBoard: noChange },
  'update-custom-field': {
    'set 1': noChange,
    idBoard: noChange,
    // The first field of the board is a number.
    addOptions: 'invalid_input: Only a list has options, and "Points" is of the type number.',
  },
  'update-checklist': { 'set 1': noChange, idBoard: noChange, idCard: noChange, ...noneInList },
  'update-checklist-item': { 'set 1': noChange, idBoard: noChange, ...noneInList },
  search: { 'set 1': nothing, idBoard: nothing, kinds: nothing, limit: nothing, page: nothing, partial: nothing },
  'find-card': {
    'set 1': 'invalid_input: Give name, or customField and value.',
    idBoard: 'invalid_input: Give name, or customField and value.',
    archived: 'invalid_input: Give name, or customField and value.',
    customField: 'invalid_input: customField and value go together: give both or neither.',
    unfilled: ['value'],
  },
  ...Object.fromEntries(
    [
      'complete-checklist-item',
      'create-a-checklist-item',
      'delete-attachment',
      'delete-checklist',
      'delete-checklist-item',
      'delete-comment',
      'download-attachment',
      'get-attachment-text',
      'react-to-comment',
      'remove-member-from-card',
      'update-comment',
    ].map((id) => [id, noneInList]),
  ),
}

describe.each([
  {
    name: 'as the documents show the providers',
    profiles: {},
    left: {
      'work-board': onBoard,
      // The call lacks its body, and "Fail on error status" is on.
      'anz-data': { 'people-search': cursor, 'api-call': { throwOnError: refused } },
      'contact-data': { 'search-contacts': cursor, 'search-companies': cursor, 'api-call': { throwOnError: refused } },
    },
  },
  {
    name: 'with profiles of vendors',
    profiles: { 'anz-data': 'firmable', 'contact-data': 'lusha-v3' },
    left: {
      'work-board': onBoard,
      'anz-data': {
        'people-enrichment': { unfilled: ['set 1'] },
        'company-enrichment': { unfilled: ['set 1'] },
        'people-search': { unfilled: ['set 2', 'cursor'] },
        'api-call': { throwOnError: unknown },
      },
      'contact-data': {
        'find-contact': { unfilled: ['set 3'] },
        'find-company': { unfilled: ['set 3'] },
        'search-contacts': cursor,
        'search-companies': cursor,
        'search-and-enrich-contacts': { ...cursor, ...withoutConsent },
        'reveal-contacts': withoutConsent,
        'search-and-enrich-companies': cursor,
        'find-lookalike-contacts': {
          unfilled: ['set 2', 'set 3', 'excludePersonIds', 'excludeLinkedinUrls', 'excludeEmails', 'cursor'],
        },
        'find-lookalike-companies': { unfilled: ['set 2', 'excludeLinkedinUrls', 'cursor'] },
        'find-buying-group': { unfilled: ['set 2', 'cursor'] },
        'get-website-visits': {
          unfilled: ['countries', 'excludeCountries', 'minSessions', 'minVisitors', 'cursor'],
        },
        'api-call': { throwOnError: unknown },
      },
    },
  },
])('forms of a served pack, $name', ({ profiles, left }) => {
  let server: Server
  const manifests: Record<string, Manifest> = {}
  const connections: Record<string, string> = {}
  beforeAll(async () => {
    server = await openServer(profiles)
    for (const id of Object.keys(left)) {
      manifests[id] = (await server.platform.ask(`/v1/integrations/${id}`)).body
      connections[id] = await connect(server, manifests[id]!)
    }
    // Fields of the container may then stay empty.
    const [board] = server.sandbox.board.state.boards.keys()
    const path = `/v1/connections/${connections['work-board']}`
    expect((await server.platform.ask(path, { defaultContainer: board }, 'PATCH')).status).toBe(200)
  })
  afterAll(() => server.close())

  it.each(Object.entries(left))('%s: its manifest fits the schema, and every step runs', async (id, expected) => {
    const manifest = manifests[id]!
    expect(schemaProblems(manifest)).toEqual([])
    const all: Record<string, Seen> = {}
    for (const step of manifest.steps) {
      const seen = await runAll(server, id, step, connections[id]!)
      if (step.ready) {
        expect(seen.ran, step.id).not.toEqual([])
        all[step.id] = seen
      } else {
        // The picker said so: it needs setup.
        expect(step.notReady).toContain('the operator has yet to set')
        expect(seen.ran).toEqual([])
        for (const said of Object.values(seen.refused)) expect(said).toContain('wire_unset: ')
      }
    }
    expect(leftOver(all)).toEqual(expected)
  })

  it('every trigger is attached, with each field of its config and all options', async () => {
    server.sandbox.board.control.reset()
    const all: Record<string, Seen> = {}
    for (const trigger of manifests['work-board']!.triggers) {
      all[trigger.id] = await attachAll(server, 'work-board', trigger, connections['work-board']!)
      expect(all[trigger.id]!.ran, trigger.id).toContain('options')
    }
    expect(leftOver(all)).toEqual({})
  })
})

describe('an OAuth connection', () => {
  it('asks for no secrets, says what the operator sets, and sends the browser to log in', async () => {
    const server = await openServer({})
    const { platform, sandbox } = server
    const form = ((await platform.ask('/v1/integrations/work-board')).body as Manifest).connections.find(
      ({ id }) => id === 'oauth',
    )!
    expect([form.flow, form.layout, form.oauthScopes]).toEqual([
      'oauth-1.0a',
      { fields: [], oneOf: null },
      ['read', 'write'],
    ])
    const [method, path] = form.app!.set.split(' ')
    const { key, secret } = sandbox.accounts[0]!.app!
    expect((await platform.ask(path!, { key, secret }, method)).status).toBe(200)
    const authorization = await platform.ask('/v1/connections/authorize', { integration: 'work-board', type: form.id })
    expect([authorization.status, authorization.body.url]).toEqual([201, expect.stringContaining('/connect/')])
    // A host that has the token already gives it, as before.
    const { secrets } = sandbox.accounts[0]!
    const made = await platform.ask('/v1/connections', {
      integration: 'work-board',
      type: form.id,
      name: 'Moved here',
      secrets,
    })
    expect([made.status, made.body.state]).toEqual([201, 'connected'])
    await server.close()
  })
})

describe('the renderer', () => {
  it('stores the file that a form asks for', async () => {
    const server = await openServer({})
    const field = { name: 'file', title: 'File', control: 'file', required: true, place: 'main' as const }
    const values = await fillIn(
      { fields: [field], oneOf: null },
      server.platform.hostOf('/v1/steps/none/none', undefined, {}),
      {
        segment: 0,
        optionalFields: [],
      },
    )
    expect(values).toEqual({ file: { file: expect.any(String) } })
    await server.close()
  })

  const manifest = JSON.parse(
    readFileSync(new URL('../../manifests/work-board.json', import.meta.url), 'utf8'),
  ) as Manifest
  const { layout } = manifest.steps.find(({ id }) => id === 'create-card')!

  it('draws the form in order, with one segment, and a field only beside the one that it goes with', () => {
    expect(show(draw(layout, {}, 0, false))).toEqual(['Board [pick]', 'List* [pick]', 'Name [text]'])
    expect(show(draw(layout, {}, 1, false))).toEqual(['Board [pick]', 'List* [pick]', 'Copy from card [pick]'])
    const names = (values: Values) => draw(layout, values, 1, true).map(({ name }) => name)
    const conditional = ['dueComplete', 'keepFromSource', 'locationName']
    expect(names({}).filter((name) => conditional.includes(name))).toEqual([])
    expect(
      names({ due: 'x', idCardSource: 'x', coordinates: 'x' }).filter((name) => conditional.includes(name)),
    ).toEqual(conditional)
    expect(show(draw(layout, { idCardSource: 'x' }, 1, true)).find((line) => line.startsWith('Keep'))).toBe(
      'Keep from source [choices] Everything | Attachments | Checklists | Comments | Custom fields | Due date | Start date | Labels | Members | Stickers',
    )
    const reminder = manifest.triggers.find(({ id }) => id === 'card-due-date-reminder')!
    expect(show(draw(reminder.layout, {}, 0, true))).toContain('Lead time [duration in minutes]')
  })

  it('is no longer than 150 lines and imports nothing', () => {
    const text = readFileSync(new URL('renderer.ts', import.meta.url), 'utf8')
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
    expect(text).not.toMatch(/\bimport\b|\brequire\b/)
  })
})
