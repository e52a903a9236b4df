/** Acting as a person in the web pages, and looking behind the scenes. The same functions answer under /_control. */
import { boardOf, findBoard, findCard, findCheckItem, findChecklist, findLabel, findList, findMember } from './access.ts'
import {
  addBoardMember, archiveAllCards, changeBoard, changeLabel, changeList, createBoard, createLabel, createList, deleteLabel, moveList, removeBoardMember,
  type BoardInput, type ListChanges,
} from './boards.ts'
import { addComment, addLabel, changeMember, deleteComment, editComment, putAttachment, removeLabel } from './card-parts.ts'
import { changeCard, moveCard, repositionCard, type CardChanges } from './card-updates.ts'
import { convertCheckItem, copyCard, createCard, deleteCard, keepable, type CardInput } from './cards.ts'
import { changeCheckItem, createCheckItem, createChecklist, deleteCheckItem, deleteChecklist } from './checklists.ts'
import type { RecordedRequest, Server } from './dispatch.ts'
import { armFault, type Fault } from './faults.ts'
import { addNotification, type NotificationInput } from './notifications.ts'
import type { Pos } from './params.ts'
import type { Action, Actor, Card, Checklist, CheckItem, Label, List, Board, World } from './records.ts'
import { isIncluded } from './history.ts'
import { issueToken } from './seed.ts'
import { answerOf } from './refusals.ts'

/** The person acting: id or user name; the first member where absent. Nothing a person does carries an app. */
type By = { by?: string }
export type Counters = {
  requests: number; byRoute: Record<string, number>; byStatus: Record<string, number>; rateLimited: number; faulted: number; unknownParameters: string[]
  cards: number; actions: number
}

const personOf = (world: World, by: string | undefined): Actor => {
  const first = world.state.members.keys().next().value as string
  return { idMember: findMember(world, first, by ?? 'me').id, app: null, clientIdentifier: null }
}
const given = <T extends object>(changes: T): Partial<T> => Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>

const cardControls = (world: World) => {
  const card = (id: string, actor: Actor): Card => findCard(world, actor.idMember, id, 'write')
  const itemOf = (id: string): { checklist: Checklist; item: CheckItem } => findCheckItem([...world.state.checklists.values()], id)
  const comment = (id: string): Action => {
    const found = world.state.actions.find((one) => one.id === id && one.type === 'commentCard')
    if (!found) throw new Error(`no comment has the id ${id}`)
    return found
  }
  return {
    createCard: (input: By & CardInput & { idList: string; email?: boolean }): Card => {
      const { by, idList, email, ...rest } = input
      const actor = personOf(world, by)
      return createCard(world, actor, findList(world, actor.idMember, idList, 'write'), rest, email ? 'emailCard' : 'createCard')
    },
    emailCard: (input: By & CardInput & { idList: string }): Card => {
      const { by, idList, ...rest } = input
      const actor = personOf(world, by)
      return createCard(world, actor, findList(world, actor.idMember, idList, 'write'), rest, 'emailCard')
    },
    copyCard: (input: By & { idCard: string; idList?: string; name?: string }): Card => {
      const actor = personOf(world, input.by)
      const source = card(input.idCard, actor)
      return copyCard(world, actor, source, findList(world, actor.idMember, input.idList ?? source.idList, 'write'), given({ name: input.name }) as Partial<CardInput>, keepable)
    },
    convertCheckItem: (input: By & { idCheckItem: string }): Card => {
      const { checklist, item } = itemOf(input.idCheckItem)
      return convertCheckItem(world, personOf(world, input.by), checklist, item)
    },
    moveCard: (input: By & { idCard: string; idList: string; pos?: Pos }): Card => {
      const actor = personOf(world, input.by)
      const moved = card(input.idCard, actor)
      moveCard(world, actor, moved, findList(world, actor.idMember, input.idList, 'write'))
      if (input.pos !== undefined) repositionCard(world, actor, moved, input.pos)
      return moved
    },
    updateCard: (input: By & CardChanges & { idCard: string; pos?: Pos }): Card => {
      const { by, idCard, pos, ...changes } = input
      const actor = personOf(world, by)
      const changed = card(idCard, actor)
      changeCard(world, actor, changed, changes)
      if (pos !== undefined) repositionCard(world, actor, changed, pos)
      return changed
    },
    renameCard: (input: By & { idCard: string; name: string }): Card => {
      const actor = personOf(world, input.by)
      const changed = card(input.idCard, actor)
      changeCard(world, actor, changed, { name: input.name })
      return changed
    },
    archiveCard: (input: By & { idCard: string; closed?: boolean }): Card => {
      const actor = personOf(world, input.by)
      const changed = card(input.idCard, actor)
      changeCard(world, actor, changed, { closed: input.closed ?? true })
      return changed
    },
    deleteCard: (input: By & { idCard: string }): void => {
      const actor = personOf(world, input.by)
      deleteCard(world, actor, card(input.idCard, actor))
    },
    comment: (input: By & { idCard: string; text: string }): Action => {
      const actor = personOf(world, input.by)
      return addComment(world, actor, card(input.idCard, actor), input.text)
    },
    editComment: (input: By & { idAction: string; text: string }): Action => editComment(world, personOf(world, input.by), comment(input.idAction), input.text),
    deleteComment: (input: By & { idAction: string }): void => deleteComment(world, personOf(world, input.by), comment(input.idAction)),
    labelCard: (input: By & { idCard: string; idLabel: string; on?: boolean }): Card => {
      const actor = personOf(world, input.by)
      const changed = card(input.idCard, actor)
      const label = findLabel(world, actor.idMember, input.idLabel)
      if (input.on ?? true) addLabel(world, actor, changed, label)
      else removeLabel(world, actor, changed, label)
      return changed
    },
    memberOnCard: (input: By & { idCard: string; member: string; on?: boolean }): Card => {
      const actor = personOf(world, input.by)
      const changed = card(input.idCard, actor)
      changeMember(world, actor, changed, findMember(world, actor.idMember, input.member).id, input.on ?? true)
      return changed
    },
    attach: (input: By & { idCard: string; url: string; name?: string }): Card => {
      const actor = personOf(world, input.by)
      const changed = card(input.idCard, actor)
      putAttachment(world, actor, changed, { name: input.name ?? input.url, url: input.url, mimeType: '', content: null })
      return changed
    },
    addChecklist: (input: By & { idCard: string; name: string }): Checklist => {
      const actor = personOf(world, input.by)
      return createChecklist(world, actor, card(input.idCard, actor), input.name, 'bottom')
    },
    deleteChecklist: (input: By & { idChecklist: string }): void => {
      const actor = personOf(world, input.by)
      deleteChecklist(world, actor, findChecklist(world, actor.idMember, input.idChecklist, 'write'))
    },
    addCheckItem: (input: By & { idChecklist: string; name: string; checked?: boolean }): CheckItem => {
      const actor = personOf(world, input.by)
      return createCheckItem(world, actor, findChecklist(world, actor.idMember, input.idChecklist, 'write'), { name: input.name, checked: input.checked })
    },
    tickItem: (input: By & { idCheckItem: string; complete?: boolean }): CheckItem => {
      const { checklist, item } = itemOf(input.idCheckItem)
      changeCheckItem(world, personOf(world, input.by), checklist, item, { state: input.complete ?? true ? 'complete' : 'incomplete' })
      return item
    },
    deleteCheckItem: (input: By & { idCheckItem: string }): void => {
      const { checklist, item } = itemOf(input.idCheckItem)
      deleteCheckItem(world, personOf(world, input.by), checklist, item)
    },
  }
}

