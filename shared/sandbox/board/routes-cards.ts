import { boardOf, findCard, labelsOnBoard, listOf, membersOnBoard, targetList } from './access.ts'
import { putAttachment, setLabels, setMembers } from './card-parts.ts'
import { changeCard, moveCard, repositionCard, type CardChanges } from './card-updates.ts'
import { copyCard, createCard, deleteCard, keepable, type CardInput, type Keep } from './cards.ts'
import { listsOf } from './boards.ts'
import * as read from './params.ts'
import type { Card, List } from './records.ts'
import {
  checklistsOf,
  pick,
  renderAttachment,
  renderBoard,
  renderCard,
  renderChecklist,
  renderList,
  renderWrittenCard,
} from './render.ts'
import { invalidValue, refuse } from './refusals.ts'
import { actionsFor, cardActionsDefault } from './routes-actions.ts'
import { route, type Call, type Route } from './routes.ts'
import { cardOf, membersOf, shift } from './card-of-call.ts'
import { cardPartRoutes } from './routes-card-parts.ts'
import { cardChecklistRoutes } from './routes-card-checklists.ts'

const roles = ['separator', 'board', 'mirror', 'link'] as const

const place = (call: Call): Pick<CardInput, 'address' | 'locationName' | 'coordinates'> => ({
  address: read.text(call.params, 'address'),
  locationName: read.text(call.params, 'locationName'),
  coordinates: read.text(call.params, 'coordinates'),
})

const inputOf = (call: Call, idBoard: string): Omit<CardInput, 'name'> => {
  const { params } = call
  return {
    desc: read.text(params, 'desc'),
    pos: read.pos(params),
    due: read.date(params, 'due', shift(call)),
    start: read.date(params, 'start', shift(call)),
    dueComplete: read.flag(params, 'dueComplete'),
    cardRole: read.oneOf(params, 'cardRole', roles),
    ...place(call),
    idLabels: readLabels(call, idBoard),
    idMembers: readMembers(call, idBoard),
    dueReminder: read.isNull(params, 'dueReminder') ? null : read.integer(params, 'dueReminder', -1, 1_000_000),
  }
}
const readLabels = (call: Call, idBoard: string): string[] | undefined => {
  const labelIds = read.ids(call.params, 'idLabels')
  return labelIds && labelsOnBoard(call.world, idBoard, labelIds)
}
const readMembers = (call: Call, idBoard: string): string[] | undefined => {
  const memberIds = read.ids(call.params, 'idMembers')
  return memberIds && membersOnBoard(call.world, idBoard, memberIds)
}

const create = (call: Call): unknown => {
  const { world, actor, params } = call
  const name = read.text(params, 'name')
  const idList = read.needId(params, 'idList')
  read.text(params, 'mimeType', 256)
  const link = read.webAddress(params, 'urlSource')
  const idSource = read.id(params, 'idCardSource')
  const keep = keepOf(call)
  const list = targetList(world, call.viewer, idList)
  const input = inputOf(call, list.idBoard)
  const card = idSource
    ? copyCard(
        world,
        actor,
        findCard(world, call.viewer, idSource),
        list,
        { ...input, ...(name === undefined ? {} : { name }) },
        keep,
      )
    : createCard(world, actor, list, { ...input, name: name ?? link ?? '' })
  const upload = params.uploads.get('fileSource')
  if (link) putAttachment(world, actor, card, { name: link, url: link, mimeType: '', content: null })
  if (upload)
    putAttachment(world, actor, card, {
      name: upload.fileName,
      url: null,
      mimeType: upload.mimeType,
      content: upload.content,
    })
  return renderWrittenCard(world, card)
}
const keepOf = (call: Call): readonly Keep[] => {
  const words = read.words(call.params, 'keepFromSource') ?? ['all']
  if (words.includes('all')) return keepable
  return words.map((word) => (keepable.includes(word as Keep) ? (word as Keep) : invalidValue('keepFromSource')))
}

