import { createRequire } from 'node:module'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writePackage } from '../../scripts/packages/index.ts'
import type { Manifest } from '../../scripts/packages/manifests.ts'
import { zapierApp } from '../../scripts/packages/zapier/index.ts'
import { runEveryStep } from './every-step.ts'
import { loadPlatform, makeFolder, makeFullCard, spoil, startFileApi, startServed } from './served.ts'
import type { Delivered, Served } from './served.ts'

/**
 * The generated app, checked and run by Zapier's own platform packages. Nothing of it goes to Zapier: remote calls of
 * the platform would fail.
 */
process.env['ZAPIER_BASE_ENDPOINT'] = 'http://127.0.0.1:9'
const { validateAppDefinition } = loadPlatform('zapier-platform-schema')

type Field = {
  key: string
  dynamic?: string
  dependsOn?: string[]
  list?: boolean
  altersDynamicFields?: boolean
  type?: string
  children?: Field[]
}
type Perform = (z: unknown, bundle: unknown) => unknown
type Part = {
  key: string
  display: { hidden?: boolean }
  operation: { inputFields?: unknown[]; sample?: any } & Record<string, Perform>
}
type App = {
  triggers: Record<string, Part>
  searches: Record<string, Part>
  creates: Record<string, Part>
  authentication: { test: Perform }
}

const wholeOf = (parts: App[]): App => ({
  ...parts[0]!,
  triggers: Object.assign({}, ...parts.map(({ triggers }) => triggers)) as App['triggers'],
  searches: Object.assign({}, ...parts.map(({ searches }) => searches)) as App['searches'],
  creates: Object.assign({}, ...parts.map(({ creates }) => creates)) as App['creates'],
})

let served: Served
let place: Awaited<ReturnType<typeof makeFolder>>
let manifests: Manifest[]
const apps = new Map<string, App>()
/** All apps as one, where it does not matter of which a step is. */
let app: App
let zapier: any
let tester: (method: unknown, bundle?: object) => Promise<any>

/**
 * Anew, as in a process that Zapier starts: the platform ends a process after 250 runs once that takes 450 MB, and each
 * run leaves some memory behind.
 */
const startPlatform = () => {
  const { cache } = createRequire(import.meta.url)
  for (const path of Object.keys(cache)) if (path.includes('/zapier-platform-core/')) delete cache[path]
  zapier = loadPlatform('zapier-platform-core')
  tester = zapier.createAppTester(app)
}

beforeAll(async () => {
  served = await startServed()
  place = await makeFolder()
  const packManifests = await served.manifests()
  manifests = packManifests.manifests
  for (const manifest of manifests) {
    const folder = `${place.folder}/${manifest.id}`
    writePackage(folder, await zapierApp(manifest, packManifests.pack))
    apps.set(manifest.id, createRequire(import.meta.url)(folder))
  }
  app = wholeOf([...apps.values()])
})
beforeEach(startPlatform)
afterAll(async () => {
  await served?.close()
  await place?.remove()
})

const snake = (id: string) => id.replaceAll('-', '_')
const keyOf = (integration: string, id: string) => `${snake(integration)}_${snake(id)}`
const authData = () => ({ address: served.address, token: served.token })
const bundleOf = (inputData: object, more: object = {}) => ({ authData: authData(), inputData, ...more })
const partOf = (key: string): Part => (app.creates[key] ?? app.searches[key] ?? app.triggers[key])!

type Told = { name: string; message: string; code?: string; status?: number }
/** What Zapier is given: its classes hold their parts as JSON. */
const toldBy = (error: Error): Told => ({
  name: error.name,
  ...(error.message.startsWith('{') ? JSON.parse(error.message) : { message: error.message }),
})
const failureOf = (promise: Promise<unknown>): Promise<Told> =>
  promise.then((value) => expect.fail(`it gave ${JSON.stringify(value).slice(0, 200)}`), toldBy)

