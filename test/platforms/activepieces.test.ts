import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Manifest, TriggerOf } from '../../scripts/packages/manifests.ts'
import { piecePackage } from '../../scripts/packages/activepieces/index.ts'
import { writePackage } from '../../scripts/packages/index.ts'
import { runEveryStep } from './every-step.ts'
import { loadPlatform, makeFolder, makeFullCard, spoil, startFileApi, startServed } from './served.ts'
import type { Delivered, Served } from './served.ts'

/**
 * The generated pieces, loaded and run by the framework of Activepieces; the parts of its server around that are played
 * here.
 */
const load = createRequire(import.meta.url)
const framework = loadPlatform('@activepieces/pieces-framework')
const { extractPieceFromModule } = loadPlatform('@activepieces/shared')

type Property = {
  type: string
  refreshers?: string[]
  options?: any
  required: boolean
  displayName: string
  properties?: object
}
type Runnable = {
  name: string
  props: Record<string, Property>
  run(context: object): Promise<any>
  test(context: object): Promise<any>
}
type Trigger = Runnable & {
  type: string
  sampleData: any
  testStrategy: string
  onEnable(context: object): Promise<void>
  onDisable(context: object): Promise<void>
}
type Piece = {
  auth: any
  actions(): Record<string, Runnable>
  triggers(): Record<string, Trigger>
  metadata(): object
  displayName: string
}

/** As `npm run build` does. @throws with what the compiler finds */
const compile = async (folder: string) => {
  const compiler = load.resolve('typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.json'], { cwd: folder }).catch(
    ({ stdout }: { stdout: string }) => Promise.reject(new Error(stdout)),
  )
}

let served: Served
let place: Awaited<ReturnType<typeof makeFolder>>
let manifests: Manifest[]
const pieces = new Map<string, Piece>()

beforeAll(async () => {
  served = await startServed()
  place = await makeFolder()
  const packManifests = await served.manifests()
  manifests = packManifests.manifests
  for (const manifest of manifests)
    writePackage(join(place.folder, manifest.id), piecePackage(manifest, packManifests.pack))
  await Promise.all(manifests.map(({ id }) => compile(join(place.folder, id))))
  for (const manifest of manifests) {
    const folder = join(place.folder, manifest.id)
    const { name, version } = load(join(folder, 'package.json'))
    pieces.set(manifest.id, extractPieceFromModule({ module: load(folder), pieceName: name, pieceVersion: version }))
  }
})
afterAll(async () => {
  await served?.close()
  await place?.remove()
})

const auth = () => ({ type: 'CUSTOM_AUTH', props: { address: served.address, token: served.token } })
const snake = (id: string) => id.replaceAll('-', '_')

/**
 * What the platform does with values before it calls an action; its form sends an empty list or object where nobody
 * filled one.
 * @throws ZodError
 */
const checked = ({ props }: Runnable, piece: Piece, values: Record<string, unknown>) => {
  const empty = Object.entries(props).flatMap(([name, { type }]) =>
    type === 'ARRAY' ? [[name, []]] : type === 'DYNAMIC' ? [[name, {}]] : [],
  )
  return framework.piecePropertiesUtils
    .buildSchema(props, piece.auth, true)
    .parse({ ...Object.fromEntries(empty), ...values, auth: 'a connection' })
}

const contextOf = (propsValue: Record<string, unknown>) => ({
  ...framework.createMockActionContext({ propsValue }),
  auth: auth(),
})
const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => expect.fail(`it gave ${JSON.stringify(value).slice(0, 200)}`),
    (error: Error) => error.message,
  )

/** A store as the platform keeps one for each flow: values go through JSON. */
const newStore = () => {
  const values = new Map<string, string>()
  return {
    put: async (key: string, value: unknown) => (values.set(key, JSON.stringify(value)), value),
    get: async (key: string) => JSON.parse(values.get(key) ?? 'null'),
    delete: async (key: string) => void values.delete(key),
    values,
  }
}

