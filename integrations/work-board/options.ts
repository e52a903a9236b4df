import {
  failField,
  fitsQuery,
  formValue,
  listedBy,
  optionPageSize,
  pageOptions,
  path,
  readRow,
  readRows,
  textOf,
} from '#kit'
import type { FieldSpec, Option, OptionContext, OptionSource, Path, Row } from '#kit'
import { optionText, optionsIn } from './custom-field-changes.ts'
import { readCards } from './listing.ts'
import { isLongId, readRef } from './refs.ts'
import type { RefKind } from './refs.ts'

type OptionQuery = Parameters<OptionSource>[1]

/** A card search reads `page` cards per request, makes at most `requests` requests, and stops after `enough` hits. */
const search = { page: 999, requests: 3, enough: 20 }

const option = (row: Row, label: string, hint = ''): Option => ({
  value: row.id,
  label: label || '(no name)',
  ...(hint === '' ? {} : { hint }),
})

const person = (row: Row): Option =>
  option(row, textOf(row, 'fullName') || textOf(row, 'username'), `@${textOf(row, 'username')}`)

const refFrom = (values: OptionQuery['values'], field: string, kind: RefKind): string | undefined => {
  const text = formValue(values, field)
  if (text === undefined) return undefined
  const read = readRef(kind, text)
  if (!read.ok) throw failField(`values/${field}`, read.reason)
  return read.value
}

const needRef = (values: OptionQuery['values'], field: string, kind: RefKind): string => {
  const ref = refFrom(values, field, kind)
  if (ref === undefined)
    throw failField(`values/${field}`, `Choose the ${kind} (${field}) first: the choices depend on it.`)
  return ref
}

const listFrom = (values: OptionQuery['values'], field: string): string | undefined => {
  const text = formValue(values, field)
  if (text !== undefined && !isLongId(text))
    throw failField(`values/${field}`, `Choose the list (${field}) again: a list is named by its id of 24 characters.`)
  return text
}

/**
 * The form fields that determine the board: the first of `boards` that is filled in, otherwise the board of the card or
 * of the list, otherwise the default one.
 */
export type BoardFrom = { boards: string[]; card?: string; list?: string }

export const boardOf = async (
  ctx: OptionContext,
  { values, container }: Pick<OptionQuery, 'values' | 'container'>,
  from: BoardFrom,
): Promise<string> => {
  for (const field of from.boards) {
    const ref = refFrom(values, field, 'board')
    if (ref !== undefined) return ref
  }
  const list = from.list === undefined ? undefined : listFrom(values, from.list)
  if (list !== undefined)
    return textOf(
      readRow(await ctx.send({ method: 'GET', path: path`/1/lists/${list}`, query: { fields: 'idBoard' } }), 'a list'),
      'idBoard',
    )
  const card = from.card === undefined ? undefined : refFrom(values, from.card, 'card')
  if (card === undefined) return container ?? needRef(values, from.boards[0] ?? 'idBoard', 'board')
  return textOf(
    readRow(await ctx.send({ method: 'GET', path: path`/1/cards/${card}`, query: { fields: 'idBoard' } }), 'a card'),
    'idBoard',
  )
}

/** Open boards of the account, with the workspace as hint. */
export const boards: OptionSource = listedBy(['get-boards'], async (ctx, request) => {
  const query = { filter: 'open', fields: 'name', organization: true, organization_fields: 'displayName' }
  const rows = readRows(await ctx.send({ method: 'GET', path: path`/1/members/me/boards`, query }), 'boards')
  const workspace = (row: Row) => textOf((row.organization ?? {}) as Row, 'displayName')
  return pageOptions(
    rows.map((row) => option(row, textOf(row, 'name'), workspace(row))),
    request,
  )
})

/** Workspaces of the account. */
export const workspaces: OptionSource = async (ctx, request) => {
  const rows = readRows(
    await ctx.send({ method: 'GET', path: path`/1/members/me/organizations`, query: { fields: 'displayName,name' } }),
    'workspaces',
  )
  return pageOptions(
    rows.map((row) => option(row, textOf(row, 'displayName') || textOf(row, 'name'))),
    request,
  )
}

