import { ids, idOf } from './fake.ts'

/**
 * Each further type of action with the data the board sends, and which triggers it starts when all watch the board
 * without filters: written from what the documents say each trigger is for. Types told of workspaces, members and
 * enterprises carry no board and start nothing on one.
 */
export const board = { id: ids.board, name: 'Launch plan', shortLink: 'Tb5Hn3Qa' }
export const otherBoard = { id: ids.otherBoard, name: 'Support desk' }
export const card = { id: ids.card, name: 'Press kit', idShort: 4, shortLink: 'mN4tR8wL' }
export const list = { id: ids.list, name: 'Doing' }
export const otherList = { id: ids.otherList, name: 'Done' }
export const organization = { id: idOf(71), name: 'Harbourlight Works' }
const source = { id: ids.otherCard, name: 'Old kit', idShort: 1, shortLink: 'aB3dE5fG' }
const checklist = { id: ids.checklist, name: 'Before publishing' }
const checkItem = { id: idOf(32), name: 'Proofread', state: 'incomplete' }
const label = { id: ids.label, name: 'Copy', color: 'yellow' }
const member = { id: ids.member, name: 'Mara Quill' }
const customField = { id: idOf(81), name: 'Effort', type: 'number' }

export type ActionRow = { type: string; of?: string; data: Record<string, unknown>; starts: string[] }

const any = ['custom-webhook-events', 'new-board-activity']
const updated = ['card-updated', ...any]
const onBoard = (data: Record<string, unknown>) => ({ board, ...data })
const row = (type: string, data: Record<string, unknown>, starts: string[], of?: string): ActionRow => ({
  type,
  data: onBoard(data),
  starts,
  ...(of === undefined ? {} : { of }),
})
const elsewhere = (type: string, data: Record<string, unknown> = {}): ActionRow => ({ type, data, starts: [] })
const changed = (property: string, before: unknown, after: unknown) =>
  row('updateCard', { card: { ...card, [property]: after }, old: { [property]: before }, list }, updated, property)