describe('pieces for Activepieces', () => {
  it('compiles strictly, and a planted mistake is found', async () => {
    const folder = join(place.folder, 'mistaken')
    const {
      manifests: [, anz],
      pack,
    } = await served.manifests()
    const files = piecePackage(anz!, pack)
    writePackage(folder, {
      ...files,
      'src/index.ts': String(files['src/index.ts']).replace("authors: ['", "authors: [7, '"),
    })
    await expect(compile(folder)).rejects.toThrow("Type 'number' is not assignable to type 'string'")
  })

  it('has a piece per integration, whose metadata the framework accepts', () => {
    for (const { id, title, steps, triggers } of manifests) {
      const piece = pieces.get(id)!
      expect([piece.displayName, Object.keys(piece.actions()).length, Object.keys(piece.triggers()).length]).toEqual([
        title,
        steps.length,
        triggers.length,
      ])
      // Its schema wants what its types leave optional: lists of texts have no properties.
      const isList = ({ type, properties }: Property) => type === 'ARRAY' && properties === undefined
      const complete = <T extends Runnable>(part: T) => ({
        ...part,
        props: Object.fromEntries(
          Object.entries(part.props).map(([name, property]) => [
            name,
            isList(property) ? { ...property, properties: {} } : property,
          ]),
        ),
      })
      for (const action of Object.values(piece.actions()))
        expect(framework.ActionBase.safeParse(complete(action)).error, action.name).toBeUndefined()
      for (const trigger of Object.values(piece.triggers()))
        expect(framework.TriggerBase.safeParse(complete(trigger)).error, trigger.name).toBeUndefined()
    }
  })

  it('checks a connection, and says what is wrong with a bad one', async () => {
    const { validate } = pieces.get('anz-data')!.auth
    expect(await validate({ auth: auth().props })).toEqual({ valid: true })
    expect(await validate({ auth: { ...auth().props, token: 'not-a-token-of-it' } })).toMatchObject({
      valid: false,
      error: expect.stringMatching(/^unauthenticated: .+\./),
    })
    const nobody = await validate({ auth: { ...auth().props, address: 'http://127.0.0.1:9' } })
    expect(nobody).toMatchObject({ valid: false, error: expect.stringMatching(/^unreachable: .*Check the address/) })
  })

  it('runs every action, with right and with wrong input', async () => {
    const { ran, missed } = await runEveryStep(manifests, async (integration, step, input) => {
      const piece = pieces.get(integration)!
      const action = piece.actions()[snake(step)]!
      return action.run(contextOf(checked(action, piece, input))).then(
        (output) => ({ output }),
        (error: Error) => ({ failure: error.message }),
      )
    })
    expect(missed).toEqual([])
    for (const { integration, step, input } of ran) {
      const action = pieces.get(integration)!.actions()[snake(step)]!
      const wrong = Object.keys(input).length === 0 ? { connection: 'con_none' } : spoil(input)
      const message = await failureOf(action.run(contextOf(wrong)))
      expect(message, `${step}: ${JSON.stringify(wrong)}`).toMatch(
        /^(invalid_input|not_found|not_connected|wire_unset): .+\. .+\./,
      )
    }
  })

  it('refuses a form without its required fields before anything is sent', () => {
    const piece = pieces.get('work-board')!
    expect(() => checked(piece.actions()['create_card']!, piece, { name: 'No list' })).toThrow(/idList/)
  })

  it('leaves out what nobody filled', async () => {
    const { create_card: create, update_card: update } = pieces.get('work-board')!.actions()
    const { boards } = await served
      .ask('/v1/steps/work-board/get-boards/run', { input: { lists: 'open' } })
      .then(({ output }) => output)
    const card = await create!.run(
      contextOf({ idList: boards[0].lists[0].id, name: 'Blank', desc: '', idLabels: [], due: null, oneOf: undefined }),
    )
    expect(card).toMatchObject({ name: 'Blank', desc: '' })
    expect(
      await update!.run(contextOf({ idCard: card.id, name: 'Filled', desc: '', closed: undefined })),
    ).toMatchObject({ name: 'Filled', closed: false })
  })
})

