import { boardOf, findLabel, membersOnBoard } from './access.ts'
import {
  addComment,
  addLabel,
  changeMember,
  deleteComment,
  dropAttachment,
  editComment,
  putAttachment,
  removeLabel,
} from './card-parts.ts'
import { changeCard } from './card-updates.ts'
import { createLabel } from './boards.ts'
import { renderAction } from './history.ts'
import * as read from './params.ts'
import type { Action, Card } from './records.ts'
import { pick, renderAttachment, renderLabel } from './render.ts'
import { invalidValue, notFound, refuse, unauthorized } from './refusals.ts'
import { route, type Call, type Route } from './routes.ts'
import { needColour } from './routes-labels.ts'
import { cardOf, membersOf } from './card-of-call.ts'

const commentOf = (call: Call, card: Card): Action =>
  call.world.state.actions.find(
    (action) => action.id === call.path['idAction'] && action.type === 'commentCard' && action.refs.idCard === card.id,
  ) ?? notFound()

/** The limit for accounts without a paid plan. */
const maxUploadBytes = 10 * 1024 * 1024

const attach = (call: Call): unknown => {
  const { world, actor, params } = call
  const card = cardOf(call, 'write')
  const url = read.webAddress(params, 'url')
  const name = read.text(params, 'name', 256)
  const mimeType = read.text(params, 'mimeType', 256)
  const setCover = read.flag(params, 'setCover')
  const upload = params.uploads.get('file')
  if (!url && !upload) return invalidValue('url')
  if (url && upload) return invalidValue('file')
  if (upload && upload.content.length > maxUploadBytes) return refuse(413, 'FILE_TOO_LARGE')
  const attachment = upload
    ? putAttachment(world, actor, card, {
        name: name || upload.fileName,
        url: null,
        mimeType: mimeType ?? upload.mimeType,
        content: upload.content,
      })
    : putAttachment(world, actor, card, {
        name: name || (url as string),
        url: url as string,
        mimeType: mimeType ?? '',
        content: null,
      })
  if (setCover) changeCard(world, actor, card, { idAttachmentCover: attachment.id })
  return { ...renderAttachment(attachment), limits: {} }
}

/** An upload can be fetched only with credentials in a header, not in the query. */
const download = (call: Call): unknown => {
  if (call.presented.place !== 'header' && call.presented.place !== 'bearer') return unauthorized('')
  const attachment =
    cardOf(call).attachments.find((candidate) => candidate.id === call.path['idAttachment']) ?? notFound()
  if (!attachment.content) return notFound()
  return {
    raw: { status: 200, bytes: attachment.content, contentType: attachment.mimeType || 'application/octet-stream' },
  }
}

export const cardPartRoutes: Route[] = [
  route('POST /cards/:card/actions/comments', 'card', (call) => {
    const text = read.needText(call.params, 'text')
    return renderAction(call.world, addComment(call.world, call.actor, cardOf(call, 'write'), text))
  }),
  route('PUT /cards/:card/actions/:idAction/comments', 'card', (call) => {
    const text = read.needText(call.params, 'text')
    return renderAction(call.world, editComment(call.world, call.actor, commentOf(call, cardOf(call, 'write')), text))
  }),
  route('DELETE /cards/:card/actions/:idAction/comments', 'card', (call) => {
    deleteComment(call.world, call.actor, commentOf(call, cardOf(call, 'write')))
    return { _value: null }
  }),
  route('GET /cards/:card/attachments', 'card', (call) => {
    const card = cardOf(call)
    const covers = read.text(call.params, 'filter') === 'cover'
    return card.attachments
      .filter((attachment) => !covers || attachment.id === card.idAttachmentCover)
      .map((attachment) => pick(renderAttachment(attachment), read.words(call.params, 'fields')))
  }),
  route('POST /cards/:card/attachments', 'card', attach),
  route('GET /cards/:card/attachments/:idAttachment', 'card', (call) =>
    pick(
      renderAttachment(
        cardOf(call).attachments.find((attachment) => attachment.id === call.path['idAttachment']) ?? notFound(),
      ),
      read.words(call.params, 'fields'),
    ),
  ),
  route('GET /cards/:card/attachments/:idAttachment/download/:fileName', 'card', download),
  route('DELETE /cards/:card/attachments/:idAttachment', 'card', (call) => {
    dropAttachment(call.world, call.actor, cardOf(call, 'write'), call.path['idAttachment'] as string)
    return { limits: {} }
  }),
  route('POST /cards/:card/idLabels', 'card', (call) => {
    const card = cardOf(call, 'write')
    const label = findLabel(call.world, call.viewer, read.needId(call.params, 'value'))
    if (label.idBoard !== card.idBoard) invalidValue('value')
    addLabel(call.world, call.actor, card, label)
    return [...card.idLabels]
  }),
  route('DELETE /cards/:card/idLabels/:idLabel', 'card', (call) => {
    const card = cardOf(call, 'write')
    removeLabel(call.world, call.actor, card, findLabel(call.world, call.viewer, call.path['idLabel'] as string))
    return { _value: null }
  }),
  route('POST /cards/:card/labels', 'card', (call) => {
    const card = cardOf(call, 'write')
    const color = needColour(call.params)
    const label = createLabel(
      call.world,
      call.actor,
      boardOf(call.world, card),
      read.text(call.params, 'name') ?? '',
      color,
    )
    addLabel(call.world, call.actor, card, label)
    return renderLabel(call.world, label)
  }),
  route('POST /cards/:card/idMembers', 'card', (call) => {
    const card = cardOf(call, 'write')
    const [idMember] = membersOnBoard(call.world, card.idBoard, [read.needId(call.params, 'value')], 'value')
    changeMember(call.world, call.actor, card, idMember as string, true)
    return membersOf(call, card)
  }),
  route('DELETE /cards/:card/idMembers/:idMember', 'card', (call) => {
    const card = cardOf(call, 'write')
    changeMember(call.world, call.actor, card, call.path['idMember'] as string, false)
    return membersOf(call, card)
  }),
]
