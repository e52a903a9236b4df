/** Records in the form of the API's answers, and the selection by `fields`. */
import { publicMember } from './history.ts'
import type {
  App,
  Attachment,
  Board,
  Card,
  Checklist,
  CheckItem,
  CustomField,
  Label,
  List,
  Member,
  Membership,
  Notification,
  Organization,
  Token,
  Webhook,
  World,
} from './records.ts'

type Json = Record<string, unknown>

const colours = ['yellow', 'purple', 'blue', 'red', 'green', 'orange', 'black', 'sky', 'pink', 'lime']
export const labelColours = colours.flatMap((colour) => [colour, `${colour}_light`, `${colour}_dark`])

const nodeId = (kind: string, id: string): string => `ari:cloud:trello::${kind}/workspace/sandbox/${id}`
const slug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || '-'

export const shortUrlOfCard = (world: World, card: Card): string => `${world.origin}/c/${card.shortLink}`
export const urlOfCard = (world: World, card: Card): string =>
  `${shortUrlOfCard(world, card)}/${card.idShort}-${slug(card.name)}`
export const urlOfBoard = (world: World, board: Board): string =>
  `${world.origin}/b/${board.shortLink}/${slug(board.name)}`

export const renderLabel = (world: World, label: Label): Json => ({
  id: label.id,
  idBoard: label.idBoard,
  idOrganization: world.state.boards.get(label.idBoard)?.idOrganization ?? null,
  name: label.name,
  nodeId: nodeId('label', label.id),
  color: label.color,
  uses: [...world.state.cards.values()].filter((card) => card.idLabels.includes(label.id)).length,
})

export const renderList = (list: List): Json => ({
  id: list.id,
  name: list.name,
  closed: list.closed,
  color: null,
  idBoard: list.idBoard,
  pos: list.pos,
  subscribed: list.subscribed,
  softLimit: null,
  type: null,
  datasource: { filter: false },
})

export const renderAttachment = (attachment: Attachment): Json => ({
  id: attachment.id,
  bytes: attachment.bytes,
  date: attachment.date,
  edgeColor: null,
  idMember: attachment.idMember,
  isMalicious: false,
  isUpload: attachment.isUpload,
  mimeType: attachment.mimeType,
  name: attachment.name,
  previews: [],
  url: attachment.url,
  pos: attachment.pos,
  fileName: attachment.fileName,
  sourceView: null,
})

export const renderCheckItem = (item: CheckItem): Json => ({
  idChecklist: item.idChecklist,
  state: item.state,
  id: item.id,
  name: item.name,
  nameData: { emoji: {} },
  pos: item.pos,
  due: item.due,
  dueReminder: item.dueReminder,
  idMember: item.idMember,
})
export const renderChecklist = (checklist: Checklist): Json => ({
  id: checklist.id,
  name: checklist.name,
  idBoard: checklist.idBoard,
  idCard: checklist.idCard,
  pos: checklist.pos,
  checkItems: checklist.checkItems.map(renderCheckItem),
})
export const checklistsOf = (world: World, idCard: string): Checklist[] =>
  [...world.state.checklists.values()].filter((list) => list.idCard === idCard).sort((a, b) => a.pos - b.pos)

const badgesOf = (world: World, card: Card): Json => {
  const items = checklistsOf(world, card.id).flatMap((list) => list.checkItems)
  const dues = items.flatMap((item) => (item.due && item.state === 'incomplete' ? [item.due] : [])).sort()
  return {
    attachmentsByType: { trello: { board: 0, card: 0 } },
    externalSource: null,
    location: card.coordinates !== null,
    votes: card.idMembersVoted.length,
    viewingMemberVoted: false,
    subscribed: card.subscribed,
    attachments: card.attachments.length,
    checkItems: items.length,
    checkItemsChecked: items.filter((item) => item.state === 'complete').length,
    checkItemsEarliestDue: dues[0] ?? null,
    comments: card.comments,
    description: card.desc !== '',
    due: card.due,
    dueComplete: card.dueComplete,
    start: card.start,
    fogbugz: '',
    lastUpdatedByAi: false,
    maliciousAttachments: 0,
  }
}

/**
 * Only the requested fields are computed; otherwise a board with thousands of cards would cost one history scan per
 * card.
 */