describe('dropdowns', () => {
  const isLoaded = ({ type }: Property) => type === 'DROPDOWN' || type === 'MULTI_SELECT_DROPDOWN'
  const optionsOf = (property: Property, values: object, search?: string) =>
    property.options({ auth: auth(), ...values }, { searchValue: search })

  it('every one is answered, those that depend on others after them', async () => {
    await makeFullCard(served)
    const empty: string[] = []
    for (const piece of pieces.values())
      for (const part of [...Object.values(piece.actions()), ...Object.values(piece.triggers())]) {
        const values: Record<string, unknown> = {}
        for (const [name, property] of Object.entries(part.props).filter(([, candidate]) => isLoaded(candidate))) {
          const refresherValues = Object.fromEntries(property.refreshers!.map((other) => [other, values[other]]))
          const { disabled, options, placeholder } = await optionsOf(property, refresherValues)
          expect([part.name, name, disabled, placeholder]).toEqual([part.name, name, false, undefined])
          for (const option of options)
            expect(option).toEqual({ label: expect.stringMatching(/./), value: expect.stringMatching(/./) })
          const first = options[0]?.value
          if (first === undefined) empty.push(`${part.name}.${name}`)
          values[name] =
            property.type === 'DROPDOWN' ? first : options.slice(0, 1).map(({ value }: { value: string }) => value)
        }
      }
    // The first custom field of the board is no list, so there are no options to choose.
    expect(empty).toEqual(['update_custom_field.removeOptions'])
    // The board lets 100 requests of a token pass in ten seconds, and each dropdown is a request or more.
  }, 90_000)

  it('searches, waits for what it depends on, and says why it is empty', async () => {
    const { props } = pieces.get('work-board')!.actions()['create_card']!
    const { options: boards } = await optionsOf(props['idBoard']!, {})
    expect((await optionsOf(props['idBoard']!, {}, 'support')).options).toHaveLength(1)
    expect(props['idList']!.refreshers).toEqual(['connection', 'idBoard'])
    // Lists can be chosen from all boards; labels only from one.
    expect((await optionsOf(props['idList']!, {})).options.length).toBeGreaterThan(boards.length)
    expect(await optionsOf(props['idLabels']!, {})).toEqual({
      disabled: true,
      options: [],
      placeholder: 'Choose Board first.',
    })
    const [firstOptions, other] = await Promise.all(
      boards.map(({ value }: { value: string }) => optionsOf(props['idList']!, { idBoard: value })),
    )
    expect(firstOptions.options).not.toEqual(other.options)
    expect(await props['idBoard']!.options({}, {})).toMatchObject({
      disabled: true,
      placeholder: 'Connect to your toolyard server first.',
    })
    const refused = await props['idBoard']!.options(
      { auth: { props: { address: served.address, token: 'not-a-token-of-it' } } },
      {},
    )
    expect(refused).toMatchObject({
      disabled: true,
      options: [],
      placeholder: expect.stringMatching(/^unauthenticated: /),
    })
    const unknown = await optionsOf(props['idList']!, { idBoard: 'ffffffffffffffffffffffff' })
    expect(unknown).toMatchObject({
      disabled: true,
      options: [],
      placeholder: expect.stringMatching(/^(not_found|access_denied): /),
    })
  })
})

