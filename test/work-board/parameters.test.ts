import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { deriveParameters } from '../../scripts/board-parameters.ts'
import type { ExampleFile, ProviderRequest } from '#kit'
import { typesField } from '../../integrations/work-board/watch-fields.ts'
import { operationOf, requestProblems, table } from './check-request.ts'
import { fakeContext, ids, idOf, stepOf, workBoard } from './fake.ts'

const examples = new URL('../../integrations/work-board/examples/', import.meta.url)
const exampleFiles = readdirSync(examples)
  .map((name) => JSON.parse(readFileSync(new URL(name, examples), 'utf8')) as ExampleFile)
  .filter((file) => 'step' in file)

const moment = '2026-03-31T17:00:00Z'
const inCard = { idBoard: 'Tb5Hn3Qa', idList: ids.list, idCard: 'mN4tR8wL' }

/** For each step an input with every field it has, so that every request it can make is made. */
const everything: Record<string, Record<string, unknown>> = {
  'create-card': {
    idBoard: 'Tb5Hn3Qa',
    idList: ids.list,
    name: 'x',
    desc: 'x',
    pos: '1.5',
    due: moment,
    start: moment,
    dueComplete: true,
    idMembers: [ids.member],
    idLabels: [ids.label],
    urlSource: 'https://tiles.example',
    idCardSource: 'mN4tR8wL',
    keepFromSource: ['due', 'labels'],
    address: 'x',
    locationName: 'x',
    coordinates: '1,2',
  },
  'update-card': {
    fromBoard: 'Tb5Hn3Qa',
    fromList: ids.list,
    idCard: 'mN4tR8wL',
    name: 'x',
    desc: 'x',
    closed: false,
    idList: ids.otherList,
    idBoard: 'wV9cJ2Le',
    pos: 'top',
    due: moment,
    start: moment,
    dueComplete: false,
    clear: [],
    idLabels: [ids.label],
    idMembers: [],
    idAttachmentCover: ids.attachment,
    subscribed: true,
    address: 'x',
    locationName: 'x',
    coordinates: '1,2',
  },
  'get-card': {
    ...inCard,
    fields: 'name',
    members: true,
    checklists: true,
    attachments: true,
    comments: true,
    customFieldItems: true,
    board: true,
    list: true,
    limit: 1,
  },
  'attach-file': { ...inCard, file: { file: 'fil_1' }, name: 'x', setCover: true },
  'set-custom-fields': { idBoard: 'Tb5Hn3Qa', idCard: 'mN4tR8wL', customFields: { x: 'x' } },
  'archive-card': inCard,
  'get-boards': { filter: 'starred', fields: 'name', lists: 'all', limit: 1, cursor: ids.board },
  'get-list-cards': {
    idBoard: 'Tb5Hn3Qa',
    idList: ids.list,
    fields: 'name',
    filter: 'all',
    limit: 1,
    cursor: ids.card,
  },
  'create-list': { idBoard: 'Tb5Hn3Qa', name: 'x', pos: 'bottom', idListSource: ids.otherList },
  'add-comment-to-card': { ...inCard, text: 'x' },
  'add-comment': { ...inCard, text: 'x' },
  'add-checklist': { ...inCard, name: 'x', idChecklistSource: idOf(32), pos: '3' },
  'create-a-checklist-item': {
    ...inCard,
    idChecklist: ids.checklist,
    name: 'x',
    pos: 'top',
    checked: true,
    due: moment,
    dueReminder: 60,
    idMember: ids.member,
  },
  'move-card': {
    fromBoard: 'Tb5Hn3Qa',
    fromList: ids.list,
    idCard: 'mN4tR8wL',
    idBoard: 'wV9cJ2Le',
    idList: ids.otherList,
    pos: 'top',
  },
  'copy-card': {
    fromBoard: 'Tb5Hn3Qa',
    fromList: ids.list,
    idCard: 'mN4tR8wL',
    idBoard: 'Tb5Hn3Qa',
    idList: ids.otherList,
    name: 'x',
    keep: ['due', 'labels'],
    pos: 'bottom',
  },
  'delete-card': inCard,
  'get-card-activity': {
    ...inCard,
    types: ['commentCard', 'updateCard:idList'],
    since: moment,
    limit: 10,
    cursor: idOf(33),
  },
  'get-card-custom-fields': inCard,
  search: {
    query: 'x',
    kinds: ['cards', 'boards', 'members'],
    idBoard: 'Tb5Hn3Qa',
    list: 'To do',
    label: 'red',
    member: 'me',
    state: 'open',
    due: 'week',
    created: 'month',
    edited: 'day',
    has: ['attachments'],
    sort: 'due',
    partial: true,
    limit: 5,
    page: 1,
  },
  'find-card': { idBoard: 'Tb5Hn3Qa', name: 'x', customField: 'x', value: 'x', archived: true },
  'get-board': { idBoard: 'Tb5Hn3Qa', fields: 'name', lists: 'all', labels: true, members: true, customFields: true },
  'create-board': {
    name: 'x',
    desc: 'x',
    idOrganization: idOf(40),
    prefs_permissionLevel: 'org',
    defaultLists: false,
    defaultLabels: false,
  },
  'copy-board': { idBoard: 'Tb5Hn3Qa', name: 'x', cards: true, idOrganization: idOf(40) },
  'update-board': {
    idBoard: 'Tb5Hn3Qa',
    name: 'x',
    desc: 'x',
    closed: false,
    permissionLevel: 'private',
    idOrganization: idOf(40),
  },
  'close-board': { idBoard: 'Tb5Hn3Qa' },
  'get-custom-fields': { idBoard: 'Tb5Hn3Qa' },
  'get-lists': { idBoard: 'Tb5Hn3Qa', filter: 'all' },
  'update-list': {
    fromBoard: 'Tb5Hn3Qa',
    idList: ids.list,
    name: 'x',
    pos: '5',
    idBoard: 'wV9cJ2Le',
    closed: false,
    subscribed: true,
  },
  'archive-list': { idBoard: 'Tb5Hn3Qa', idList: ids.list },
  'get-board-cards': { idBoard: 'Tb5Hn3Qa', fields: 'name', filter: 'all', limit: 1, cursor: ids.card },
  'move-all-cards': { fromBoard: 'Tb5Hn3Qa', fromList: ids.list, idBoard: 'wV9cJ2Le', idList: ids.otherList },
  'archive-all-cards': { idBoard: 'Tb5Hn3Qa', idList: ids.list },
  'move-cards': {
    idCards: ['mN4tR8wL'],
    idBoard: 'Tb5Hn3Qa',
    query: undefined,
    toBoard: 'wV9cJ2Le',
    idList: ids.otherList,
  },
  'label-cards': { idCards: ['mN4tR8wL'], idBoard: 'Tb5Hn3Qa', query: undefined, idLabel: ids.label, remove: false },
  'assign-cards': { idCards: undefined, idBoard: 'Tb5Hn3Qa', query: 'list:Done', idMember: ids.member, remove: true },
  'archive-cards': { idCards: undefined, idBoard: 'Tb5Hn3Qa', query: 'list:Done' },
  'get-comments': { ...inCard, limit: 5, cursor: idOf(33) },
  'update-comment': { ...inCard, idComment: idOf(33), text: 'x' },
  'delete-comment': { ...inCard, idComment: idOf(33) },
  'react-to-comment': { ...inCard, idComment: idOf(33), emoji: 'thumbsup' },
  'get-checklists': inCard,
  'delete-checklist': { ...inCard, idChecklist: ids.checklist },
  'update-checklist-item': {
    ...inCard,
    idCheckItem: idOf(34),
    name: 'x',
    state: 'incomplete',
    idChecklist: ids.checklist,
    pos: 'top',
    due: moment,
    idMember: ids.member,
  },
  'complete-checklist-item': { ...inCard, idCheckItem: idOf(34) },
  'delete-checklist-item': { ...inCard, idCheckItem: idOf(34) },
  'get-labels': { idBoard: 'Tb5Hn3Qa' },
  'create-label': { idBoard: 'Tb5Hn3Qa', name: 'x', color: 'none' },
  'update-label': { idBoard: 'Tb5Hn3Qa', idLabel: ids.label, name: 'x', color: 'red_dark' },
  'delete-label': { idBoard: 'Tb5Hn3Qa', idLabel: ids.label },
  'add-label-to-card': { ...inCard, idLabel: ids.label },
  'remove-label-from-card': { ...inCard, idLabel: ids.label },
  'get-members': { idBoard: 'Tb5Hn3Qa' },
  'search-members': { query: 'x', idBoard: 'Tb5Hn3Qa', limit: 5 },
  'add-member-to-card': { ...inCard, idMember: ids.member },
  'remove-member-from-card': { ...inCard, idMember: ids.member },
  'add-member-to-board': { idBoard: 'Tb5Hn3Qa', idMember: ids.member, type: 'observer' },
  'get-attachments': inCard,
  'attach-link': { ...inCard, url: 'https://tiles.example', name: 'x', setCover: true },
  'download-attachment': { ...inCard, idAttachment: ids.attachment },
  'delete-attachment': { ...inCard, idAttachment: ids.attachment },
}

/** Answers any read with records that agree with each other, any write with a record. */
const board = ({ method, path }: ProviderRequest): unknown => {
  if (/(boards|lists|customFields|cards|labels|members|checklists|attachments|organizations|actions)$/.test(path))
    return method === 'POST' ? { id: ids.card } : [{ id: ids.board, name: 'x', idList: ids.list }]
  if (path === '/1/search') return { cards: [{ id: ids.card }], boards: [], members: [] }
  if (method === 'GET' && path.includes('/attachments/'))
    return { id: ids.attachment, name: 'x', fileName: 'x.pdf', isUpload: true }
  if (path.startsWith('/1/boards/wV9cJ2Le')) return { id: ids.otherBoard }
  if (path.startsWith('/1/boards/')) return { id: ids.board }
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
      step.input.parse({ idCard: ids.card, clear: ['due', 'start', 'idAttachmentCover'], idLabels: [], idMembers: [] }),
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
        values: { idCard: ids.card, idBoard: values.idBoard, fromBoard: values.fromBoard },
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
