/** The fictional account with which the sandbox starts. */
import { addBoardMember } from './board-members.ts'
import { createBoard, createLabel, createList, changeBoard } from './boards.ts'
import { addComment, putAttachment } from './card-parts.ts'
import { createCard, type CardInput } from './cards.ts'
import { createCustomField } from './custom-fields.ts'
import { createCheckItem, createChecklist } from './checklists.ts'
import { digest, hexDigest, isoDate, newId } from './ids.ts'
import type { Actor, App, Board, CustomField, Label, List, Member, Organization, Token, World } from './records.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** The credentials with which a client connects. They are made up and work in this sandbox only. */
export type Credentials = {
  key: string
  token: string
  /** The app's OAuth 1.0 secret, which signs token requests and every webhook delivery. */
  appSecret: string
  appId: string
  readOnlyToken: string
  /** A token with the scopes read, write and account: may mark notifications as read and sees the e-mail address. */
  accountToken: string
  /** The second member's token for the same app. */
  secondToken: string
  /** Another app's key and secret, and its token for the first member. */
  otherKey: string
  otherSecret: string
  otherToken: string
  oauth2: { clientId: string; clientSecret: string }
  member: { id: string; username: string; fullName: string }
  secondMember: { id: string; username: string; fullName: string }
}

const putMember = (world: World, username: string, fullName: string): Member => {
  const initials = fullName
    .split(' ')
    .map((word) => word[0])
    .join('')
  const member = {
    id: newId(world),
    username,
    fullName,
    initials,
    email: `${username}@mail.example`,
    bio: '',
    subscribedBoards: [],
  }
  world.state.members.set(member.id, member)
  return member
}
const putOrganization = (world: World, members: Member[]): Organization => {
  const memberships = members.map((member, index) => ({
    id: newId(world),
    idMember: member.id,
    memberType: index === 0 ? ('admin' as const) : ('normal' as const),
  }))
  const organization = {
    id: newId(world),
    name: 'harbourlightworks',
    displayName: 'Harbourlight Works',
    desc: 'A made-up company.',
    memberships,
  }
  world.state.organizations.set(organization.id, organization)
  return organization
}
const putApp = (world: World, name: string): App => {
  const key = hexDigest(`${name} key`, 32)
  const app = {
    id: newId(world),
    key,
    name,
    secret: hexDigest(`${name} secret`, 64),
    allowedOrigins: ['http://127.0.0.1:*', 'http://localhost:*'],
    oauth2: {
      clientId: digest(`${name} client`, 32),
      clientSecret: `ATOA${digest(`${name} client secret`, 60)}`,
      redirectUris: ['http://127.0.0.1:*', 'http://localhost:*'],
    },
  }
  world.state.apps.set(key, app)
  return app
}

export type TokenInput = {
  app: App
  member: Member
  name?: string
  read?: boolean
  write?: boolean
  account?: boolean
  expiresAt?: number | null
  kind?: Token['kind']
  scopes?: string[]
  grant?: string
  consentKey?: string
}
export const issueToken = (world: World, input: TokenInput): Token => {
  const id = newId(world)
  const token: Token = {
    id,
    value: `ATTA${hexDigest(`token ${input.name ?? id} ${input.app.key}`, 64)}${hexDigest(`tail ${id}`, 8).toUpperCase()}`,
    appKey: input.app.key,
    idMember: input.member.id,
    dateCreated: isoDate(world.now()),
    dateExpires: typeof input.expiresAt === 'number' ? isoDate(input.expiresAt) : null,
    kind: input.kind ?? 'token',
    read: input.read ?? true,
    write: input.write ?? true,
    account: input.account ?? false,
    scopes: input.scopes ?? [],
    grant: input.grant ?? null,
    consentKey: input.consentKey ?? null,
  }
  world.state.tokens.set(token.value, token)
  return token
}

type Stage = {
  world: World
  tick(minutes?: number): void
  /** A date the given number of days from today. */ inDays(days: number): string
  first: Actor
  second: Actor
}