describe('the Zapier app', () => {
  it('of each integration has its steps and triggers, and no error in its definition', async () => {
    for (const { id, steps, triggers } of manifests) {
      const own = apps.get(id)!
      const { results } = await zapier.createAppHandler(own)({ command: 'validate' })
      expect(results).toEqual([])
      const { results: definition } = await zapier.createAppHandler(own)({ command: 'definition' })
      expect(validateAppDefinition(definition).errors).toEqual([])
      const visible = Object.values({ ...own.triggers, ...own.searches, ...own.creates }).filter(
        ({ display }) => !display.hidden,
      )
      expect(visible.map(({ key }) => key).toSorted()).toEqual(
        [...steps, ...triggers].map((entry) => keyOf(id, entry.id)).toSorted(),
      )
      // A planted mistake is found.
      const [key, step] = Object.entries<object>({ ...definition.creates })[0]!
      const broken = { ...definition, creates: { ...definition.creates, [key]: { ...step, noun: 7 } } }
      expect(validateAppDefinition(broken).errors.length).toBeGreaterThan(0)
    }
  })

  it('tests an account, and asks to reconnect where the token is refused', async () => {
    expect(await tester(app.authentication.test, bundleOf({}))).toEqual({ address: served.address })
    const refused = await failureOf(
      tester(app.authentication.test, { authData: { ...authData(), token: 'not-a-token-of-it' } }),
    )
    expect(refused).toMatchObject({
      name: 'ExpiredAuthError',
      message: expect.stringMatching(/^unauthenticated: .+\./),
    })
    const nobody = await failureOf(
      tester(app.authentication.test, { authData: { ...authData(), address: 'http://127.0.0.1:9' } }),
    )
    expect(nobody).toMatchObject({ code: 'unreachable', message: expect.stringContaining('Check the address') })
  })

  it('runs every create and search, with right and with wrong input', async () => {
    const { ran, missed } = await runEveryStep(manifests, async (integration, step, input) => {
      const part = partOf(keyOf(integration, step))
      return tester(part.operation['perform'], bundleOf(input)).then(
        (output) => ({ output: Array.isArray(output) ? (output[0] ?? { matched: false }) : output }),
        (error: Error) => ({ failure: toldBy(error).message }),
      )
    })
    expect(missed).toEqual([])
    for (const { integration, step, input } of ran) {
      const wrong = Object.keys(input).length === 0 ? { connection: 'con_none' } : spoil(input)
      const failure = await failureOf(tester(partOf(keyOf(integration, step)).operation['perform'], bundleOf(wrong)))
      expect(failure.message, `${step}: ${JSON.stringify(wrong)}`).toMatch(
        /^(invalid_input|not_found|not_connected|wire_unset): .+\. .+\./,
      )
      expect([failure.name, failure.status]).toEqual(['AppError', expect.any(Number)])
    }
  })

  it('finds nothing where there is no match', async () => {
    const { operation } = app.searches['contact_data_find_company']!
    expect(await tester(operation['perform'], bundleOf({ domain: 'nobody-here.example' }))).toEqual([])
  })
})

