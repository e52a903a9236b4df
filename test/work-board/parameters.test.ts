import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { deriveParameters } from '../../scripts/board-parameters.ts'
import type { ExampleFile, ProviderRequest } from '#kit'
import { typesField } from '../../integrations/work-board/watch-fields.ts'
import { operationOf, requestProblems, table } from './check-request.ts'
import { fakeContext, ids, idOf, stepOf, workBoard } from './fake.ts'
import { everything } from './step-inputs.ts'

const examples = new URL('../../integrations/work-board/examples/', import.meta.url)
const exampleFiles = readdirSync(examples)
  .map((name) => JSON.parse(readFileSync(new URL(name, examples), 'utf8')) as ExampleFile)
  .filter((file) => 'step' in file)

/** Answers any read with records that agree with each other, any write with a record. */
const board = ({ method, path }: ProviderRequest): unknown => {
  if (
    /(boards|lists|customFields|cards|labels|members|checklists|attachments|organizations|actions|membersVoted)$/.test(
      path,
    )
  )
    return method !== 'GET' ? { id: ids.card } : [{ id: ids.board, name: 'x', idList: ids.list }]
  if (path.endsWith('/memberships')) return [{ id: idOf(50), idMember: ids.member, memberType: 'normal' }]
  if (path === '/1/search') return { cards: [{ id: ids.card }], boards: [], members: [] }
  if (path.includes('/download/')) return 'x'
  if (method === 'GET' && path.includes('/attachments/'))
    return { id: ids.attachment, name: 'x', fileName: 'x.txt', isUpload: true }
  if (path.startsWith('/1/boards/wV9cJ2Le')) return { id: ids.otherBoard }
  if (path.startsWith('/1/boards/')) return { id: ids.board, name: 'x' }
  if (path.startsWith('/1/customFields/'))
    return { id: idOf(81), idModel: ids.board, type: 'list', options: [{ id: idOf(82), value: { text: 'y' } }] }
  return {
    id: path.startsWith('/1/cards') ? ids.card : ids.list,
    idBoard: ids.board,
    idList: ids.list,
    idCard: ids.card,
  }
}

/** The address of an upload is in the vendor's words, not in the table. */
const isDownload = ({ path }: { path: string }) => /\/attachments\/[^/]+\/download\//.test(path)

describe('requests and the table of the vendor', () => {
  // Find Endpoints sends nothing.
  it.each(exampleFiles.filter(({ step }) => step !== 'find-endpoints').map((file) => [file.step, file] as const))(
    'examples of %s',
    (_, file) => {
      const requests = file.cases
        .flatMap((exampleCase) => exampleCase.exchanges.map(({ request }) => request))
        .filter((request) => !isDownload(request))
      expect(requests.length).toBeGreaterThan(0)
      expect(requests.flatMap(requestProblems)).toEqual([])
    },
  )

  it.each(workBoard.steps.map((step) => [step.id, step] as const))('everything %s can send', async (id, step) => {
    const input = everything[id]!
    expect(Object.keys(input).sort(), 'the input below has every field of the step').toEqual(
      Object.keys(step.input.shape).sort(),
    )
    const { ctx, sent } = fakeContext(board)
    await step.run(
      ctx,
      step.input.parse(input),
      step.accountFields ? [{ field: { id: idOf(81), title: 'x', type: 'text' }, value: 'x' }] : [],
    )
    await step.accountFields?.load(ctx, { values: input })
    expect(sent.length).toBeGreaterThan(0)
    expect(sent.filter((request) => !isDownload(request)).flatMap(requestProblems)).toEqual([])
  })

  it('clears with values the vendor knows', async () => {
    const { ctx, sent } = fakeContext(board)
    const step = stepOf('update-card')
    await step.run(
      ctx,
      step.input.parse({
        idCard: ids.card,
        clear: ['due', 'start', 'dueReminder', 'idAttachmentCover'],
        idLabels: [],
        idMembers: [],
      }),
      [],
    )
    expect(sent).toHaveLength(1)
    expect(sent.flatMap(requestProblems)).toEqual([])
  })

  it.each(
    workBoard.steps.flatMap((step) =>
      Object.entries(step.fields ?? {}).flatMap(([field, spec]) =>
        // Words of the board are choices that nobody is asked for.
        spec.options && spec.options !== typesField.options
          ? [[`${step.id}.${field}`, spec.options, everything[step.id]!] as const]
          : [],
      ),
    ),
  )('choices of %s', async (_, source, values) => {
    for (const query of ['', 'x']) {
      const whole = fakeContext(board)
      await source(whole.ctx, { values, query, cursor: ids.card })
      const cardOnly = fakeContext(board)
      await source(cardOnly.ctx, {
        values: {
          idCard: ids.card,
          idBoard: values.idBoard,
          fromBoard: values.fromBoard,
          idCustomField: values.idCustomField,
        },
        query,
      })
      expect(whole.sent.length).toBeGreaterThan(0)
      expect([...whole.sent, ...cardOnly.sent].flatMap(requestProblems)).toEqual([])
    }
  })

  it('the request that tests an account', () => {
    for (const type of workBoard.connections) expect(requestProblems(type.test!)).toEqual([])
  })
})