const seedLaunch = (stage: Stage, board: Board): void => {
  const { world, tick, inDays, first, second } = stage
  const [ideas, doing, review, done] = ['Ideas', 'In progress', 'Review', 'Done'].map((name) =>
    createList(world, first, board, name, 'bottom'),
  ) as [List, List, List, List]
  const [urgent, copy, design] = [
    ['Urgent', 'red'],
    ['Copy', 'yellow'],
    ['Design', 'sky'],
  ].map(([name, colour]) => createLabel(world, first, board, name as string, colour as string)) as [Label, Label, Label]
  const put = (list: List, name: string, more: Partial<CardInput> = {}) => {
    tick(11)
    return createCard(world, first, list, { name, ...more })
  }
  put(ideas, 'Ask early users for quotes', { idLabels: [copy.id] })
  put(ideas, 'Short film about the workshop')
  put(ideas, 'Sticker sheet for the welcome parcel', { idLabels: [design.id] })
  const page = put(doing, 'Write the launch page', {
    desc: 'One page: what it does, who it is for, how to start.',
    due: inDays(3),
    idLabels: [copy.id, urgent.id],
    idMembers: [first.idMember],
  })
  put(doing, 'Price list for three sizes', { due: inDays(1), idMembers: [second.idMember] })
  const kit = put(review, 'Press kit', { desc: 'Logo, two photos, a paragraph about the company.' })
  put(done, 'Choose a launch day', { dueComplete: true, due: inDays(-2) })
  tick()
  const steps = createChecklist(world, first, page, 'Before publishing', 'bottom')
  createCheckItem(world, first, steps, { name: 'Headline agreed', checked: true })
  createCheckItem(world, first, steps, { name: 'Screenshots taken' })
  createCheckItem(world, first, steps, { name: 'Read aloud once' })
  tick()
  addComment(world, second, page, 'The headline is good. Can we lose the second paragraph?')
  putAttachment(world, second, kit, {
    name: 'Brand notes',
    url: 'https://files.harbourlight.example/brand-notes',
    mimeType: '',
    content: null,
  })
  const points = {
    id: newId(world),
    idModel: board.id,
    name: 'Points',
    type: 'number' as const,
    pos: 16384,
    options: [],
  }
  world.state.customFields.set(points.id, points)
}

const seedSupport = (stage: Stage, board: Board): void => {
  const { world, tick, first, second } = stage
  const [inbox, waiting, solved] = ['Inbox', 'Waiting', 'Solved'].map((name) =>
    createList(world, first, board, name, 'bottom'),
  ) as [List, List, List]
  const bug = createLabel(world, first, board, 'Bug', 'orange')
  createLabel(world, first, board, 'Question', 'green')
  for (const [list, name, by] of [
    [inbox, 'Parcel arrived without a lid', second],
    [inbox, 'How do I change my address?', second],
    [inbox, 'Login page blank on an old phone', first],
    [waiting, 'Refund for order 1042', first],
    [solved, 'Wrong colour sent', second],
  ] as [List, string, Actor][]) {
    tick(17)
    createCard(world, by, list, { name, idLabels: name.startsWith('Login') ? [bug.id] : [] })
  }
}

/** Created last: ids come from a counter, and the earlier seed data must keep its ids. */
const seedFields = (world: World): void => {
  const board = [...world.state.boards.values()].find(({ name }) => name === 'Launch plan')
  if (!board) return
  const put = (name: string, type: CustomField['type'], at: number, options: [string, string][] = []) =>
    createCustomField(world, board, {
      name,
      type,
      pos: at * 16384,
      options: options.map(([text, color]) => ({ text, color })),
    })
  put('Owner', 'text', 2)
  put('Print date', 'date', 3)
  put('Approved', 'checkbox', 4)
  put('Priority', 'list', 5, [
    ['High', 'red'],
    ['Normal', 'green'],
    ['Low', 'blue'],
  ])
}