describe('fields that the account defines', () => {
  it('are properties of the form, once a board is chosen, and their values reach the card', async () => {
    const action = pieces.get('work-board')!.actions()['set_custom_fields']!
    const { props } = action.props['customFields'] as unknown as {
      props(values: object): Promise<Record<string, Property>>
    }
    expect(await props({ auth: auth(), idBoard: '' })).toEqual({})
    const { output } = await served.ask('/v1/steps/work-board/get-boards/run', { input: { lists: 'open' } })
    const board = output.boards.find(({ name }: { name: string }) => name === 'Launch plan')
    const made = Object.entries(await props({ auth: auth(), idBoard: board.id }))
    expect(made.map(([, { displayName, type }]) => [displayName, type])).toEqual([
      ['Points', 'NUMBER'],
      ['Owner', 'SHORT_TEXT'],
      ['Print date', 'DATE_TIME'],
      ['Approved', 'STATIC_DROPDOWN'],
      ['Priority', 'STATIC_DROPDOWN'],
    ])
    const { output: card } = await served.ask('/v1/steps/work-board/create-card/run', {
      input: { idList: board.lists[0].id, name: 'Counted' },
    })
    const [points, owner] = made.map(([name]) => name)
    const cardValues = { idBoard: board.id, idCard: card.id, customFields: { [points!]: 3, [owner!]: '' } }
    expect(await action.run(contextOf(cardValues))).toMatchObject({
      idCard: card.id,
      customFields: [{ name: 'Points', value: 3 }],
    })
    expect(await failureOf(action.run(contextOf({ idCard: card.id, customFields: { [points!]: 'three' } })))).toMatch(
      /^invalid_input: .*Points/,
    )
  })
})

describe('files', () => {
  it('are uploaded with their names, and given to the step as handles', async () => {
    const { ApFile } = framework
    const { run } = load(join(place.folder, 'work-board', 'dist/lib/common/toolyard.js'))
    const api = await startFileApi()
    const propsValue = { cover: new ApFile('Größe "1".json', Buffer.from('{}'), 'json'), note: '' }
    const context = { ...contextOf(propsValue), auth: { props: { address: api.address, token: 'any' } } }
    expect(await run('fixture', 'attach', { cover: 'file', note: null })(context)).toEqual({
      input: { cover: { file: 'file_1' } },
    })
    expect(api.uploads).toEqual([
      { name: 'Gr%C3%B6%C3%9Fe%20%221%22.json', type: 'application/octet-stream', body: '{}' },
    ])
    const wrong = { ...context, propsValue: { cover: { url: 'https://files.example/a' } } }
    expect(await failureOf(run('fixture', 'attach', { cover: 'file', note: null })(wrong))).toMatch(
      /^invalid_input: A file is expected here\./,
    )
    await api.close()
  })

  it('reach the card', async () => {
    const { ApFile } = framework
    const action = pieces.get('work-board')!.actions()['attach_file']!
    expect(action.props['file']!.type).toBe('FILE')
    const { output } = await served.ask('/v1/steps/work-board/get-boards/run', { input: { lists: 'open' } })
    const { output: card } = await served.ask('/v1/steps/work-board/create-card/run', {
      input: { idList: output.boards[0].lists[0].id, name: 'With a file' },
    })
    const attached = await action.run(
      contextOf({ idCard: card.id, file: new ApFile('agenda.txt', Buffer.from('Agenda for Tuesday\n'), 'txt') }),
    )
    expect(attached).toMatchObject({ name: 'agenda.txt', bytes: 19, isUpload: true })
    expect(await failureOf(action.run(contextOf({ idCard: card.id, file: { file: 'file_none' } })))).toMatch(
      /^not_found: .+\. .+\./,
    )
  })
})