const cardFields: Record<string, (world: World, card: Card) => unknown> = {
  id: (_, card) => card.id,
  badges: badgesOf,
  checkItemStates: (world, card) =>
    checklistsOf(world, card.id)
      .flatMap((list) => list.checkItems)
      .filter((item) => item.state === 'complete')
      .map((item) => ({ idCheckItem: item.id, state: item.state })),
  closed: (_, card) => card.closed,
  dueComplete: (_, card) => card.dueComplete,
  dateLastActivity: (_, card) => card.dateLastActivity,
  desc: (_, card) => card.desc,
  descData: () => ({ emoji: {} }),
  due: (_, card) => card.due,
  dueReminder: (_, card) => card.dueReminder,
  email: () => null,
  idBoard: (_, card) => card.idBoard,
  idChecklists: (world, card) => checklistsOf(world, card.id).map((list) => list.id),
  idList: (_, card) => card.idList,
  idMembers: (_, card) => [...card.idMembers],
  idMembersVoted: (_, card) => [...card.idMembersVoted],
  idShort: (_, card) => card.idShort,
  idAttachmentCover: (_, card) => card.idAttachmentCover,
  labels: (world, card) =>
    card.idLabels.flatMap((id) => world.state.labels.get(id) ?? []).map((label) => renderLabel(world, label)),
  idLabels: (_, card) => [...card.idLabels],
  manualCoverAttachment: () => false,
  name: (_, card) => card.name,
  nodeId: (_, card) => nodeId('card', card.id),
  pinned: () => false,
  pos: (_, card) => card.pos,
  shortLink: (_, card) => card.shortLink,
  shortUrl: shortUrlOfCard,
  start: (_, card) => card.start,
  subscribed: (_, card) => card.subscribed,
  url: urlOfCard,
  cover: (_, card) => card.cover,
  isTemplate: () => false,
  cardRole: (_, card) => card.cardRole,
  mirrorSourceId: () => null,
  agent: () => null,
  address: (_, card) => card.address,
  locationName: (_, card) => card.locationName,
  coordinates: (_, card) => card.coordinates,
}
const cardDefaults = Object.keys(cardFields).filter(
  (name) => !['address', 'locationName', 'coordinates'].includes(name),
)

export const renderCard = (world: World, card: Card, fields?: string[]): Json => {
  const names =
    !fields || fields.includes('all') ? (fields ? Object.keys(cardFields) : cardDefaults) : ['id', ...fields]
  return Object.fromEntries(
    names.flatMap((name) => {
      const read = cardFields[name]
      return read ? [[name, structuredClone(read(world, card))]] : []
    }),
  )
}
/** A write returns more fields than a read. */
export const renderWrittenCard = (world: World, card: Card): Json => ({
  ...renderCard(world, card),
  attachments: card.attachments.map(renderAttachment),
  stickers: [],
  limits: {},
})

const labelNames = (world: World, board: Board): Record<string, string> => {
  const names = Object.fromEntries(labelColours.map((colour) => [colour, '']))
  for (const label of world.state.labels.values()) {
    if (label.idBoard === board.id && label.color && !names[label.color]) names[label.color] = label.name
  }
  return names
}

export const renderMembership = (world: World, membership: Membership): Json => ({
  ...membership,
  unconfirmed: world.state.members.get(membership.idMember)?.unconfirmed ?? false,
  deactivated: false,
})

export const renderBoard = (world: World, board: Board): Json => ({
  id: board.id,
  nodeId: nodeId('board', board.id),
  name: board.name,
  desc: board.desc,
  descData: null,
  closed: board.closed,
  dateClosed: board.dateClosed,
  idOrganization: board.idOrganization,
  idEnterprise: null,
  idMemberCreator: board.idMemberCreator,
  pinned: false,
  starred: board.starred,
  url: urlOfBoard(world, board),
  shortUrl: `${world.origin}/b/${board.shortLink}`,
  shortLink: board.shortLink,
  prefs: structuredClone(board.prefs),
  labelNames: labelNames(world, board),
  limits: {
    cards: { openPerBoard: { status: 'ok', disableAt: 5000, warnAt: 4500 } },
    labels: { perBoard: { status: 'ok', disableAt: 1000, warnAt: 900 } },
  },
  memberships: board.memberships.map((membership) => renderMembership(world, membership)),
  dateLastActivity: board.dateLastActivity,
  dateLastView: board.dateLastActivity,
  subscribed: board.subscribed,
  powerUps: [],
  premiumFeatures: [],
  ixUpdate: '1',
  enterpriseOwned: false,
  templateGallery: null,
})
export const boardDefaults =
  'name,desc,descData,closed,idOrganization,idEnterprise,pinned,url,shortUrl,prefs,labelNames'.split(',')

