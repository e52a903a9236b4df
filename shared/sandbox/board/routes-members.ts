import { canSee, findMember, findOrganization } from './access.ts'
import { listsOf } from './boards.ts'
import { isoDate } from './ids.ts'
import { pageOf } from './paging.ts'
import * as read from './params.ts'
import type { Board, Member, Notification, Token } from './records.ts'
import {
  pick,
  renderBoard,
  renderCard,
  renderList,
  renderMember,
  renderNotification,
  renderOrganization,
  renderToken,
} from './render.ts'
import { publicMember } from './history.ts'
import { invalidValue, notFound, refuse } from './refusals.ts'
import { actionsFor, actionOptions } from './routes-actions.ts'
import { route, type Call, type Route } from './routes.ts'

const memberOf = (call: Call): Member => findMember(call.world, call.viewer, call.path['member'] as string)
const showMember = (call: Call, member: Member): Record<string, unknown> =>
  renderMember(call.world, member, { own: member.id === call.viewer, email: call.identity?.token.account ?? false })

const isIn = (board: Board, member: Member): boolean =>
  board.memberships.some((membership) => membership.idMember === member.id)
const boardFilters: Record<string, (board: Board) => boolean> = {
  all: () => true,
  members: () => true,
  open: (board) => !board.closed,
  closed: (board) => board.closed,
  starred: (board) => board.starred,
  organization: (board) => board.prefs['permissionLevel'] === 'org',
  public: (board) => board.prefs['permissionLevel'] === 'public',
}
const boardsOf = (call: Call, boards: Board[]): unknown[] => {
  const { params, world } = call
  const filters = read.words(params, 'filter') ?? ['all']
  const keep = filters.map((word) => boardFilters[word] ?? invalidValue('filter'))
  const lists = read.text(params, 'lists')
  const withOrganization = read.flag(params, 'organization')
  const fields = read.words(params, 'fields')
  return boards
    .filter((board) => keep.some((isKept) => isKept(board)) && canSee(world, board, call.viewer))
    .map((board) => {
      const organization = world.state.organizations.get(board.idOrganization ?? '')
      return {
        ...pick(renderBoard(world, board), fields),
        ...(lists && lists !== 'none'
          ? {
              lists: listsOf(world, board.id)
                .filter((list) => lists === 'all' || list.closed === (lists === 'closed'))
                .map(renderList),
            }
          : {}),
        ...(withOrganization && organization ? { organization: renderOrganization(world, organization) } : {}),
      }
    })
}

export const memberRoutes: Route[] = [
  route(
    'GET /members/:member',
    'member',
    (call) => {
      const member = memberOf(call)
      const boards = read.text(call.params, 'boards')
      const nested =
        boards && boards !== 'none'
          ? {
              boards: boardsOf(
                { ...call, params: { ...read.emptyParams() } },
                [...call.world.state.boards.values()].filter((board) => isIn(board, member)),
              ),
            }
          : {}
      return { ...pick(showMember(call, member), read.words(call.params, 'fields')), ...nested }
    },
    {
      scope: 'member',
      knows:
        'actions boards boardBackgrounds cards notifications organizations organization_fields board_fields tokens',
    },
  ),
  route('GET /members/:member/boards', 'member', (call) => {
    const member = memberOf(call)
    return boardsOf(
      call,
      [...call.world.state.boards.values()].filter((board) => isIn(board, member)),
    )
  }),
  route(
    'GET /members/:member/cards',
    'member',
    (call) => {
      const member = memberOf(call)
      const cards = [...call.world.state.cards.values()].filter(
        (card) => card.idMembers.includes(member.id) && !card.closed,
      )
      return cards.map((card) => renderCard(call.world, card, read.words(call.params, 'fields')))
    },
    { knows: 'filter' },
  ),
  route(
    'GET /members/:member/organizations',
    'member',
    (call) => {
      const member = memberOf(call)
      return [...call.world.state.organizations.values()]
        .filter((organization) => organization.memberships.some((entry) => entry.idMember === member.id))
        .map((organization) => pick(renderOrganization(call.world, organization), read.words(call.params, 'fields')))
    },
    { scope: 'organization', knows: 'filter paid_account' },
  ),
  route(
    'GET /members/:member/actions',
    'member',
    (call) => {
      const member = memberOf(call)
      return actionsFor(
        call,
        (action) => action.idMemberCreator === member.id,
        read.words(call.params, 'filter') ?? ['all'],
        50,
      )
    },
    { scope: 'member', knows: actionOptions },
  ),
  route(
    'GET /members/:member/notifications',
    'member',
    (call) => {
      const member = memberOf(call)
      if (member.id !== call.viewer) refuse(401, 'unauthorized member permission requested')
      const types = read.words(call.params, 'filter') ?? ['all']
      const state = read.oneOf(call.params, 'read_filter', ['all', 'read', 'unread'] as const) ?? 'all'
      const mine = call.world.state.notifications.filter(
        (notification) =>
          notification.idMember === member.id &&
          (types.includes('all') || types.includes(notification.type)) &&
          (state === 'all' || notification.unread === (state === 'unread')),
      )
      const page = pageOf(mine, call.params, {
        limit: 50,
        page: true,
        maxPage: 100,
        idsOnly: true,
        sinceInclusive: call.world.settings.sinceInclusive,
      })
      const creator = read.flag(call.params, 'memberCreator') ?? true
      return page.map((notification) => {
        const { memberCreator, ...shown } = renderNotification(call.world, notification)
        return {
          ...pick(shown, read.words(call.params, 'fields')),
          ...(creator && memberCreator ? { memberCreator } : {}),
        }
      })
    },
    { scope: 'member', knows: 'display entities memberCreator_fields' },
  ),
]