const readLists = async (ctx: OptionContext, board: string) =>
  readRows(
    await ctx.send({ method: 'GET', path: path`/1/boards/${board}/lists`, query: { filter: 'open', fields: 'name' } }),
    'lists',
  )

/** Open lists of all open boards, each with its board as hint. */
const listsOfAllBoards = async (ctx: OptionContext): Promise<Option[]> => {
  const query = { filter: 'open', fields: 'name', lists: 'open' }
  const rows = readRows(await ctx.send({ method: 'GET', path: path`/1/members/me/boards`, query }), 'boards')
  return rows.flatMap((board) =>
    readRows(board.lists ?? [], 'lists').map((row) => option(row, textOf(row, 'name'), textOf(board, 'name'))),
  )
}

const isPlaceKnown = (values: OptionQuery['values'], { boards: boardFields, card }: BoardFrom) =>
  [...boardFields, ...(card === undefined ? [] : [card])].some((field) => formValue(values, field) !== undefined)

/** Open lists of a board, or of every board while none is chosen. `other`: a form field whose list is left out. */
export const lists = (from: BoardFrom, other?: string): OptionSource =>
  listedBy(['get-lists', 'get-boards'], async (ctx, request) => {
    const choices =
      request.container !== undefined || isPlaceKnown(request.values, from)
        ? (await readLists(ctx, await boardOf(ctx, request, from))).map((row) => option(row, textOf(row, 'name')))
        : await listsOfAllBoards(ctx)
    const taken = other === undefined ? undefined : formValue(request.values, other)
    return pageOptions(
      choices.filter(({ value }) => value !== taken),
      request,
    )
  })

/** Labels of a board, with the colour as hint. The board returns only 50 unless a higher limit is requested. */
export const labels = (from: BoardFrom): OptionSource =>
  listedBy(['get-labels', 'get-board'], async (ctx, request) => {
    const board = await boardOf(ctx, request, from)
    const rows = readRows(
      await ctx.send({
        method: 'GET',
        path: path`/1/boards/${board}/labels`,
        query: { limit: 1000, fields: 'name,color' },
      }),
      'labels',
    )
    return pageOptions(
      rows.map((row) => option(row, textOf(row, 'name') || textOf(row, 'color'), textOf(row, 'color') || 'no colour')),
      request,
    )
  })

/** Custom fields of a board, with the type as hint. */
export const customFields = (from: BoardFrom): OptionSource =>
  listedBy(['get-custom-fields', 'get-board'], async (ctx, request) => {
    const board = await boardOf(ctx, request, from)
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/boards/${board}/customFields` }),
      'custom fields',
    )
    return pageOptions(
      rows.map((row) => option(row, textOf(row, 'name'), textOf(row, 'type'))),
      request,
    )
  })

/** Options of a custom field of the type list; fields of other types have none. */
export const optionsOfField = (fieldName: string): OptionSource =>
  listedBy(['get-custom-fields'], async (ctx, request) => {
    const id = formValue(request.values, fieldName)
    if (id === undefined) throw failField(`values/${fieldName}`, 'Choose the custom field first.')
    const row = readRow(await ctx.send({ method: 'GET', path: path`/1/customFields/${id}` }), 'a custom field')
    return pageOptions(
      optionsIn(row).map((item) => option(item, optionText(item))),
      request,
    )
  })

/** Members of a board. */
export const members = (from: BoardFrom): OptionSource =>
  listedBy(['get-members', 'get-board'], async (ctx, request) => {
    const board = await boardOf(ctx, request, from)
    const rows = readRows(await ctx.send({ method: 'GET', path: path`/1/boards/${board}/members` }), 'members')
    return pageOptions(rows.map(person), request)
  })

/**
 * Anybody with an account at the provider, searched by the typed text; before anything is typed, the members of the
 * board.
 */
export const people = (boardField: string): OptionSource =>
  listedBy(['search-members'], async (ctx, request) => {
    const query = request.query.trim()
    if (query === '') return members({ boards: [boardField] })(ctx, request)
    // The provider has already searched, and may have matched something that is not shown, so its results are not
    // filtered again.
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/search/members`, query: { query, limit: 20 } }),
      'members',
    )
    return { options: rows.map(person) }
  })