/** A comment and an upload of the first member; only its author may change a comment. */
const seedParts = ({ world, tick, first }: Stage): void => {
  const card = [...world.state.cards.values()].find(({ name }) => name === 'Choose a launch day')
  if (!card) return
  tick()
  addComment(world, first, card, 'The hall is booked for the second Tuesday.')
  const content = Buffer.from('Harbour Hall, second Tuesday, 9:00 to 12:00.\n')
  putAttachment(world, first, card, { name: 'Booking.txt', url: null, mimeType: 'text/plain', content })
}

/** Members of the launch board may vote; both have voted on one card. */
const seedVotes = (world: World, voters: Member[]): void => {
  const board = [...world.state.boards.values()].find(({ name }) => name === 'Launch plan')
  const card = [...world.state.cards.values()].find(({ name }) => name === 'Press kit')
  if (!board || !card) return
  board.prefs['voting'] = 'members'
  card.idMembersVoted = voters.map(({ id }) => id)
}

/**
 * Ids contain their creation time, so a past that always begins on this day gives people and boards the same ids at
 * each start.
 */
const beginning = Date.UTC(2026, 0, 5, 8)

/** The account's past: its clock starts at least three days ago and is advanced by hand. */
const openPast = (world: World): Stage => {
  let at = Math.max(1000, Math.min(beginning, world.now() - 3 * day))
  const past: World = { ...world, now: () => at, listeners: [] }
  const inDays = (days: number): string => isoDate(Math.ceil((world.now() + days * day) / minute) * minute)
  return {
    world: past,
    tick: (minutes = 5) => void (at += minutes * minute),
    inDays,
    first: anonymous,
    second: anonymous,
  }
}
const anonymous: Actor = { idMember: '', app: null, clientIdentifier: null }

/** `demo`: three boards of one company. `empty`: only the people and the app. */
export const seedWorld = (world: World, seed: 'demo' | 'empty'): Credentials => {
  const stage = openPast(world)
  const past = stage.world
  const first = putMember(past, 'marlowfenwick', 'Marlow Fenwick')
  const second = putMember(past, 'odettequill', 'Odette Quill')
  const organization = putOrganization(past, [first, second])
  const app = putApp(past, 'Sandbox app')
  const other = putApp(past, 'Another app')
  const act: Stage = {
    ...stage,
    first: { ...anonymous, idMember: first.id },
    second: { ...anonymous, idMember: second.id },
  }
  if (seed === 'demo') {
    const open = (name: string): Board => {
      stage.tick()
      const board = createBoard(past, act.first, {
        name,
        idOrganization: organization.id,
        defaultLists: false,
        defaultLabels: false,
        prefs: { permissionLevel: 'org' },
      })
      addBoardMember(past, act.first, board, second.id, 'normal')
      return board
    }
    seedLaunch(act, open('Launch plan'))
    seedSupport(act, open('Support desk'))
    const old = open('Last year')
    createList(past, act.first, old, 'Everything', 'bottom')
    changeBoard(past, act.first, old, 'closed', true)
  }
  const token = (name: string, member: Member, more: Partial<TokenInput> = {}): string =>
    issueToken(past, { app, member, name, ...more }).value
  const shown = ({ id, username, fullName }: Member) => ({ id, username, fullName })
  const credentials = {
    key: app.key,
    appSecret: app.secret,
    appId: app.id,
    token: token('first', first),
    readOnlyToken: token('read only', first, { write: false }),
    accountToken: token('account', first, { account: true }),
    secondToken: token('second', second),
    otherKey: other.key,
    otherSecret: other.secret,
    otherToken: token('other', first, { app: other }),
    oauth2: { clientId: app.oauth2.clientId, clientSecret: app.oauth2.clientSecret },
    member: shown(first),
    secondMember: shown(second),
  }
  seedFields(past)
  if (seed === 'demo') {
    seedParts(act)
    seedVotes(past, [first, second])
  }
  return credentials
}