const boardControls = (world: World) => {
  const board = (id: string, actor: Actor): Board => findBoard(world, actor.idMember, id, 'write')
  const list = (id: string, actor: Actor): List => findList(world, actor.idMember, id, 'write')
  return {
    createBoard: (input: By & BoardInput): Board => {
      const { by, ...rest } = input
      return createBoard(world, personOf(world, by), rest)
    },
    /** Name, description, `closed` and the like; `closed` is how a board is closed and opened again. */
    updateBoard: (input: By & { idBoard: string; name?: string; desc?: string; closed?: boolean; permissionLevel?: string }): Board => {
      const { by, idBoard, permissionLevel, ...changes } = input
      const actor = personOf(world, by)
      const changed = board(idBoard, actor)
      for (const [key, value] of Object.entries(changes)) changeBoard(world, actor, changed, key, value)
      if (permissionLevel) changeBoard(world, actor, changed, 'prefs/permissionLevel', permissionLevel)
      return changed
    },
    boardMember: (input: By & { idBoard: string; member: string; on?: boolean; type?: 'admin' | 'normal' | 'observer' }): Board => {
      const actor = personOf(world, input.by)
      const changed = board(input.idBoard, actor)
      const { id } = findMember(world, actor.idMember, input.member)
      if (input.on ?? true) addBoardMember(world, actor, changed, id, input.type ?? 'normal')
      else removeBoardMember(world, actor, changed, id)
      return changed
    },
    createList: (input: By & { idBoard: string; name: string; pos?: Pos }): List => {
      const actor = personOf(world, input.by)
      return createList(world, actor, board(input.idBoard, actor), input.name, input.pos ?? 'bottom')
    },
    updateList: (input: By & ListChanges & { idList: string; idBoard?: string }): List => {
      const { by, idList, idBoard, ...changes } = input
      const actor = personOf(world, by)
      const changed = list(idList, actor)
      changeList(world, actor, changed, changes)
      if (idBoard) moveList(world, actor, changed, board(idBoard, actor))
      return changed
    },
    archiveAllCards: (input: By & { idList: string }): void => {
      const actor = personOf(world, input.by)
      archiveAllCards(world, actor, list(input.idList, actor))
    },
    createLabel: (input: By & { idBoard: string; name: string; color?: string | null }): Label => {
      const actor = personOf(world, input.by)
      return createLabel(world, actor, board(input.idBoard, actor), input.name, input.color ?? null)
    },
    updateLabel: (input: By & { idLabel: string; name?: string; color?: string | null }): Label => {
      const actor = personOf(world, input.by)
      const label = findLabel(world, actor.idMember, input.idLabel, 'write')
      changeLabel(world, actor, label, given({ name: input.name, color: input.color }))
      return label
    },
    deleteLabel: (input: By & { idLabel: string }): void => {
      const actor = personOf(world, input.by)
      deleteLabel(world, actor, findLabel(world, actor.idMember, input.idLabel, 'write'))
    },
    notify: (input: NotificationInput): { id: string } => ({ id: addNotification(world, input).id }),
  }
}

