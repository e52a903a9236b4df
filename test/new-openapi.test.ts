import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { afterAll, describe, expect, it } from 'vitest'
import { fromOpenApi } from '../scripts/new/from-openapi.ts'

const parcels = fileURLToPath(new URL('fixtures/openapi/parcels.yml', import.meta.url))
const rosters = fileURLToPath(new URL('fixtures/openapi/rosters.json', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'toolyard-openapi-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const written = (file: string, ...ids: string[]) => fromOpenApi(file, ids, 'some-api', 'Some API')

describe('an integration from an OpenAPI document', () => {
  it('has a step with the fields of path, query and body, described and bounded', () => {
    const { files } = written(parcels, 'createParcel', 'cancelParcel')
    const step = files['steps/create-a-parcel.ts']!
    expect(step).toContain("effect: 'create'")
    expect(step).toContain("address: z.string().min(3).meta({ title: 'Address', description: 'Where it goes' })")
    expect(step).toContain('weightGrams: z.int().min(1).meta(')
    expect(step).toContain('tags: z.array(z.string()).optional()')
    expect(step).toContain('path: path`/v2/parcels`, query: given({ region: input.region })')
    expect(files['steps/cancel-a-parcel.ts']).toContain('path: path`/v2/parcels/${input.parcelId}`')
    expect(files['records.ts']).toContain("'id': z.string().nullish().meta({ description: 'Id of the parcel' })")
  })

  it.each([
    [
      parcels,
      'listParcels',
      'list-parcels',
      "style: 'cursor', at: 'next_cursor', parameter: 'cursor', size: { parameter: 'limit', max: 100 }",
    ],
    [
      rosters,
      'shifts.list',
      'shifts-of-a-week',
      "style: 'page', parameter: 'page', size: { parameter: 'per_page', max: 25 }",
    ],
  ])('of %s pages %s by a rule', (file, id, step, rule) => {
    expect(written(file, id).files[`steps/${step}.ts`]).toContain(rule)
  })

  it('has the credential and address that the document names, and says what is a guess', () => {
    const ofParcels = written(parcels, 'listParcels')
    expect(ofParcels.files['wire.ts']).toContain(
      "auth: { account: { place: 'header', fields: { 'X-Parcel-Key': '{token}' } } }",
    )
    expect(ofParcels.files['wire.ts']).toContain("baseUrl: 'https://api.parcels.example'")
    expect(ofParcels.edit.join('\n')).not.toContain('auth')
    expect(ofParcels.edit.join('\n')).toContain('steps/list-parcels.ts: title, purpose and effect')
    expect(written(rosters, 'shifts.list').edit.join('\n')).toContain('wire.ts: auth, which is a bearer token')
  })

  it('has every operation of the document in the table of API Call', () => {
    const table = written(parcels, 'listParcels').files['operations.ts']!
    for (const part of [
      '"/v2/parcels"',
      '"/v2/parcels/{parcelId}"',
      '"DELETE"',
      '"weightGrams","in":"body","type":"integer","required":true',
    ])
      expect(table).toContain(part)
  })

  it('has made-up values in its examples, and ends where schemas contain themselves', () => {
    const example = written(parcels, 'createParcel').files['examples/create-a-parcel.json']!
    expect(JSON.parse(example)).toMatchObject({
      cases: [
        {
          input: { address: 'address', weightGrams: 1 },
          exchanges: [{ request: { method: 'POST', path: '/v2/parcels' }, reply: { status: 201 } }],
        },
      ],
    })
  })

  /** A document with operations by path, each a POST unless it says `method`. */
  const describing = (paths: { [path: string]: { method?: string; [field: string]: unknown } }) => {
    const file = join(folder, 'made.json')
    const items = Object.entries(paths).map(([path, { method = 'post', ...operation }]) => [
      path,
      { [method]: operation },
    ])
    writeFileSync(file, JSON.stringify({ openapi: '3.1.0', paths: Object.fromEntries(items) }))
    return file
  }
  const answering = (schema: object) => ({ 200: { description: 'x', content: { 'application/json': { schema } } } })
  const object = (properties: object) => ({ type: 'object', properties })

  it('has schemas for objects and lists inside an answer, to a depth', () => {
    const { files } = written(parcels, 'createParcel')
    const records = files['records.ts']!
    expect(records).toContain("'insurance': z.looseObject({ 'value': z.number().nullish() }).nullish()")
    expect(records).toContain("'tags': z.array(z.string()).nullish()")
    expect(records.match(/'parent': z\.looseObject/g)).toHaveLength(3)
    expect(records).toContain("'parent': z.unknown().nullish()")
    const listed = written(rosters, 'shifts.list', 'get /people').files['records.ts']!
    expect(listed).toContain(
      "items: z.array(z.looseObject({ 'id': z.number().nullish(), 'note': z.string().nullish() }))",
    )
    expect(listed).toContain("items: z.array(z.looseObject({ 'name': z.string().nullish() }))")
  })

  it.each([
    ['its id', '/parcels', { operationId: 'searchParcels' }],
    ['its group of ids', '/parcels', { operationId: 'parcels.query' }],
    ['its path', '/parcels/search', { operationId: 'parcelSearch' }],
    ['its summary', '/parcels', { operationId: 'x1', summary: 'Find parcels by address' }],
    [
      'a list as its answer',
      '/matches',
      { operationId: 'matches', responses: answering({ type: 'array', items: {} }) },
    ],
  ])('takes a POST for a read by %s, and leaves its author to confirm that', (_, path, operation) => {
    const { files, edit } = written(describing({ [path]: operation }), operation.operationId)
    const [name] = Object.keys(files).filter((file) => file.startsWith('steps/'))
    expect(files[name!]).toContain("effect: 'read',\n")
    expect(files[name!]).toMatch(/keywords: \['look up', 'look up (parcels|matches)'\]/)
    // The written file asks its author to confirm; the contract test names the mark until then.
    expect(files[name!]).toMatch(/effect: 'read' \/\* TODO: add effectSource, .* \*\/ }/)
    expect(edit.join('\n')).toContain(`${name}: a POST that seems to read. Name the page that says so in effectSource`)
  })

  it.each([
    ['/lists', { operationId: 'createList', summary: 'Create a list' }],
    ['/parcels/batch', { operationId: 'addParcels', responses: answering({ type: 'array', items: {} }) }],
    ['/parcels', { operationId: 'book', responses: answering(object({ id: { type: 'string' } })) }],
  ])('takes a POST of %s for a create', (path, operation) => {
    const { files, edit } = written(describing({ [path]: operation }), operation.operationId)
    const [name] = Object.keys(files).filter((file) => file.startsWith('steps/'))
    expect(files[name!]).toContain("effect: 'create',\n")
    expect(JSON.stringify([files, edit])).not.toMatch(/TODO|seems to read/)
  })

  it('names steps and fields whose document is in another script or has accents', () => {
    const file = describing({
      '/orders/{номер}': {
        method: 'get',
        operationId: 'getOrder',
        summary: 'Получить заказ',
        parameters: [{ name: 'номер', in: 'path', required: true, schema: { type: 'string' } }],
      },
      '/colis': { method: 'get', operationId: 'c1', summary: 'Créer un état' },
      '/данные/all': { method: 'get', summary: '全部' },
      '/2fa': { operationId: '2fa' },
    })
    const { files } = written(file, 'getOrder', 'c1', 'get /данные/all', '2fa')
    expect(Object.keys(files).filter((name) => name.startsWith('steps/'))).toEqual([
      'steps/get-order.ts',
      'steps/creer-un-etat.ts',
      'steps/get-records.ts',
      'steps/post-2fa.ts',
    ])
    expect(files['steps/get-order.ts']).toContain('path: path`/orders/${input.field1}`')
    expect(files['steps/get-order.ts']).toContain("field1: z.string().meta({ title: 'Номер'")
    for (const [name, source] of Object.entries(files))
      if (name.endsWith('.ts')) expect(() => stripTypeScriptTypes(source), name).not.toThrow()
  })

  it('keeps what the document says as text, whatever it is', () => {
    const hostile = "'`, globalThis.ran = true, `${1}\\"
    const file = join(folder, 'hostile.json')
    const text = `\r\n${hostile}`
    const operation = {
      operationId: 'look',
      description: `Looks at ${text} and more`,
      parameters: [{ name: `of${text}`, in: 'query', schema: { type: 'string', description: text } }],
    }
    writeFileSync(
      file,
      JSON.stringify({
        openapi: '3.1.0',
        servers: [{ url: `/v1${hostile}` }],
        paths: { [`/a${hostile}/{id}${hostile}`]: { get: operation } },
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: `key${text}` } } },
      }),
    )
    const { files } = written(file, 'look')
    const [, built] = /path: (path`.*`), query/.exec(files['steps/look.ts']!)!
    const partsOf = (strings: TemplateStringsArray, ...values: string[]) => [...strings, values]
    const world = { path: partsOf, input: { id: '7', n1: '1' } }
    expect(runInNewContext(built!, world)).toEqual([
      "/v1'`, globalThis.ran = true, `$",
      "\\/a'`, globalThis.ran = true, `$",
      '\\/',
      "'`, globalThis.ran = true, `$",
      '\\',
      ['1', '1', '7', '1'],
    ])
    for (const [name, source] of Object.entries(files))
      if (name.endsWith('.ts')) expect(() => stripTypeScriptTypes(source), name).not.toThrow()
    expect(world).not.toHaveProperty('ran')
  })

  it.each([
    [
      'an unknown operation',
      () => written(parcels, 'nope'),
      '--operations names "nope", which the document does not have. It has listParcels, createParcel, cancelParcel.',
    ],
    ['no operation', () => written(parcels), '--operations names no operation. Give operationIds'],
    [
      'the same operation twice',
      () => written(parcels, 'listParcels', 'listParcels'),
      '--operations names two operations that are both called "List Parcels"',
    ],
    ['no file', () => written(join(folder, 'none.yml'), 'x'), 'cannot be read: ENOENT'],
    [
      'another format',
      () => {
        const file = join(folder, 'old.yml')
        writeFileSync(file, "swagger: '2.0'\npaths: {}\n")
        return written(file, 'x')
      },
      'is not an OpenAPI 3.0 or 3.1 document',
    ],
  ])('is refused with %s', (_, make, message) => expect(make).toThrow(message))
})
