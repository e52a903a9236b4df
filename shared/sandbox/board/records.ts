/** The sandbox's stored records. The shapes that the API returns are in render.ts. */

import type { Schedule } from '../outgoing.ts'

export type Clock = () => number

export type Member = {
  id: string
  username: string
  fullName: string
  initials: string
  email: string
  bio: string
  subscribedBoards: string[]
  /** Invited by e-mail, and without an account so far. */
  unconfirmed?: true
}
export type Membership = { id: string; idMember: string; memberType: 'admin' | 'normal' | 'observer' }
export type Organization = { id: string; name: string; displayName: string; desc: string; memberships: Membership[] }
export type Board = {
  id: string
  name: string
  desc: string
  closed: boolean
  dateClosed: string | null
  idOrganization: string | null
  idMemberCreator: string
  shortLink: string
  memberships: Membership[]
  prefs: Record<string, unknown>
  dateLastActivity: string | null
  nextIdShort: number
  subscribed: boolean
  starred: boolean
}
export type List = { id: string; name: string; closed: boolean; idBoard: string; pos: number; subscribed: boolean }
export type Label = { id: string; idBoard: string; name: string; color: string | null }
export type Attachment = {
  id: string
  name: string
  url: string
  bytes: number | null
  date: string
  idMember: string
  isUpload: boolean
  mimeType: string
  fileName: string
  pos: number
  content: Uint8Array | null
}
export type Card = {
  id: string
  name: string
  desc: string
  closed: boolean
  idBoard: string
  idList: string
  idShort: number
  shortLink: string
  pos: number
  due: string | null
  start: string | null
  dueComplete: boolean
  dueReminder: number | null
  dateLastActivity: string
  idMembers: string[]
  idMembersVoted: string[]
  idLabels: string[]
  attachments: Attachment[]
  idAttachmentCover: string | null
  cover: Record<string, unknown>
  subscribed: boolean
  cardRole: string | null
  address: string | null
  locationName: string | null
  coordinates: string | null
  customFieldItems: CustomFieldItem[]
  comments: number
}
export type CheckItem = {
  id: string
  name: string
  pos: number
  state: 'complete' | 'incomplete'
  due: string | null
  dueReminder: number | null
  idMember: string | null
  idChecklist: string
}
export type Checklist = {
  id: string
  name: string
  idBoard: string
  idCard: string
  pos: number
  checkItems: CheckItem[]
}
export type CustomField = {
  id: string
  idModel: string
  name: string
  type: 'text' | 'number' | 'date' | 'checkbox' | 'list'
  pos: number
  options: { id: string; idCustomField: string; value: { text: string }; color: string; pos: number }[]
}
export type CustomFieldItem = {
  id: string
  idCustomField: string
  idModel: string
  modelType: 'card'
  value: Record<string, string> | null
  idValue: string | null
}

/** One entry of the history. `refs` says where the action happened; reads and webhooks select by it. */
export type Action = {
  id: string
  type: string
  date: string
  idMemberCreator: string
  data: Record<string, unknown>
  appId: string | null
  idMember: string | null
  refs: ActionRefs
  reactions?: Reaction[]
}
export type Reaction = { id: string; idMember: string; shortName: string }
export type ActionRefs = {
  idOrganization?: string | null
  idBoard?: string
  idCard?: string
  idLists?: string[]
  /** True for actions about the workspace itself (boards and members joining or leaving it). */
  workspace?: boolean
}

export type Notification = {
  id: string
  idMember: string
  unread: boolean
  type: string
  date: string
  dateRead: string | null
  idAction: string | null
  idMemberCreator: string | null
  data: Record<string, unknown>
}