/** Bodies and addresses of requests without the credentials that came with them. */
const masked = (request: RecordedRequest): RecordedRequest =>
  ({ ...request, auth: { place: request.auth.place, key: request.auth.key && '***', token: request.auth.token && '***' } })

const countBy = (values: string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

const backstage = (server: Server, refill: () => void) => {
  const { world } = server
  return {
    /** Every board, list and card by name and id, for a person at the keyboard. */
    overview: () => [...world.state.boards.values()].map((board) => ({
      id: board.id, name: board.name, closed: board.closed, labels: [...world.state.labels.values()].filter((one) => one.idBoard === board.id),
      lists: [...world.state.lists.values()].filter((one) => one.idBoard === boardOf(world, one).id && one.idBoard === board.id)
        .map((list) => ({ id: list.id, name: list.name, cards: [...world.state.cards.values()].filter((card) => card.idList === list.id).map((card) => ({ id: card.id, name: card.name, closed: card.closed })) })),
    })),
    requests: (query: { after?: number } = {}): RecordedRequest[] => server.requests.filter((one) => one.n > (query.after ?? 0)).map(masked),
    clearRequests: (): void => void server.requests.splice(0),
    counters: (): Counters => ({
      requests: server.requests.length, byRoute: countBy(server.requests.map((one) => one.route ?? 'none')), byStatus: countBy(server.requests.map((one) => String(one.status))),
      rateLimited: server.limiter.refused, faulted: server.requests.filter((one) => one.faulted).length,
      unknownParameters: [...new Set(server.requests.flatMap((one) => one.unknown.map((name) => `${one.route}: ${name}`)))],
      cards: world.state.cards.size, actions: world.state.actions.length,
    }),
    /** The next `times` matching requests fail as told; the answer is the fault's number. */
    fault: (fault: Fault): { id: number } => ({ id: armFault(server.faults, fault) }),
    clearFaults: (): void => void server.faults.armed.splice(0),
    faults: () => structuredClone(server.faults.armed),
    reset: (): void => refill(),
    settings: (changes: Partial<World['settings']>): World['settings'] => Object.assign(world.settings, changes),
    /** Every action of a kind that webhooks carry and reads do not, too. */
    history: (query: { idBoard?: string } = {}): (Action & { included: boolean })[] =>
      world.state.actions.filter((one) => !query.idBoard || one.refs.idBoard === query.idBoard).map((one) => ({ ...one, included: isIncluded(one) })),
    /** Forgets a board's older history, as a provider with a limited depth does. */
    trimHistory: (input: { idBoard: string; keep: number }): void => {
      const mine = world.state.actions.filter((one) => one.refs.idBoard === input.idBoard)
      const gone = new Set(mine.slice(0, Math.max(0, mine.length - input.keep)).map((one) => one.id))
      world.state.actions = world.state.actions.filter((one) => !gone.has(one.id))
    },
    issueToken: (input: { by?: string; key?: string; read?: boolean; write?: boolean; account?: boolean; expiresInMs?: number; kind?: 'token' | 'oauth1' | 'oauth2'; scopes?: string[] } = {}) => {
      const app = [...world.state.apps.values()].find((one) => !input.key || one.key === input.key)
      if (!app) throw new Error('no app has this key')
      const { by, key: _, expiresInMs, ...rest } = input
      const member = world.state.members.get(personOf(world, by).idMember)
      if (!member) throw new Error('no such member')
      return { token: issueToken(world, { app, member, ...rest, expiresAt: expiresInMs === undefined ? null : world.now() + expiresInMs }).value }
    },
    /** Changes the secret that signs webhooks; returns the new one. */
    rotateAppSecret: (input: { key: string; secret: string }): void => {
      const app = world.state.apps.get(input.key)
      if (!app) throw new Error('no app has this key')
      app.secret = input.secret
    },
  }
}

export const createControl = (server: Server, refill: () => void) =>
  ({ ...cardControls(server.world), ...boardControls(server.world), ...backstage(server, refill) })
export type Control = ReturnType<typeof createControl>

/** Runs a control function by name with a JSON argument; for the HTTP face of the same functions. */
export const runControl = async (control: object, name: string, input: unknown): Promise<{ status: number; body: unknown }> => {
  const run = Object.hasOwn(control, name) ? (control as Record<string, (input: unknown) => unknown>)[name] : undefined
  if (!run) return { status: 404, body: { message: `no control function is named "${name}"`, functions: Object.keys(control) } }
  try {
    return { status: 200, body: (await run(input)) ?? { done: true } }
  } catch (error) {
    const refused = answerOf(error)
    return { status: refused?.status ?? 400, body: { message: error instanceof Error ? error.message : String(error) } }
  }
}