const boardsOf = (world: World, member: Member): string[] =>
  [...world.state.boards.values()]
    .filter((board) => board.memberships.some((membership) => membership.idMember === member.id))
    .map((board) => board.id)

/** `own` adds fields that only the member may see; the e-mail address also requires the scope `account`. */
export const renderMember = (world: World, member: Member, view: { own: boolean; email: boolean }): Json => ({
  ...publicMember(member),
  aaId: null,
  bio: member.bio,
  bioData: { emoji: {} },
  confirmed: !member.unconfirmed,
  idEnterprise: null,
  memberType: 'normal',
  status: 'disconnected',
  url: `${world.origin}/u/${member.username}`,
  idBoards: view.own ? boardsOf(world, member) : [],
  idOrganizations: [...world.state.organizations.values()]
    .filter((organization) => organization.memberships.some((entry) => entry.idMember === member.id))
    .map((organization) => organization.id),
  ...(view.own
    ? {
        email: view.email ? member.email : null,
        loginTypes: ['password'],
        prefs: { locale: 'en-NZ', timezoneInfo: { timezoneCurrent: 'UTC' } },
      }
    : {}),
})

export const renderOrganization = (world: World, organization: Organization): Json => ({
  id: organization.id,
  name: organization.name,
  displayName: organization.displayName,
  desc: organization.desc,
  descData: null,
  url: `${world.origin}/w/${organization.name}`,
  website: null,
  logoHash: null,
  products: [],
  powerUps: [],
  teamType: null,
  prefs: { permissionLevel: 'private' },
  idBoards: [...world.state.boards.values()]
    .filter((board) => board.idOrganization === organization.id)
    .map((board) => board.id),
  memberships: organization.memberships.map((membership) => ({
    ...membership,
    unconfirmed: false,
    deactivated: false,
  })),
})

export const renderNotification = (world: World, notification: Notification): Json => {
  const creator = notification.idMemberCreator ? world.state.members.get(notification.idMemberCreator) : undefined
  return {
    id: notification.id,
    unread: notification.unread,
    type: notification.type,
    date: notification.date,
    dateRead: notification.dateRead,
    idAction: notification.idAction,
    idMemberCreator: notification.idMemberCreator,
    data: structuredClone(notification.data),
    appCreator: null,
    reactions: [],
    ...(creator ? { memberCreator: publicMember(creator) } : {}),
  }
}

export const renderCustomField = (field: CustomField): Json => ({
  id: field.id,
  idModel: field.idModel,
  modelType: 'board',
  fieldGroup: hexGroup(field.id),
  display: { cardFront: true },
  name: field.name,
  pos: field.pos,
  type: field.type,
  isSuggestedField: false,
  ...(field.type === 'list' ? { options: field.options } : {}),
})
const hexGroup = (id: string): string => id.padEnd(64, '0')

export const renderWebhook = ({ token: _, ...shown }: Webhook): Json => ({ ...shown })

export const renderToken = (token: Token, app: App | undefined): Json => {
  const models: [string, string][] = [
    ['Board', token.kind === 'oauth2' ? 'board' : ''],
    ['Member', 'member'],
    ['Organization', 'organization'],
  ]
  const permissions = models.map(([modelType, scope]) => ({
    idModel: modelType === 'Member' ? token.idMember : '*',
    modelType,
    read: token.kind === 'oauth2' ? token.scopes.includes(`read:${scope}:trello`) : token.read,
    write:
      token.kind === 'oauth2'
        ? token.scopes.includes(`write:${scope}:trello`)
        : token.write && (modelType !== 'Member' || token.account),
  }))
  return {
    id: token.id,
    identifier: app?.name ?? '',
    idMember: token.idMember,
    dateCreated: token.dateCreated,
    dateExpires: token.dateExpires,
    permissions,
    appKey: token.appKey,
  }
}

/** Keeps the selected fields; `id` always stays. Without a selection, the route's default or all fields stay. */
export const pick = (record: Json, fields: string[] | undefined, defaults?: string[]): Json => {
  const names = fields ?? defaults
  if (!names || names.includes('all')) return record
  return Object.fromEntries(Object.entries(record).filter(([name]) => name === 'id' || names.includes(name)))
}