export const actionTable: ActionRow[] = [
  row('createCard', { card, list }, ['new-card', ...any]),
  row('emailCard', { card, list }, ['new-card', ...any]),
  row('copyCard', { card, list, cardSource: source }, ['new-card', ...any]),
  row('convertToCardFromCheckItem', { card, list, cardSource: source, checklist }, ['new-card', ...any]),
  row('moveCardToBoard', { card, list, boardSource: otherBoard }, ['card-moved', 'new-card', ...updated]),
  row(
    'moveCardFromBoard',
    { card: { id: card.id, name: card.name, idShort: 4 }, list, boardTarget: otherBoard, member },
    ['card-moved', ...updated],
  ),
  row('deleteCard', { card: { id: card.id, idShort: 4, shortLink: 'mN4tR8wL' }, list }, ['card-deleted', ...any]),
  row(
    'updateCard',
    { card: { ...card, idList: otherList.id }, old: { idList: list.id }, listBefore: list, listAfter: otherList },
    ['card-moved', ...updated],
    'another list',
  ),
  row(
    'updateCard',
    { card: { ...card, idList: otherList.id }, old: { idList: list.id } },
    ['card-moved', ...updated],
    'another list, without the lists themselves',
  ),
  row(
    'updateCard',
    { card: { ...card, closed: true }, old: { closed: false }, list },
    ['card-archived', ...updated],
    'archived',
  ),
  row(
    'updateCard',
    { card: { ...card, closed: false }, old: { closed: true }, list },
    ['card-unarchived', ...updated],
    'restored',
  ),
  changed('name', 'Kit', 'Press kit'),
  changed('desc', '', 'All of it'),
  row(
    'updateCard',
    { card: { ...card, due: '2026-03-04T05:00:00.000Z' }, old: { due: null }, list },
    ['card-due-date-changed', ...updated],
    'a due date',
  ),
  row(
    'updateCard',
    { card: { ...card, due: null }, old: { due: '2026-03-04T05:00:00.000Z' }, list },
    ['card-due-date-changed', ...updated],
    'no due date',
  ),
  changed('dueComplete', false, true),
  changed('dueReminder', -1, 1440),
  changed('start', null, '2026-03-01T05:00:00.000Z'),
  changed('pos', 65_535, 131_071),
  changed('idLabels', [], [label.id]),
  changed('idAttachmentCover', null, ids.attachment),
  changed('cover', { color: null }, { color: 'lime' }),
  changed('address', null, '1 Quay Street'),
  changed('locationName', null, 'Quay'),
  changed('coordinates', null, { latitude: -36.8, longitude: 174.7 }),
  row('commentCard', { card, list, text: 'Hello', idCard: card.id, idAuthor: member.id }, [
    'new-comment-added-to-card',
    ...any,
  ]),
  row(
    'commentCard',
    { card, list, text: 'Hello @tamsinreed', idCard: card.id },
    ['mentioned-in-a-comment', 'new-comment-added-to-card', ...any],
    'a mention',
  ),
  row('copyCommentCard', { card, list, text: 'Hello' }, any),
  row('updateComment', { card, action: { id: idOf(91), text: 'B' }, old: { text: 'A' } }, ['comment-edited', ...any]),
  row('deleteComment', { card, action: { id: idOf(91) } }, any),
  row('addMemberToCard', { card, idMember: member.id, member }, ['new-member-on-card', ...updated]),
  row('removeMemberFromCard', { card, idMember: member.id, member, deactivated: false }, [
    'member-removed-from-card',
    ...updated,
  ]),
  row('addLabelToCard', { card, label, text: 'Copy', value: 'yellow' }, ['new-label-added-to-card']),
  row(
    'addLabelToCard',
    { card, label: { id: label.id, name: 'Plain' }, text: 'Plain' },
    ['new-label-added-to-card'],
    'without a colour',
  ),
  row('removeLabelFromCard', { card, label, text: 'Copy', value: 'yellow' }, ['label-removed-from-card']),
  row('createLabel', { label }, ['new-label-created', ...any]),
  row('createLabel', { label: { id: label.id, name: 'Plain' } }, ['new-label-created', ...any], 'without a colour'),
  row('updateLabel', { label, old: { name: 'Text' } }, any),
  row('deleteLabel', { label: { id: label.id } }, any),
  row(
    'addAttachmentToCard',
    { card, list, attachment: { id: ids.attachment, name: 'Notes', url: 'https://notes.example/1' } },
    ['new-attachment', ...updated],
    'a link',
  ),
  row('deleteAttachmentFromCard', { card, attachment: { id: ids.attachment, name: 'Notes' } }, updated),
  row('addChecklistToCard', { card, checklist }, ['new-checklist', ...updated]),
  row('removeChecklistFromCard', { card, checklist }, updated),
  row('updateChecklist', { card, checklist, old: { name: 'Before' } }, updated),
  row('copyChecklist', { card, checklist, checklistSource: { id: idOf(33), name: 'Old' } }, any),
  row('createCheckItem', { card, checklist, checkItem }, updated),
  row('updateCheckItem', { card, checklist, checkItem, old: { name: 'Read' } }, updated),
  row('deleteCheckItem', { card, checklist, checkItem }, updated),
  row(
    'updateCheckItemStateOnCard',
    { card, checklist, checkItem: { ...checkItem, state: 'complete', textData: { emoji: {} } } },
    ['checklist-completed', 'checklist-item-completed', ...updated],
    'ticked off',
  ),
  row('updateCheckItemStateOnCard', { card, checklist, checkItem }, updated, 'open again'),
  row(
    'updateCustomFieldItem',
    { card, customField, customFieldItem: { id: idOf(82), value: { number: '3' } }, old: { value: null } },
    ['custom-field-changed', ...updated],
  ),
  row('addCustomField', { customField }, any),
  row('updateCustomField', { customField, old: { name: 'Work' } }, any),
  row('deleteCustomField', { customField }, any),
  row('voteOnCard', { card, voted: true }, any),
  row('createList', { list }, ['new-list', ...any]),
  row('updateList', { list: { ...list, name: 'Now' }, old: { name: 'Doing' } }, ['list-updated', ...any]),
  row(
    'updateList',
    { list: { ...list, closed: true }, old: { closed: false } },
    ['list-updated', ...any],
    'archived with all its cards on it',
  ),
  row('moveListToBoard', { list, boardSource: otherBoard }, ['new-list', ...any]),
  row('moveListFromBoard', { list, boardTarget: otherBoard, member }, any),
  row('createBoard', { creationMethod: null }, any),
  row('copyBoard', { boardSource: { id: otherBoard.id } }, any),
  row('updateBoard', { board: { ...board, name: 'Launch' }, old: { name: 'Launch plan' } }, any),
  row('updateBoard', { board: { ...board, closed: true }, old: { closed: false } }, ['board-closed', ...any], 'closed'),
  row('updateBoard', { board: { ...board, closed: false }, old: { closed: true } }, any, 'opened again'),
  row('updateBoard', { old: {} }, any, 'with nothing old'),
  row('addToOrganizationBoard', { organization }, any),
  row('removeFromOrganizationBoard', { organization }, any),
  row('addMemberToBoard', { idMemberAdded: member.id, memberType: 'normal' }, any),
  row('removeMemberFromBoard', { idMember: member.id, deactivated: false }, any),
  ...['makeAdminOfBoard', 'makeNormalMemberOfBoard', 'makeObserverOfBoard'].map((type) =>
    row(type, { idMember: member.id }, any),
  ),
  ...['createBoardInvitation', 'deleteBoardInvitation', 'unconfirmedBoardInvitation', 'createBoardPreference'].map(
    (type) => row(type, {}, any),
  ),
  ...['enablePlugin', 'disablePlugin'].map((type) => row(type, { plugin: { id: idOf(83), name: 'Calendar' } }, any)),
  ...['enablePowerUp', 'disablePowerUp'].map((type) => row(type, { value: 'calendar' }, any)),
  ...[
    'createOrganization',
    'updateOrganization',
    'addMemberToOrganization',
    'removeMemberFromOrganization',
    'makeAdminOfOrganization',
    'makeNormalMemberOfOrganization',
  ].map((type) => elsewhere(type, { organization })),
  ...['createOrganizationInvitation', 'deleteOrganizationInvitation', 'unconfirmedOrganizationInvitation'].map((type) =>
    elsewhere(type, { organization }),
  ),
  ...[
    'updateMember',
    'memberJoinedTrello',
    'acceptEnterpriseJoinRequest',
    'addOrganizationToEnterprise',
    'removeOrganizationFromEnterprise',
  ].map((type) => elsewhere(type)),
  ...[
    'addToEnterprisePluginWhitelist',
    'removeFromEnterprisePluginWhitelist',
    'enableEnterprisePluginWhitelist',
    'disableEnterprisePluginWhitelist',
  ].map((type) => elsewhere(type)),
]