const nested = (call: Call, card: Card): Record<string, unknown> => {
  const { world, params } = call
  const isRequested = (name: string): boolean => ['true', 'all'].includes(String(read.text(params, name) ?? ''))
  const filter = read.words(params, 'actions')
  return {
    ...(filter ? { actions: actionsFor(call, (action) => action.refs.idCard === card.id, filter, 300) } : {}),
    ...(isRequested('attachments')
      ? {
          attachments: card.attachments.map((attachment) =>
            pick(renderAttachment(attachment), read.words(params, 'attachment_fields')),
          ),
        }
      : {}),
    ...(isRequested('members') ? { members: membersOf(call, card, read.words(params, 'member_fields')) } : {}),
    ...(isRequested('checklists')
      ? {
          checklists: checklistsOf(world, card.id).map((checklist) =>
            pick(renderChecklist(checklist), read.words(params, 'checklist_fields')),
          ),
        }
      : {}),
    ...(isRequested('board')
      ? { board: pick(renderBoard(world, boardOf(world, card)), read.words(params, 'board_fields')) }
      : {}),
    ...(isRequested('list') ? { list: renderList(listOf(world, card)) } : {}),
    ...(isRequested('customFieldItems') ? { customFieldItems: structuredClone(card.customFieldItems) } : {}),
    ...(isRequested('stickers') ? { stickers: [] } : {}),
    ...(isRequested('pluginData') ? { pluginData: [] } : {}),
  }
}
const changesOf = (call: Call): CardChanges => {
  const { params } = call
  const cover = read.record(params, 'cover')
  const plain: CardChanges = {}
  const put = (name: keyof CardChanges, value: unknown): void =>
    void (value === undefined || Object.assign(plain, { [name]: value }))
  put('name', read.has(params, 'name') ? read.needText(params, 'name') : undefined)
  put('desc', read.text(params, 'desc'))
  put('closed', read.flag(params, 'closed'))
  put('due', read.date(params, 'due', shift(call)))
  put('start', read.date(params, 'start', shift(call)))
  put('dueComplete', read.flag(params, 'dueComplete'))
  put('dueReminder', read.isNull(params, 'dueReminder') ? null : read.integer(params, 'dueReminder', -1, 1_000_000))
  put(
    'idAttachmentCover',
    read.isNull(params, 'idAttachmentCover') || params.values.get('idAttachmentCover') === ''
      ? null
      : read.id(params, 'idAttachmentCover'),
  )
  put('subscribed', read.flag(params, 'subscribed'))
  if (cover) put('cover', { ...cardOf(call).cover, ...cover })
  for (const [name, value] of Object.entries(place(call))) put(name as keyof CardChanges, value)
  return plain
}

/**
 * The list to move the card to: from a list, a board (its first open list) or both; undefined when neither is given.
 */
const targetOf = (call: Call, card: Card): List | undefined => {
  const idList = read.id(call.params, 'idList')
  const idBoard = read.id(call.params, 'idBoard')
  const list = idList ? targetList(call.world, call.viewer, idList) : undefined
  if (list && idBoard && list.idBoard !== idBoard) return invalidValue('idList')
  if (list || !idBoard || idBoard === card.idBoard) return list
  return targetList(
    call.world,
    call.viewer,
    listsOf(call.world, idBoard).find((boardList) => !boardList.closed)?.id ?? '',
  )
}

const update = (call: Call): unknown => {
  const { world, actor, params } = call
  const card = cardOf(call, 'write')
  const changes = changesOf(call)
  const target = targetOf(call, card)
  const idBoard = target?.idBoard ?? card.idBoard
  const labels = readLabels(call, idBoard)
  const members = readMembers(call, idBoard)
  const position = read.pos(params)
  if (changes.idAttachmentCover && !card.attachments.some((attachment) => attachment.id === changes.idAttachmentCover))
    invalidValue('idAttachmentCover')
  if (target) moveCard(world, actor, card, target)
  changeCard(world, actor, card, changes)
  if (position !== undefined) repositionCard(world, actor, card, position)
  if (labels) setLabels(world, actor, card, labels)
  if (members) setMembers(world, actor, card, members)
  return renderWrittenCard(world, card)
}

const nestedNames =
  'fields actions attachments attachment_fields members member_fields membersVoted memberVoted_fields checkItemStates checklists checklist_fields board board_fields list pluginData stickers sticker_fields customFieldItems'

export const cardRoutes: Route[] = [
  route('POST /cards', 'card', create),
  route(
    'GET /cards/:card',
    'card',
    (call) => {
      const card = cardOf(call)
      return { ...renderCard(call.world, card, read.words(call.params, 'fields')), ...nested(call, card) }
    },
    { knows: nestedNames },
  ),
  route('PUT /cards/:card', 'card', update),
  route('DELETE /cards/:card', 'card', (call) => {
    deleteCard(call.world, call.actor, cardOf(call, 'write'))
    return { limits: {} }
  }),
  route('GET /cards/:card/actions', 'card', (call) => {
    const card = cardOf(call)
    return actionsFor(
      call,
      (action) => action.refs.idCard === card.id,
      read.words(call.params, 'filter') ?? cardActionsDefault,
      50,
    )
  }),
  route('GET /cards/:card/list', 'card', (call) =>
    pick(renderList(listOf(call.world, cardOf(call))), read.words(call.params, 'fields')),
  ),
  route('GET /cards/:card/board', 'card', (call) =>
    pick(renderBoard(call.world, boardOf(call.world, cardOf(call))), read.words(call.params, 'fields')),
  ),
  route('GET /cards/:card/members', 'card', (call) => membersOf(call, cardOf(call), read.words(call.params, 'fields'))),
  route('GET /cards/:card/:field', 'card', (call) => {
    const name = call.path['field'] as string
    const record = renderCard(call.world, cardOf(call), ['all'])
    return Object.hasOwn(record, name)
      ? { _value: record[name] }
      : refuse(404, `Cannot GET /1/cards/${call.path['card']}/${name}`)
  }),
  ...cardPartRoutes,
  ...cardChecklistRoutes,
]