describe('fields', () => {
  const fieldsOf = (part: Part, inputData: object): Promise<Field[]> =>
    tester(part.operation.inputFields, bundleOf(inputData))

  it('of every step and trigger are loaded, and every dropdown is answered, those that depend on others after them', async () => {
    await makeFullCard(served)
    const empty: string[] = []
    for (const part of Object.values({ ...app.triggers, ...app.searches, ...app.creates }).filter(
      ({ display }) => !display.hidden,
    )) {
      const values: Record<string, unknown> = {}
      startPlatform()
      for (const { key, dynamic, list } of (await fieldsOf(part, {})).filter((field) => field.dynamic !== undefined)) {
        const hidden = app.triggers[dynamic!.split('.')[0]!]!
        const choices = await tester(hidden.operation['perform'], bundleOf(values)).catch((error: Error) =>
          expect.fail(`${part.key}.${key}: ${error.message}`),
        )
        for (const choice of choices)
          expect(choice).toEqual({ id: expect.stringMatching(/./), name: expect.stringMatching(/./) })
        if (choices.length === 0) empty.push(`${part.key}.${key}`)
        else if (key !== 'connection') values[key] = list ? [choices[0].id] : choices[0].id
      }
    }
    // The first custom field of the board is no list, so there are no options to choose.
    expect(empty).toEqual(['work_board_update_custom_field.removeOptions'])
  })

  it('that others depend on load those again', async () => {
    const fields = await fieldsOf(app.creates['work_board_create_card']!, {})
    const by = (key: string) => fields.find((field) => field.key === key)!
    expect([by('idBoard').altersDynamicFields, by('idLabels').dependsOn, by('name').altersDynamicFields]).toEqual([
      true,
      ['idBoard'],
      undefined,
    ])
    const { perform } = app.triggers['work_board_create_card_idLabels_choices']!.operation
    expect(await failureOf(tester(perform, bundleOf({})))).toMatchObject({
      message: 'invalid_input: Choose Board first.',
    })
    expect(
      (await fieldsOf(app.searches['contact_data_enrich_contacts']!, {})).find(({ children }) => children)!.children!
        .length,
    ).toBeGreaterThan(3)
  })
})

describe('fields that the account defines', () => {
  it('are fields of the form, once a board is chosen, and their values reach the card', async () => {
    const step = app.creates['work_board_set_custom_fields']!
    const fieldsOf = (inputData: object): Promise<(Field & { label: string })[]> =>
      tester(step.operation.inputFields, bundleOf(inputData))
    const keys = async (inputData: object) => (await fieldsOf(inputData)).map(({ key }) => key)
    expect(await keys({})).toEqual(['connection', 'idBoard', 'idCard'])
    const { output } = await served.ask('/v1/steps/work-board/get-boards/run', { input: { lists: 'open' } })
    const board = output.boards.find(({ name }: { name: string }) => name === 'Launch plan')
    const own = (await fieldsOf({ idBoard: board.id })).slice(3)
    expect(own.map(({ label, type }) => [label, type])).toEqual([
      ['Points', 'number'],
      ['Owner', 'string'],
      ['Print date', 'datetime'],
      ['Approved', 'boolean'],
      ['Priority', undefined],
    ])
    const { output: card } = await served.ask('/v1/steps/work-board/create-card/run', {
      input: { idList: board.lists[0].id, name: 'Counted' },
    })
    const [points, owner] = own.map(({ key }) => key)
    const done = await tester(
      step.operation['perform'],
      bundleOf({ idBoard: board.id, idCard: card.id, [points!]: 3, [owner!]: '' }),
    )
    expect(done).toMatchObject({ idCard: card.id, customFields: [{ name: 'Points', value: 3 }] })
    const wrong = await failureOf(tester(step.operation['perform'], bundleOf({ idCard: card.id, [points!]: 'three' })))
    expect(wrong.message).toMatch(/^invalid_input: .*Points/)
  })
})

