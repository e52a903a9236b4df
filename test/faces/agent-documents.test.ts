import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readManifests } from '../../scripts/packages/manifests.ts'
import { openapiDocuments } from '../../scripts/packages/openapi.ts'
import type { JsonSchema } from '../../shared/kit/index.ts'
import { coreTools, integrationIds } from '../support/shipped.ts'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'

type Operation = {
  post: {
    operationId: string
    description: string
    'x-openai-isConsequential'?: boolean
    parameters?: unknown
    requestBody: { content: Record<string, { schema: JsonSchema }> }
    responses: Record<string, { content: Record<string, { schema: JsonSchema }> }>
  }
}
type Document = { servers: { url: string }[]; paths: Record<string, Operation> }

let idList: string
const face = await openHttpWorld()
beforeAll(async () => {
  idList = (await firstList(face)).list.id
})

const documentOf = async (path: string): Promise<Document> => (await face.ask(path)).json
const toolsOf = ({ paths }: Document) => Object.keys(paths).map((path) => path.replace('/v1/tools/', ''))

describe('a document for agents', () => {
  it('has the steps of a set as operations with flat bodies, and nothing else', async () => {
    for (const id of integrationIds) {
      const document = await documentOf(`/openapi/${id}.json`)
      expect(toolsOf(document)).toEqual(coreTools(id))
      expect(document.servers).toHaveLength(1)
      for (const [path, { post }] of Object.entries(document.paths)) {
        expect(path).toBe(`/v1/tools/${post.operationId}`)
        expect(post.description).toMatch(/^[A-Z].{15,}/)
        // Importers offer parameters to the model.
        expect(post).not.toHaveProperty('parameters')
        const { schema } = post.requestBody.content['application/json']!
        expect([schema.type, Object.keys(schema.properties as object)]).toEqual([
          'object',
          expect.not.arrayContaining(['input', 'dryRun']),
        ])
        for (const part of Object.values(schema.properties as Record<string, JsonSchema>))
          expect(part.description).toMatch(/.{8,}/)
        expect(() => z.fromJSONSchema(schema as never)).not.toThrow()
      }
    }
  })

  it('has another set or named tools where they are asked for', async () => {
    const readers = toolsOf(await documentOf('/openapi/work-board.json?set=read'))
    expect(readers).toEqual(
      expect.arrayContaining(['work_board_get_card', 'work_board_search', 'work_board_get_attachments']),
    )
    expect(readers).toHaveLength(24)
    expect(readers.filter((name) => !/_(get|search|find)_?/.test(name))).toEqual([])
    expect(
      toolsOf(await documentOf('/openapi/anz-data.json?tools=anz_data_api_call,%20anz_data_people_search')),
    ).toEqual(['anz_data_people_search', 'anz_data_api_call'])
    const refusals = [
      ['/openapi/anz-data.json?set=read', 400, 'set', 'anz-data has no tool set "read". It has: core, all.'],
      [
        '/openapi/anz-data.json?tools=work_board_get_card',
        400,
        'tools',
        'anz-data has no tool "work_board_get_card". It has: anz_data_',
      ],
      ['/openapi/nothing.json', 404, 'integration', 'There is no integration "nothing".'],
    ] as const
    for (const [path, status, field, said] of refusals)
      expect(await face.ask(path)).toMatchObject({
        status,
        json: { detail: expect.stringContaining(said), errors: [{ pointer: `/${field}` }] },
      })
    expect((await face.ask('/openapi/work-board.yaml')).status).toBe(404)
  })

  it('lets a host always allow what only reads and is free, within the lengths that GPT actions take', async () => {
    const { pack, manifests } = readManifests()
    const written = await openapiDocuments({ pack, manifests })
    for (const { id, steps } of manifests) {
      const { paths } = JSON.parse(String(written[`${id}.all.json`])) as Document
      for (const { effect, cost, tool } of steps) {
        const post = paths[`/v1/tools/${tool}`]?.post
        if (!post) continue
        const isFreeRead = effect === 'read' && cost === null
        expect([tool, post['x-openai-isConsequential']]).toEqual([tool, isFreeRead ? false : undefined])
        expect(post.description.length, tool).toBeLessThanOrEqual(300)
        for (const part of Object.values(post.requestBody.content['application/json']!.schema.properties as object))
          expect(part.description.length, tool).toBeLessThanOrEqual(700)
      }
      expect(Object.values(paths).some(({ post }) => post['x-openai-isConsequential'] === false)).toBe(true)
    }
  })

  it('is the same as the one written from the manifests, but for the address', async () => {
    // With the settings of the manifests: none.
    const plain = await createPack({})
    const http = await createHttp({ pack: plain, version: '0.0.0', log: () => {} })
    const { text: token } = await plain.tokens.create('default', { name: 'Reader', scopes: ['read'] })
    const { pack, manifests } = readManifests()
    const written = await openapiDocuments({ pack, manifests })
    expect(Object.keys(written)).toEqual(
      expect.arrayContaining(integrationIds.flatMap((id) => [`${id}.core.json`, `${id}.all.json`])),
    )
    for (const [name, content] of Object.entries(written)) {
      const [id, set] = name.split('.')
      const served = (
        await http.inject({ url: `/openapi/${id}.json?set=${set}`, headers: { authorization: `Bearer ${token}` } })
      ).json<Document>()
      expect(served.servers[0]!.url).toMatch(/^http:\/\//)
      expect({ ...served, servers: [] }).toEqual({ ...(JSON.parse(String(content)) as Document), servers: [] })
    }
    await http.close()
    await plain.close()
  })
})

describe('a call of a tool', () => {
  const call = (tool: string, body: unknown) => face.ask(`/v1/tools/${tool}`, { body })

  it('takes the fields side by side and answers in those that agents need', async () => {
    const { status, json: card } = await call('work_board_create_card', {
      idList,
      name: 'Brochure',
      address: '1 Mill Lane',
    })
    expect([status, card]).toMatchObject([200, { name: 'Brochure', idList }])
    for (const none of ['badges', 'cover', 'descData', 'nodeId', 'shortLink']) expect(card).not.toHaveProperty(none)
    const { post } = (await documentOf('/openapi/work-board.json')).paths['/v1/tools/work_board_create_card']!
    expect(
      z.fromJSONSchema(post.responses['200']!.content['application/json']!.schema as never).safeParse(card).error,
    ).toBeUndefined()
    // It was taken, though the document does not list it.
    const { json: whole } = await call('work_board_get_card', { idCard: card.id, fields: 'all' })
    expect(whole).toMatchObject({ address: '1 Mill Lane', badges: {} })
    expect((await call('work_board_get_boards', {})).json.boards[0]).not.toHaveProperty('desc')
  })

  it('fails as a run does', async () => {
    expect(await call('work_board_create_card', { idList, colour: 'red' })).toMatchObject({
      status: 400,
      json: {
        code: 'invalid_input',
        runId: expect.any(String),
        errors: expect.arrayContaining([{ pointer: '/colour', message: expect.stringContaining('coordinates') }]),
      },
    })
    expect(await call('work_board_fly', {})).toMatchObject({
      status: 404,
      json: { code: 'not_found', errors: [{ pointer: '/tool' }] },
    })
    expect(await call('work_board_get_boards', { connection: 'Nobody' })).toMatchObject({
      status: 404,
      json: { code: 'not_found' },
    })
    const { text: token } = await face.pack.tokens.create('default', { name: 'Reader', toolSet: 'read' })
    expect(await face.ask('/v1/tools/work_board_create_card', { body: { idList, name: 'No' }, token })).toMatchObject({
      status: 403,
      json: { code: 'not_allowed', detail: expect.stringContaining('bound to the tool set "read"') },
    })
  })

  it('with an idempotency key happens once', async () => {
    const headers = { 'idempotency-key': 'flat-1' }
    const [firstReply, two] = [
      await face.ask('/v1/tools/work_board_create_card', { body: { idList, name: 'Once' }, headers }),
      await face.ask('/v1/tools/work_board_create_card', { body: { idList, name: 'Once' }, headers }),
    ]
    expect(two.json.id).toBe(firstReply.json.id)
  })
})