/**
 * What the vendor says no list of actions holds; deleteAttachmentFromCard is named there too, but recordings of lists
 * hold it.
 */
export const toldByWebhookOnly = [
  'addLabelToCard',
  'copyChecklist',
  'createBoardInvitation',
  'createBoardPreference',
  'createCheckItem',
  'createLabel',
  'createOrganizationInvitation',
  'deleteCheckItem',
  'deleteComment',
  'deleteLabel',
  'makeAdminOfOrganization',
  'removeLabelFromCard',
  'removeMemberFromBoard',
  'removeMemberFromOrganization',
  'updateCheckItem',
  'updateComment',
  'updateLabel',
  'voteOnCard',
  'addCustomField',
  'updateCustomField',
  'deleteCustomField',
  'updateCustomFieldItem',
]

let counter = 0
/** A delivery of a row, as a board's hook brings it. */
export const deliveryOf = (type: string, data: Record<string, unknown>, more: Record<string, unknown> = {}) => {
  counter += 1
  return {
    action: {
      id: `698c3001${counter.toString(16).padStart(16, '0')}`,
      idMemberCreator: idOf(52),
      data,
      appCreator: null,
      type,
      date: '2026-02-11T07:30:09.000Z',
      memberCreator: { id: idOf(52), fullName: 'Odette Quill', username: 'odettequill' },
    },
    model: { id: ids.board, name: 'Launch plan', prefs: {}, labelNames: {} },
    ...more,
  }
}