type CardPlace = { at: Path; listNames: Map<string, string> }

const cardsOfList = (field: string, list: string): CardPlace => {
  if (!isLongId(list))
    throw failField(
      `values/${field}`,
      `"${list.slice(0, 60)}" is not a list id of 24 characters. Choose a list of the board.`,
    )
  return { at: path`/1/lists/${list}/cards`, listNames: new Map() }
}

const cardsOfBoard = async (ctx: OptionContext, board: string): Promise<CardPlace> => {
  const rows = await readLists(ctx, board)
  return { at: path`/1/boards/${board}/cards`, listNames: new Map(rows.map((row) => [row.id, textOf(row, 'name')])) }
}

/** Open cards of the chosen list, otherwise of the board with the list as hint; newest first, searched page by page. */
export const cards = (boardField: string, listField?: string): OptionSource =>
  listedBy(['get-board-cards', 'search', 'get-list-cards'], async (ctx, { values, query, cursor, container }) => {
    const list = listField === undefined ? undefined : formValue(values, listField)
    const { at, listNames } =
      list !== undefined && listField !== undefined
        ? cardsOfList(listField, list)
        : await cardsOfBoard(
            ctx,
            refFrom(values, boardField, 'board') ?? container ?? needRef(values, boardField, 'board'),
          )
    const show = (row: Row) => option(row, textOf(row, 'name'), listNames.get(textOf(row, 'idList')))
    const searched = query.trim() !== ''
    const options: Option[] = []
    let next = cursor
    for (let request = 0; request < (searched ? search.requests : 1); request += 1) {
      const page = await readCards(ctx, at, {
        limit: searched ? search.page : optionPageSize,
        cursor: next,
        query: { fields: 'name,idList' },
      })
      options.push(...page.cards.map(show).filter((candidate) => fitsQuery(candidate, query)))
      next = page.next
      if (next === undefined || options.length >= search.enough) break
    }
    return { options, ...(next === undefined ? {} : { next }) }
  })