describe('triggers', () => {
  const operationOf = (id: string) => app.triggers[keyOf('work-board', id)]!.operation
  const subscriptions = async () =>
    (await served.ask<{ items: { id: string; config: object; options: object }[] }>('/v1/subscriptions')).items
  const targetUrl = () => `${served.receiver.origin}/hooks/standard/1/2`
  /** As Zapier hands on a request: most names get a prefix. */
  const requestOf = ({ headers, body }: Delivered) => ({
    rawRequest: {
      method: 'POST',
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name.startsWith('content-') ? name : `Http-${name}`,
          String(value),
        ]),
      ),
      content: body,
    },
    cleanedRequest: JSON.parse(body),
  })

  it('each subscribes, gives a sample, starts once for a start that is signed, and leaves no subscription', async () => {
    const { output } = await served.ask('/v1/steps/work-board/get-boards/run', { input: {} })
    for (const { id, layout } of manifests.find((manifest) => manifest.id === 'work-board')!.triggers) {
      startPlatform()
      const operation = operationOf(id)
      const inputData = layout.fields.some(({ name }) => name === 'boards')
        ? { boards: [output.boards[0].id], settleMs: '' }
        : {}
      const [sample] = await tester(operation['performList'], bundleOf(inputData))
      expect(Object.keys(sample), id).toEqual(expect.arrayContaining(Object.keys(operation.sample)))
      expect(await subscriptions(), id).toEqual([])
      const subscribeData = await tester(operation['performSubscribe'], bundleOf(inputData, { targetUrl: targetUrl() }))
      expect(await subscriptions(), id).toEqual([
        expect.objectContaining({ id: subscribeData.id, trigger: id, state: 'active' }),
      ])
      await served.ask(`/v1/subscriptions/${subscribeData.id}/test`, {})
      const request = requestOf(await served.receiver.next())
      const perform = (more: object) =>
        tester(operation['perform'], bundleOf(inputData, { ...request, subscribeData, ...more }))
      expect(
        await perform({ rawRequest: { ...request.rawRequest, content: `${request.rawRequest.content} ` } }),
        id,
      ).toEqual([])
      expect(await perform({ subscribeData: { ...subscribeData, secret: 'whsec_AAAA' } })).toEqual([])
      expect(await perform({ subscribeData: undefined })).toEqual([])
      expect(await perform({})).toEqual([request.cleanedRequest.data])
      expect(await perform({})).toEqual([])
      await tester(operation['performUnsubscribe'], bundleOf(inputData, { subscribeData }))
      await tester(operation['performUnsubscribe'], bundleOf(inputData, { subscribeData }))
      expect(await subscriptions(), id).toEqual([])
    }
  })

  it('says what is wrong with a config', async () => {
    const bundle = bundleOf({ boards: [] }, { targetUrl: targetUrl() })
    expect(await failureOf(tester(operationOf('card-moved')['performSubscribe'], bundle))).toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/boards.*\./),
    })
  })
})

describe('files', () => {
  it('are read from the address that Zapier gives and uploaded, with name and type', async () => {
    const files = createServer((_, response) => {
      response
        .writeHead(200, { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="people.csv"' })
        .end('name\nMara\n')
    }).listen(0, '127.0.0.1')
    await new Promise((done) => files.once('listening', done))
    const api = await startFileApi()
    const { create } = createRequire(import.meta.url)(`${place.folder}/work-board/toolyard.js`)
    const perform = create({ integration: 'fixture', step: 'attach', fields: { file: 'file', note: null } })
    const run = (inputData: object) => tester(perform, { authData: { address: api.address, token: 'any' }, inputData })
    const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}/hydrate/1`
    expect(await run({ file: url, note: '' })).toEqual({ input: { file: { file: 'file_1' } } })
    expect(api.uploads).toEqual([{ name: 'people.csv', type: 'text/csv', body: 'name\nMara\n' }])
    expect(await failureOf(run({ file: 'no address' }))).toMatchObject({
      message: expect.stringMatching(/^invalid_input: A file is expected/),
    })
    await api.close()
    const { operation } = app.creates['work_board_attach_file']!
    const fields: Field[] = await tester(operation.inputFields, bundleOf({}))
    expect(fields.find(({ key }) => key === 'file')!.type).toBe('file')
    const { output } = await served.ask('/v1/steps/work-board/get-boards/run', { input: { lists: 'open' } })
    const { output: card } = await served.ask('/v1/steps/work-board/create-card/run', {
      input: { idList: output.boards[0].lists[0].id, name: 'With a file' },
    })
    expect(await tester(operation['perform'], bundleOf({ idCard: card.id, file: url }))).toMatchObject({
      name: 'people.csv',
      bytes: 10,
      isUpload: true,
    })
    files.close()
  })
})