describe('the check itself', () => {
  it('finds what a table does not know, types that are wrong and what is missing', () => {
    const put = (body: Record<string, never>) => requestProblems({ method: 'PUT', path: `/1/cards/${ids.card}`, body })
    expect(put({ title: 'x' } as never)).toEqual(['PUT /cards/{id}: title is not a parameter'])
    expect(put({ name: 5, closed: 'yes', idList: 'mN4tR8wL', idLabels: ['red'], due: null } as never)).toEqual([
      'PUT /cards/{id}: name: 5 is not string',
      'PUT /cards/{id}: closed: "yes" is not boolean',
      'PUT /cards/{id}: idList: "mN4tR8wL" is not id',
      'PUT /cards/{id}: idLabels: ["red"] is not id[]',
    ])
    expect(requestProblems({ method: 'POST', path: '/1/lists', body: { name: 'x' } })).toEqual([
      'POST /lists: idBoard is required',
    ])
    expect(requestProblems({ method: 'POST', path: '/1/lists', query: { name: 'x', idBoard: ids.board } })).toEqual([
      'POST /lists: query parameters on a write: long texts would not fit in an address',
    ])
    expect(requestProblems({ method: 'GET', path: '/1/lists' })).toEqual(['GET /1/lists is no operation of the board'])
    expect(
      requestProblems({ method: 'GET', path: `/1/lists/${ids.list}/cards`, query: { limit: 'ten', page: '1' } }),
    ).toEqual(['GET /lists/{id}/cards: limit: "ten" is not integer', 'GET /lists/{id}/cards: page is not a parameter'])
  })

  it('finds the most exact operation', () => {
    expect(operationOf('GET', '/1/members/me/boards')).toBe('GET /members/{id}/boards')
    expect(operationOf('PUT', `/1/lists/${ids.list}/closed`)).toBe('PUT /lists/{id}/closed')
    expect(table['PUT /lists/{id}/closed']!.value!.type).toBe('boolean')
  })
})

describe('deriving the table', () => {
  const file = {
    paths: {
      '/things/': {
        post: {
          parameters: [{ name: 'name', in: 'query', required: true, schema: { type: 'string' } }],
          requestBody: {
            content: {
              'application/json': {
                schema: { required: ['pos'], properties: { pos: { $ref: '#/components/schemas/Pos' } } },
              },
            },
          },
        },
      },
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/TrelloID' } }],
        get: {
          parameters: [
            { name: 'fields', in: 'query', schema: { $ref: '#/components/schemas/Thing' } },
            {
              name: 'ids',
              in: 'query',
              schema: { type: 'array', items: { oneOf: [{ $ref: '#/components/schemas/TrelloID' }] } },
            },
          ],
        },
        delete: {},
      },
    },
    components: {
      schemas: {
        TrelloID: { type: 'string' },
        Thing: { type: 'object' },
        Pos: { oneOf: [{ type: 'string' }, { type: 'number' }] },
      },
    },
  }

  it('reads parameters of path, operation and body, with their types', () => {
    expect(deriveParameters(file, [])).toEqual({
      'DELETE /things/{id}': { id: { in: 'path', type: 'id', required: true } },
      'GET /things/{id}': {
        fields: { in: 'query', type: 'string', required: false },
        id: { in: 'path', type: 'id', required: true },
        ids: { in: 'query', type: 'id[]', required: false },
      },
      'POST /things': {
        name: { in: 'query', type: 'string', required: true },
        pos: { in: 'body', type: 'number|string', required: true },
      },
    })
  })

  it('applies corrections, and complains about one whose operation is gone', () => {
    const set = { limit: { in: 'query', type: 'integer', required: false } } as const
    const derived = deriveParameters(file, [
      { operation: 'GET /things/{id}', because: 'x', set },
      { operation: 'DELETE /things/{id}', because: 'x', remove: true },
    ])
    expect(derived['GET /things/{id}']).toHaveProperty('limit')
    expect(derived).not.toHaveProperty('DELETE /things/{id}')
    expect(() => deriveParameters(file, [{ operation: 'GET /gone', because: 'it was wrong' }])).toThrow(
      'no GET /gone to correct (it was wrong)',
    )
  })
})