/** Checklists of a card. */
export const checklistsOfCard = (cardField: string): OptionSource =>
  listedBy(['get-checklists', 'get-card'], async (ctx, request) => {
    const card = needRef(request.values, cardField, 'card')
    const query = { checkItems: 'none', fields: 'name' }
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/cards/${card}/checklists`, query }),
      'checklists',
    )
    return pageOptions(
      rows.map((row) => option(row, textOf(row, 'name'))),
      request,
    )
  })

/** Checklists of a whole board, as templates to copy from. */
export const checklistsOfBoard = (from: BoardFrom): OptionSource =>
  listedBy(['get-checklists', 'get-card'], async (ctx, request) => {
    const board = await boardOf(ctx, request, from)
    const rows = readRows(await ctx.send({ method: 'GET', path: path`/1/boards/${board}/checklists` }), 'checklists')
    return pageOptions(
      rows.map((row) => option(row, textOf(row, 'name'))),
      request,
    )
  })

/** Attached images of a card; only these can be its cover. */
export const imagesOfCard = (cardField: string): OptionSource =>
  listedBy(['get-attachments', 'get-card'], async (ctx, request) => {
    const card = needRef(request.values, cardField, 'card')
    const rows = readRows(
      await ctx.send({ method: 'GET', path: path`/1/cards/${card}/attachments`, query: { fields: 'name,mimeType' } }),
      'attachments',
    )
    const images = rows.filter((row) => textOf(row, 'mimeType').startsWith('image/'))
    return pageOptions(
      images.map((row) => option(row, textOf(row, 'name'), textOf(row, 'mimeType'))),
      request,
    )
  })

/** The parts of one kind that a card has; `show` turns each row into options. */
const partsOfCard =
  (
    cardField: string,
    part: 'attachments' | 'checklists' | 'members',
    query: Record<string, string>,
    show: (row: Row) => Option | Option[],
  ): OptionSource =>
  async (ctx, request) => {
    const card = needRef(request.values, cardField, 'card')
    const rows = readRows(await ctx.send({ method: 'GET', path: path`/1/cards/${card}/${part}`, query }), part)
    return pageOptions(rows.flatMap(show), request)
  }

const rowsIn = (value: unknown): Row[] => (Array.isArray(value) ? (value as Row[]) : [])

export const attachmentsOfCard = (cardField: string): OptionSource =>
  listedBy(
    ['get-attachments', 'get-card'],
    partsOfCard(cardField, 'attachments', { fields: 'name,mimeType' }, (row) =>
      option(row, textOf(row, 'name'), textOf(row, 'mimeType')),
    ),
  )

/** Items of all checklists of a card, with the checklist as hint. */
export const itemsOfCard = (cardField: string): OptionSource =>
  listedBy(
    ['get-checklists', 'get-card'],
    partsOfCard(cardField, 'checklists', { checkItems: 'all', checkItem_fields: 'name,state' }, (row) =>
      rowsIn(row.checkItems).map((item) => option(item, textOf(item, 'name'), textOf(row, 'name'))),
    ),
  )

export const membersOfCard = (cardField: string): OptionSource =>
  listedBy(['get-card'], partsOfCard(cardField, 'members', {}, person))

/** Labels that the card has. */
export const labelsOfCard = (cardField: string): OptionSource =>
  listedBy(['get-card'], async (ctx, request) => {
    const card = needRef(request.values, cardField, 'card')
    const row = readRow(
      await ctx.send({ method: 'GET', path: path`/1/cards/${card}`, query: { fields: 'labels' } }),
      'a card',
    )
    return pageOptions(
      rowsIn(row.labels).map((label) =>
        option(label, textOf(label, 'name') || textOf(label, 'color'), textOf(label, 'color') || 'no colour'),
      ),
      request,
    )
  })

/** Comments of a card, newest first, with the author as hint. */
export const commentsOfCard = (cardField: string): OptionSource =>
  listedBy(['get-comments', 'get-card'], async (ctx, request) => {
    const card = needRef(request.values, cardField, 'card')
    const query = { filter: 'commentCard', limit: 50 }
    const rows = readRows(await ctx.send({ method: 'GET', path: path`/1/cards/${card}/actions`, query }), 'comments')
    const of = (row: Row, field: string) => (row[field] ?? {}) as Row
    return pageOptions(
      rows.map((row) =>
        option(row, textOf(of(row, 'data'), 'text').slice(0, 80), textOf(of(row, 'memberCreator'), 'fullName')),
      ),
      request,
    )
  })

/** Lists of a board, including archived ones. */
export const allLists = (from: BoardFrom): OptionSource =>
  listedBy(['get-lists', 'get-boards'], async (ctx, request) => {
    const board = await boardOf(ctx, request, from)
    const rows = readRows(
      await ctx.send({
        method: 'GET',
        path: path`/1/boards/${board}/lists`,
        query: { filter: 'all', fields: 'name,closed' },
      }),
      'lists',
    )
    return pageOptions(
      rows.map((row) => option(row, textOf(row, 'name'), row.closed === true ? 'archived' : '')),
      request,
    )
  })

/** Form settings of a board field that only narrows the choices of other fields. */
export const boardScope: FieldSpec = { options: boards, names: 'board', accepts: 'id-or-url', scope: true }
/** Form settings of a list field that only narrows the choice of cards. */
export const listScope = (boardField: string): FieldSpec => ({
  options: lists({ boards: [boardField] }),
  names: 'list',
  dependsOn: [boardField],
  scope: true,
})
/** Form settings of a card field: the card is chosen on a board and, optionally, in a list. */
export const cardChoice = (boardField: string, listField: string): FieldSpec => ({
  options: cards(boardField, listField),
  names: 'card',
  dependsOn: [boardField],
  accepts: 'id-or-url',
})
