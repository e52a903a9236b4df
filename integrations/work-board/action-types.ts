/**
 * The kinds of actions: something is created, changed or deleted; everything else (people, moves between boards,
 * add-ons, votes) is `other`.
 */
export const kinds = ['create', 'update', 'delete', 'other'] as const
export type Kind = (typeof kinds)[number]

type ActionType = {
  /** null: never counts by its kind, because another action of the same change counts instead. */
  kind: Kind | null
  /** Whether the action can happen on a board; the others concern workspaces, members and enterprises. */
  onBoard: boolean
  /** Whether lists of actions include it; the others are delivered by webhook only. */
  listed: boolean
}

const type = (kind: Kind | null, options: { onBoard?: boolean; listed?: boolean } = {}): ActionType => ({
  kind,
  onBoard: true,
  listed: true,
  ...options,
})
const hookOnly = { listed: false }
const elsewhere = { onBoard: false }

/**
 * All known action types, from the vendor's list and from recordings. The list is open: types that the vendor adds are
 * passed on unchanged.
 *
 * Adding a label to a card (or removing it) produces two actions: addLabelToCard, then updateCard with the labels
 * before and after. The second counts, because lists of actions include it too, so that it is also found after downtime
 * and by polling. The first counts only where a subscription selects it by name.
 */
export const actionTypes: { [name: string]: ActionType } = {
  createCard: type('create'),
  copyCard: type('create'),
  emailCard: type('create'),
  convertToCardFromCheckItem: type('create'),
  updateCard: type('update'),
  deleteCard: type('delete'),
  moveCardToBoard: type('other'),
  moveCardFromBoard: type('other'),
  commentCard: type('create'),
  copyCommentCard: type('create'),
  updateComment: type('update', hookOnly),
  deleteComment: type('delete', hookOnly),
  addMemberToCard: type('other'),
  removeMemberFromCard: type('other'),
  addLabelToCard: type(null, hookOnly),
  removeLabelFromCard: type(null, hookOnly),
  createLabel: type('create', hookOnly),
  updateLabel: type('update', hookOnly),
  deleteLabel: type('delete', hookOnly),
  addAttachmentToCard: type('create'),
  deleteAttachmentFromCard: type('delete'),
  addChecklistToCard: type('create'),
  copyChecklist: type('create', hookOnly),
  updateChecklist: type('update'),
  removeChecklistFromCard: type('delete'),
  createCheckItem: type('create', hookOnly),
  updateCheckItem: type('update', hookOnly),
  updateCheckItemStateOnCard: type('update'),
  deleteCheckItem: type('delete', hookOnly),
  addCustomField: type('create', hookOnly),
  updateCustomField: type('update', hookOnly),
  updateCustomFieldItem: type('update', hookOnly),
  deleteCustomField: type('delete', hookOnly),
  voteOnCard: type('other', hookOnly),
  createList: type('create'),
  updateList: type('update'),
  moveListToBoard: type('other'),
  moveListFromBoard: type('other'),
  createBoard: type('create'),
  copyBoard: type('create'),
  updateBoard: type('update'),
  addToOrganizationBoard: type('other'),
  removeFromOrganizationBoard: type('other'),
  addMemberToBoard: type('other'),
  removeMemberFromBoard: type('other', hookOnly),
  makeAdminOfBoard: type('other'),
  makeNormalMemberOfBoard: type('other'),
  makeObserverOfBoard: type('other'),
  createBoardInvitation: type('create', hookOnly),
  deleteBoardInvitation: type('delete'),
  unconfirmedBoardInvitation: type('other'),
  createBoardPreference: type('create', hookOnly),
  enablePlugin: type('other'),
  disablePlugin: type('other'),
  enablePowerUp: type('other'),
  disablePowerUp: type('other'),
  createOrganization: type('create', elsewhere),
  updateOrganization: type('update', elsewhere),
  addMemberToOrganization: type('other', elsewhere),
  removeMemberFromOrganization: type('other', { ...elsewhere, ...hookOnly }),
  makeAdminOfOrganization: type('other', { ...elsewhere, ...hookOnly }),
  makeNormalMemberOfOrganization: type('other', elsewhere),
  createOrganizationInvitation: type('create', { ...elsewhere, ...hookOnly }),
  deleteOrganizationInvitation: type('delete', elsewhere),
  unconfirmedOrganizationInvitation: type('other', elsewhere),
  updateMember: type('update', elsewhere),
  memberJoinedTrello: type('other', elsewhere),
  acceptEnterpriseJoinRequest: type('other', elsewhere),
  addOrganizationToEnterprise: type('other', elsewhere),
  removeOrganizationFromEnterprise: type('other', elsewhere),
  addToEnterprisePluginWhitelist: type('other', elsewhere),
  removeFromEnterprisePluginWhitelist: type('other', elsewhere),
  enableEnterprisePluginWhitelist: type('other', elsewhere),
  disableEnterprisePluginWhitelist: type('other', elsewhere),
}

const findActionType = (name: string): ActionType | undefined =>
  Object.hasOwn(actionTypes, name) ? actionTypes[name] : undefined

/** The kind of an action type; an unknown type is classified by its first word. */
export const kindOf = (name: string): Kind | null => {
  const actionType = findActionType(name)
  if (actionType) return actionType.kind
  const verb = /^[a-z]+/.exec(name)?.[0] ?? ''
  if (verb === 'create' || verb === 'copy') return 'create'
  return verb === 'update' || verb === 'delete' ? verb : 'other'
}

/** Types that are delivered by webhook only, so that neither recovery nor polling finds them. */
export const webhookOnly = Object.keys(actionTypes).filter((name) => !findActionType(name)!.listed)

/** The given types that only webhooks deliver. */
export const onlyByWebhook = (names: string[]) => names.filter((name) => findActionType(name)?.listed === false)
