import { beforeAll, describe, expect, it } from 'vitest'
import { openHttpWorld } from '../support/http-world.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  maxLength?: number
  enum?: unknown[]
  const?: unknown
  items?: Schema
  propertyNames?: Schema
  additionalProperties?: Schema | boolean
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}
type Parameter = { in: string; name: string; schema: Schema }
type Operation = { parameters?: Parameter[]; requestBody?: { content: Record<string, { schema: Schema }> } }
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } }

/**
 * Contents, which the size of a body or a limit of the tenant bounds. Everything else that is a text names something.
 */
const contents = new Set([
  'post /v1/files body',
  'post /v1/files body.file',
  'post /v1/deliveries/preview body.body',
  'post /v1/deliveries/preview body.body{name}',
])

/** The texts in a schema that may be of any length, each by where it is; `tally` counts all. */
const unboundedIn = (document: Document, root: string, schema: Schema, tally: { texts: number }): string[] => {
  const walk = (at: string, part: Schema, within: readonly Schema[]): string[] => {
    if (part.$ref !== undefined) {
      const target = document.components.schemas[part.$ref.split('/').at(-1)!]!
      return within.includes(target) ? [] : walk(at, target, [...within, target])
    }
    const isText = [part.type].flat().includes('string') && part.enum === undefined && part.const === undefined
    if (isText) tally.texts += 1
    const { propertyNames, additionalProperties, items, properties = {} } = part
    return [
      ...(isText && part.maxLength === undefined && !contents.has(at) ? [at] : []),
      ...[part.anyOf, part.oneOf, part.allOf].flatMap((some = []) =>
        some.flatMap((choice) => walk(at, choice, within)),
      ),
      ...(items ? walk(`${at}[]`, items, within) : []),
      ...(propertyNames ? walk(`${at}{name}`, { type: 'string', ...propertyNames }, within) : []),
      ...(typeof additionalProperties === 'object' ? walk(`${at}{}`, additionalProperties, within) : []),
      ...Object.entries(properties).flatMap(([name, property]) => walk(`${at}.${name}`, property, within)),
    ]
  }
  return walk(root, schema, [])
}

let document: Document
const face = await openHttpWorld()
beforeAll(async () => {
  document = (await face.ask('/openapi.json')).json as Document
})

/** All operations but the copies of the one that runs a step, whose inputs are the integrations' own. */
const operations = () =>
  Object.entries(document.paths)
    .filter(([path]) => !/^\/v1\/steps\/[\w-]+\/[\w-]+\/run$/.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ at: `${method} ${path}`, operation })),
    )

describe('requests', () => {
  it('hold no id, name or other text of unbounded length, in no body, query, path and header', () => {
    const tally = { texts: 0 }
    const unbounded = operations().flatMap(({ at, operation: { parameters = [], requestBody } }) => [
      ...parameters.flatMap(({ in: part, name, schema }) =>
        unboundedIn(document, `${at} ${part} ${name}`, schema, tally),
      ),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
        unboundedIn(document, `${at} body`, schema, tally),
      ),
    ])
    expect(unbounded).toEqual([])
    expect(tally.texts).toBeGreaterThan(200)
  })

  it('have ids of at most 256 characters in the path, on every route, those outside of the document too', async () => {
    const long = 'a'.repeat(257)
    const paths = operations().map(({ at }) => at.split(' ')[1]!)
    const hidden = [
      '/connect/{state}',
      '/hooks/{integration}/{hook}',
      '/v1/oauth/{integration}/callback',
      '/mcp/{integration}',
      '/console/{page}',
    ]
    const withIds = [...new Set([...paths, ...hidden])].filter((path) => path.includes('{'))
    expect(withIds.length).toBeGreaterThan(40)
    for (const path of withIds) {
      const { status } = await face.ask(path.replaceAll(/\{\w+\}/g, long))
      expect([path, status >= 400 && status < 500], String(status)).toEqual([path, true])
    }
    expect(
      (await face.pack.audit.list('default', { limit: 200 })).items.filter((row) => JSON.stringify(row).includes(long)),
    ).toEqual([])
  })

  it('that are refused leave a short row, whatever their texts are: 40 refusals of 1 MB each fit in 100 kB', async () => {
    const long = 'a'.repeat(900_000)
    const before = (await face.pack.audit.list('default', { limit: 200 })).items.length
    const bodies: [string, object][] = [
      ['/v1/jobs', { file: 'fil_1', integration: long }],
      ['/v1/connections', { integration: long, type: long, secrets: { [long]: 'x' } }],
      ['/v1/connections/authorize', { integration: long, integrations: [long] }],
      ['/v1/subscriptions', { integration: 'work-board', trigger: 'new-card', config: { board: long }, agent: {} }],
      [
        '/v1/steps/work-board/create-card/options',
        { field: 'idList', connection: 'none', values: { [long]: 1, idBoard: long } },
      ],
      ['/v1/admin/tokens', { name: 'x', tenant: long }],
      ['/v1/tools/work_board_create_card', { connection: 'none', name: long }],
      ['/v1/steps/work-board/create-card/run', { connection: 'none', input: { [long]: 1 } }],
    ]
    for (const [path, body] of bodies)
      for (let count = 0; count < 5; count += 1)
        expect([path, (await face.ask(path, { body })).status]).toEqual([
          path,
          expect.toSatisfy((code) => code >= 400 && code < 500),
        ])
    const { items } = await face.pack.audit.list('default', { limit: 200 })
    expect(JSON.stringify(items.slice(0, items.length - before)).length).toBeLessThan(100_000)
  })
})