describe('triggers', () => {
  type Store = ReturnType<typeof newStore>
  const boardTriggers = () => manifests.find(({ id }) => id === 'work-board')!.triggers
  const contextIn = (store: Store, propsValue: Record<string, unknown>, payload: object = {}) => ({
    ...contextOf(propsValue),
    store,
    webhookUrl: `${served.receiver.origin}/webhooks/flow`,
    payload,
  })
  const payloadOf = ({ headers, body }: Delivered) => ({
    headers,
    rawBody: body,
    body: JSON.parse(body),
    queryParams: {},
  })
  const subscriptions = async () =>
    (await served.ask<{ items: { id: string; options: object; config: object }[] }>('/v1/subscriptions')).items
  const propsFor = async ({ layout }: TriggerOf) => {
    const { output } = await served.ask('/v1/steps/work-board/get-boards/run', { input: {} })
    return layout.fields.some(({ name }) => name === 'boards') ? { boards: [output.boards[0].id] } : {}
  }

  it('each subscribes, starts once for a start that is signed, gives a sample, and leaves no subscription', async () => {
    const piece = pieces.get('work-board')!
    for (const manifest of boardTriggers()) {
      const trigger = piece.triggers()[snake(manifest.id)]!
      const store = newStore()
      const props = await propsFor(manifest)
      await trigger.onEnable(contextIn(store, props))
      const [held] = await subscriptions()
      expect(await subscriptions(), manifest.id).toEqual([
        expect.objectContaining({ trigger: manifest.id, config: expect.objectContaining(props), state: 'active' }),
      ])
      await served.ask(`/v1/subscriptions/${held!.id}/test`, {})
      const payload = payloadOf(await served.receiver.next())
      const changed = { ...payload, rawBody: payload.rawBody.replace('"test":true', '"test":null') }
      expect(changed.rawBody).not.toBe(payload.rawBody)
      expect(await trigger.run(contextIn(store, props, changed)), manifest.id).toEqual([])
      expect(await trigger.run(contextIn(newStore(), props, payload))).toEqual([])
      const first = await trigger.run(contextIn(store, props, payload))
      expect(first).toEqual([{ ...payload.body.data, _dedupe_key: payload.body.data.start }])
      expect(await trigger.run(contextIn(store, props, payload))).toEqual([])
      const [sample] = await trigger.test(contextIn(newStore(), props))
      expect(Object.keys(sample), manifest.id).toEqual(expect.arrayContaining(Object.keys(trigger.sampleData)))
      expect(sample.event).toBeTypeOf('object')
      expect(await subscriptions()).toHaveLength(1)
      await trigger.onDisable(contextIn(store, props))
      expect([await subscriptions(), await store.get('subscription')]).toEqual([[], null])
    }
  })

  it('starts when a card is moved, also where the platform passes the parsed body only', async () => {
    const trigger = pieces.get('work-board')!.triggers()['card_moved']!
    const { output } = await served.ask('/v1/steps/work-board/get-boards/run', { input: { lists: 'open' } })
    const [board] = output.boards
    const { output: card } = await served.ask('/v1/steps/work-board/create-card/run', {
      input: { idList: board.lists[0].id, name: 'Moved by hand' },
    })
    const store = newStore()
    const props = { boards: [board.id], toLists: [board.lists[1].id], settleMs: 1, serial: true, delivery: '' }
    await trigger.onEnable(contextIn(store, props))
    // Publishing again enables without disabling first: one subscription is left.
    await trigger.onEnable(contextIn(store, props))
    expect(await subscriptions()).toEqual([expect.objectContaining({ options: { settleMs: 1000, serial: true } })])
    expect(
      (await served.control('moveCard', { idCard: card.id, idList: board.lists[1].id, by: 'odettequill' })).status,
    ).toBe(200)
    const { headers, body } = await served.receiver.next()
    const [start] = await trigger.run(contextIn(store, props, { headers, body: JSON.parse(body), queryParams: {} }))
    expect(start).toMatchObject({
      trigger: 'card-moved',
      event: { card: { id: card.id }, to: { list: { id: board.lists[1].id } } },
    })
    const buffered = { headers, rawBody: JSON.parse(JSON.stringify(Buffer.from(body))), queryParams: {} }
    expect(await trigger.run(contextIn(store, props, buffered))).toEqual([])
    await trigger.onDisable(contextIn(store, props))
    await trigger.onDisable(contextIn(store, props))
    expect(await subscriptions()).toEqual([])
  })

  it('says what is wrong with a config', async () => {
    const trigger = pieces.get('work-board')!.triggers()['card_moved']!
    const store = newStore()
    expect(await failureOf(trigger.onEnable(contextIn(store, {})))).toMatch(/^invalid_input: .*boards.*\./)
    expect(await failureOf(trigger.test(contextIn(store, { boards: ['ffffffffffffffffffffffff'] })))).toMatch(
      /^\w+: .+\. .+\./,
    )
    expect([await subscriptions(), store.values.size]).toEqual([[], 0])
  })
})