/** An app registered at the provider: a key, the OAuth 1.0 secret that also signs webhooks, and an OAuth 2.0 client. */
export type App = {
  id: string
  key: string
  name: string
  secret: string
  allowedOrigins: string[]
  oauth2: { clientId: string; clientSecret: string; redirectUris: string[] }
}
export type Token = {
  id: string
  value: string
  appKey: string
  idMember: string
  dateCreated: string
  dateExpires: string | null
  kind: 'token' | 'oauth1' | 'oauth2'
  read: boolean
  write: boolean
  account: boolean
  /** OAuth 2.0 only: the fine-grained scopes, for example `write:board:trello`. */
  scopes: string[]
  /** Id of the OAuth 2.0 grant that the token belongs to. */
  grant: string | null
  /**
   * The parameters of the authorize page: when the same are requested again with `never`, the same token is returned.
   */
  consentKey: string | null
}

export type Expiration = '1hour' | '1day' | '30days' | 'never'
/**
 * A pending question to a person on a page. The parameters are stored here; the form contains only the id and the
 * decision.
 */
export type Consent = { id: string; appKey: string; name: string } & (
  | { kind: 'token'; scope: string[]; expiration: Expiration; returnUrl: string | null }
  | { kind: 'oauth1'; requestToken: string; scope: string[]; expiration: Expiration }
  | { kind: 'oauth2'; scope: string[]; redirectUri: string; state: string | null; challenge: string }
)
export type RequestToken = {
  token: string
  secret: string
  appKey: string
  callback: string
  allowed: { idMember: string; verifier: string; scope: string[]; expiration: Expiration } | null
}
export type Code = {
  code: string
  appKey: string
  idMember: string
  scope: string[]
  redirectUri: string
  challenge: string
  at: number
  usedFor: string | null
}
/** A permission given with OAuth 2.0. Each use replaces its refresh token; used ones are no longer valid. */
export type Grant = {
  id: string
  appKey: string
  idMember: string
  scope: string[]
  refresh: string | null
  usedAt: number
}

export type Webhook = {
  id: string
  description: string
  idModel: string
  callbackURL: string
  active: boolean
  consecutiveFailures: number
  firstConsecutiveFailDate: string | null
  token: string
}

export type State = {
  counter: number
  members: Map<string, Member>
  organizations: Map<string, Organization>
  boards: Map<string, Board>
  lists: Map<string, List>
  cards: Map<string, Card>
  labels: Map<string, Label>
  checklists: Map<string, Checklist>
  customFields: Map<string, CustomField>
  actions: Action[]
  notifications: Notification[]
  apps: Map<string, App>
  tokens: Map<string, Token>
  webhooks: Map<string, Webhook>
  consents: Map<string, Consent>
  requestTokens: Map<string, RequestToken>
  /** Nonces already seen, with the time of their request. */
  nonces: Map<string, number>
  codes: Map<string, Code>
  grants: Map<string, Grant>
}

/** The actor of a change. `app` is null when a person works in the web pages. */
export type Actor = { idMember: string; app: App | null; clientIdentifier: string | null }

export type ActionListener = (action: Action, actor: Actor) => void

export type World = {
  origin: string
  now: Clock
  schedule: Schedule
  timeScale: number
  state: State
  listeners: ActionListener[]
  settings: {
    /** Whether `since` includes the item it names, as reported of the live service. */
    sinceInclusive: boolean
    /** By how many milliseconds a date without a zone is misread. */
    zonelessShiftMs: number
    /** How long a new card is missing from search results, in milliseconds. */
    searchLagMs: number
    /** OAuth 1.0a: how far a request's timestamp may differ from the clock, in milliseconds. */
    timestampToleranceMs: number
    /**
     * OAuth 2.0, in milliseconds: lifetimes of codes and of access tokens, and how long an unused refresh token stays
     * valid.
     */
    codeMs: number
    accessTokenMs: number
    refreshIdleMs: number
  }
}

export const emptyState = (): State => ({
  counter: 0,
  members: new Map(),
  organizations: new Map(),
  boards: new Map(),
  lists: new Map(),
  cards: new Map(),
  labels: new Map(),
  checklists: new Map(),
  customFields: new Map(),
  actions: [],
  notifications: [],
  apps: new Map(),
  tokens: new Map(),
  webhooks: new Map(),
  consents: new Map(),
  requestTokens: new Map(),
  nonces: new Map(),
  codes: new Map(),
  grants: new Map(),
})