const notificationOf = (call: Call): Notification =>
  call.world.state.notifications.find(
    (notification) => notification.id === call.path['idNotification'] && notification.idMember === call.viewer,
  ) ?? notFound()
const markRead = (call: Call, notification: Notification, unread: boolean): void => {
  notification.unread = unread
  notification.dateRead = unread ? null : isoDate(call.world.now())
}

export const notificationRoutes: Route[] = [
  route(
    'GET /notifications/:idNotification',
    'notification',
    (call) => pick(renderNotification(call.world, notificationOf(call)), read.words(call.params, 'fields')),
    { scope: 'member' },
  ),
  route(
    'PUT /notifications/:idNotification',
    'notification',
    (call) => {
      const notification = notificationOf(call)
      markRead(call, notification, read.flag(call.params, 'unread') ?? false)
      return renderNotification(call.world, notification)
    },
    { account: true, scope: 'member' },
  ),
  route(
    'POST /notifications/all/read',
    'notification',
    (call) => {
      const seen = read.flag(call.params, 'read') ?? true
      const ids = read.ids(call.params, 'ids')
      for (const notification of call.world.state.notifications) {
        if (notification.idMember === call.viewer && (!ids || ids.includes(notification.id)))
          markRead(call, notification, !seen)
      }
      return []
    },
    { account: true, scope: 'member' },
  ),
]

const organizationOf = (call: Call) => findOrganization(call.world, call.viewer, call.path['organization'] as string)
export const organizationRoutes: Route[] = [
  route(
    'GET /organizations/:organization',
    'organization',
    (call) => pick(renderOrganization(call.world, organizationOf(call)), read.words(call.params, 'fields')),
    { scope: 'organization' },
  ),
  route('GET /organizations/:organization/boards', 'organization', (call) => {
    const { id } = organizationOf(call)
    return boardsOf(
      call,
      [...call.world.state.boards.values()].filter((board) => board.idOrganization === id),
    )
  }),
  route(
    'GET /organizations/:organization/actions',
    'organization',
    (call) => {
      const { id } = organizationOf(call)
      return actionsFor(
        call,
        (action) => action.refs.workspace === true && action.refs.idOrganization === id,
        read.words(call.params, 'filter') ?? ['all'],
        50,
      )
    },
    { scope: 'organization', knows: actionOptions },
  ),
  route(
    'GET /organizations/:organization/members',
    'organization',
    (call) =>
      organizationOf(call)
        .memberships.flatMap((membership) => call.world.state.members.get(membership.idMember) ?? [])
        .map((member) => pick(publicMember(member), read.words(call.params, 'fields'), ['fullName', 'username'])),
    { scope: 'organization' },
  ),
]

/** Runs up to ten GET routes in one request; each counts against the limits and has its own status. */
const batch = async (call: Call): Promise<unknown> => {
  if (call.identity?.token.kind === 'oauth2')
    return refuse(403, { message: 'batch is not available to OAuth 2.0 apps' })
  const urls = splitUrls(read.needText(call.params, 'urls'))
  if (urls.length === 0 || urls.length > 10 || urls.some((url) => !url.startsWith('/') || url.startsWith('/batch')))
    return invalidValue('urls')
  const answers: unknown[] = []
  for (const url of urls) {
    const { status, body } = await call.again(url)
    answers.push({ [String(status)]: body })
  }
  return answers
}
// A comma inside a route's query (fields=name,desc) does not start a new route; only a comma before a slash does.
const splitUrls = (text: string): string[] => text.split(/,(?=\/)/).filter(Boolean)

export const tokenOf = (call: Call): Token => {
  const token = call.world.state.tokens.get(call.path['token'] as string)
  if (!token || token.idMember !== call.viewer || token.appKey !== call.identity?.token.appKey)
    return refuse(404, 'token not found')
  return token
}

export const batchRoutes: Route[] = [route('GET /batch', 'batch', batch)]
export const tokenRoutes = (
  onRevoke: (call: Call, token: Token) => void,
  webhooksOf: (call: Call, token: Token) => unknown[],
): Route[] => [
  route(
    'GET /tokens/:token',
    'token',
    (call) => {
      const token = tokenOf(call)
      const webhooks = read.flag(call.params, 'webhooks') ? { webhooks: webhooksOf(call, token) } : {}
      return {
        ...pick(renderToken(token, call.world.state.apps.get(token.appKey)), read.words(call.params, 'fields')),
        ...webhooks,
      }
    },
    { scope: 'member' },
  ),
  route(
    'GET /tokens/:token/member',
    'token',
    (call) => {
      const member = findMember(call.world, call.viewer, tokenOf(call).idMember)
      return pick(showMember(call, member), read.words(call.params, 'fields'))
    },
    { scope: 'member' },
  ),
  // Any token may delete itself, even a read-only one.
  route(
    'DELETE /tokens/:token',
    'token',
    (call) => {
      onRevoke(call, tokenOf(call))
      return { _value: null }
    },
    { need: 'read', scope: 'member' },
  ),
]
