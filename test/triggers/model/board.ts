/**
 * The board provider as a model: what happened, who was told, what is listed. No network and no timers; time is given.
 * It is written from the provider's documented behaviour and shares no code with the pack.
 */
import { createHmac } from 'node:crypto'

export type Row = { [field: string]: any }
export type Asked = {
  method: string
  path: string
  query?: Row | undefined
  body?: any
  token: string
  mark?: string | undefined
}
export type Answered = { status: number; body: any }
export type Hook = {
  id: string
  token: string
  idModel: string
  callbackURL: string
  active: boolean
  consecutiveFailures: number
}
export type Delivery = {
  n: number
  hook: string
  action: Row
  body: string
  mark: string | undefined
  attempts: number
  dueAt: number
  forged: boolean
}
/** The answer of whoever listens at an address; undefined: nobody does. */
export type Listener = (
  url: string,
  method: 'HEAD' | 'POST',
  body: string,
  headers: Record<string, string>,
) => Promise<number | undefined>

const excluded = new Set([
  'addLabelToCard',
  'removeLabelFromCard',
  'createLabel',
  'deleteLabel',
  'updateComment',
  'deleteComment',
  'createCheckItem',
])
const retryMs = [30_000, 60_000, 120_000]

export type Board = ReturnType<typeof createBoard>

export const createBoard = (now: () => number, listen: Listener, secret: string) => {
  let counter = 0
  let attempts = 0
  const newId = () => {
    counter += 1
    return (
      Math.floor(now() / 1000)
        .toString(16)
        .padStart(8, '0') + counter.toString(16).padStart(16, '0')
    )
  }
  const tokens = new Map<string, string>()
  const boards = new Map<string, { id: string; name: string; closed: boolean; hidden: boolean }>()
  const cards = new Map<string, { id: string; name: string; board: string; list: string }>()
  const lists = new Map<string, string>()
  const checklists = new Map<
    string,
    { id: string; card: string; items: { id: string; name: string; state: string }[] }
  >()
  const actions: Row[] = []
  const hooks = new Map<string, Hook>()
  const deliveries: Delivery[] = []
  /** Every action and whether any hook was told of it, for the checker. */
  const offered: { action: Row; board: string }[] = []
  /** Deliveries that nobody took, with the last time they were tried. */
  const lost: Delivery[] = []

  const sweep = () => {
    for (const hook of hooks.values()) {
      if (!tokens.has(hook.token)) hooks.delete(hook.id)
      else if (boards.get(hook.idModel)?.hidden) hook.active = false
    }
  }
  const cardRef = (id: string) => {
    const card = cards.get(id)!
    return { id, name: card.name, idShort: 1, shortLink: id.slice(-8) }
  }
  const listRef = (id: string) => ({ id, name: lists.get(id) ?? 'A list' })

  const tell = (action: Row, board: string, mark: string | undefined) => {
    sweep()
    for (const hook of hooks.values()) {
      if (!hook.active || hook.idModel !== board) continue
      counter += 1
      const body = JSON.stringify({
        action,
        model: { id: board, name: boards.get(board)!.name, prefs: {} },
        webhook: { id: hook.id, idModel: board, callbackURL: hook.callbackURL },
      })
      deliveries.push({ n: counter, hook: hook.id, action, body, mark, attempts: 0, dueAt: now(), forged: false })
    }
  }

  /** Puts an action into the history and tells the hooks. `by` of an app, where one made it; a person leaves none. */
  const act = (type: string, board: string, data: Row, by: { member: string; app?: string; mark?: string }): Row => {
    const action = {
      id: newId(),
      idMemberCreator: by.member,
      type,
      date: new Date(now()).toISOString(),
      appCreator: by.app ? { id: by.app } : null,
      data: { board: { id: board, name: boards.get(board)!.name, shortLink: board.slice(-8) }, ...data },
      memberCreator: {
        id: by.member,
        fullName: 'Marlow Fenwick',
        username: 'marlowfenwick',
        email: 'private@mail.example',
      },
    }
    actions.push(action)
    offered.push({ action, board })
    tell(action, board, by.mark)
    return action
  }

  const createHook = async (request: Asked): Promise<Answered> => {
    const { callbackURL, idModel, active } = request.body as { callbackURL: string; idModel: string; active: boolean }
    const board = boards.get(idModel)
    if (!board || board.hidden) return { status: 401, body: 'unauthorized permission requested' }
    const same = () =>
      [...hooks.values()].some(
        (hook) => hook.callbackURL === callbackURL && hook.idModel === idModel && hook.token === request.token,
      )
    const exists = { status: 400, body: 'A webhook with that callback, model, and token already exists' }
    if (same()) return exists
    const status = await listen(callbackURL, 'HEAD', '', {})
    if (status !== 200)
      return {
        status: 400,
        body: {
          message: `URL (${callbackURL}) did not return 200 status code, got ${status ?? 0}`,
          error: 'VALIDATOR_URL_RETURNED_ERROR',
        },
      }
    if (same()) return exists
    const hook = { id: newId(), token: request.token, idModel, callbackURL, active, consecutiveFailures: 0 }
    hooks.set(hook.id, hook)
    return { status: 200, body: { ...hook, description: '' } }
  }

  const changeHook = async (request: Asked, id: string): Promise<Answered> => {
    const hook = hooks.get(id)
    if (!hook) return { status: 404, body: 'The requested resource was not found.' }
    if (hook.token !== request.token) return { status: 401, body: 'webhook does not belong to token' }
    if (request.method === 'DELETE') {
      hooks.delete(id)
      return { status: 200, body: { _value: null } }
    }
    const { callbackURL, idModel, active } = request.body as { callbackURL: string; idModel: string; active: boolean }
    if (boards.get(idModel)?.hidden) return { status: 401, body: 'unauthorized permission requested' }
    const status = await listen(callbackURL, 'HEAD', '', {})
    if (status !== 200)
      return {
        status: 400,
        body: { message: `URL (${callbackURL}) did not return 200 status code`, error: 'VALIDATOR_URL_RETURNED_ERROR' },
      }
    Object.assign(hook, { callbackURL, idModel, active, consecutiveFailures: 0 })
    return { status: 200, body: { ...hook } }
  }

  const listActions = (request: Asked, board: string, of: (action: Row) => boolean = () => true): Answered => {
    const { filter = 'all', since, before, limit = 50 } = request.query ?? {}
    if (!boards.has(board)) return { status: 404, body: 'model not found' }
    if (boards.get(board)!.hidden) return { status: 401, body: 'unauthorized permission requested' }
    const types = String(filter) === 'all' ? undefined : String(filter).split(',')
    const isBefore = (action: Row) =>
      before === undefined ||
      (/^[0-9a-f]{24}$/.test(before) ? action.id < before : Date.parse(action.date) < Date.parse(before))
    const matchingActions = actions
      .filter((action) => action.data.board.id === board && of(action) && !excluded.has(action.type) && !action.trimmed)
      .filter(
        (action) =>
          (!types || types.includes(action.type)) &&
          (since === undefined || Date.parse(action.date) >= Date.parse(since)) &&
          isBefore(action),
      )
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, Number(limit))
    return { status: 200, body: structuredClone(matchingActions) }
  }

  const readChecklist = (id: string): Answered => {
    const checklist = checklists.get(id)
    if (!checklist) return { status: 404, body: 'model not found' }
    if (boards.get(cards.get(checklist.card)!.board)!.hidden)
      return { status: 401, body: 'unauthorized checklist permission requested' }
    return {
      status: 200,
      body: { id, name: 'Steps', idCard: checklist.card, checkItems: structuredClone(checklist.items) },
    }
  }

  const answer = async (request: Asked): Promise<Answered> => {
    sweep()
    const [, , kind, id, part] = request.path.split('/') as string[]
    if (!tokens.has(request.token)) return { status: 401, body: 'invalid token' }
    if (kind === 'webhooks' && id === undefined && request.method === 'POST') return createHook(request)
    if (kind === 'webhooks' && id !== undefined) return changeHook(request, id)
    if (kind === 'tokens')
      return {
        status: 200,
        body: [...hooks.values()]
          .filter((hook) => hook.token === request.token)
          .map((hook) => ({ ...hook, description: '' })),
      }
    if (kind === 'boards' && part === 'actions') return listActions(request, id!)
    if (kind === 'boards')
      return boards.has(id!) ? { status: 200, body: boards.get(id!) } : { status: 404, body: 'model not found' }
    if (kind === 'members') return { status: 200, body: { id: '5'.repeat(24), username: id } }
    if (kind === 'checklists') return readChecklist(id!)
    if (kind === 'cards') {
      const card = cards.get(id!)
      if (!card) return { status: 404, body: 'model not found' }
      if (part === 'actions') return listActions(request, card.board, ({ data }) => data.card?.id === id)
      return {
        status: 200,
        body:
          part === 'list'
            ? listRef(card.list)
            : { id: card.id, name: card.name, idList: card.list, idBoard: card.board },
      }
    }
    throw new Error(`the model has no route ${request.method} ${request.path}`)
  }

  const signed = (body: string, url: string, forged: boolean) =>
    createHmac('sha1', forged ? 'another secret' : secret)
      .update(body)
      .update(url)
      .digest('base64')

  /** One attempt at a delivery. */
  const send = async (delivery: Delivery): Promise<void> => {
    sweep()
    const hook = hooks.get(delivery.hook)
    if (!hook?.active) return void lost.push(delivery)
    const headers = {
      'content-type': 'application/json',
      'x-trello-webhook': signed(delivery.body, hook.callbackURL, delivery.forged),
      ...(delivery.mark ? { 'x-trello-client-identifier': delivery.mark } : {}),
    }
    attempts += 1
    const status = await listen(hook.callbackURL, 'POST', delivery.body, headers)
    if (status === 200) return void (hook.consecutiveFailures = 0)
    if (delivery.forged) return
    if (status === 410) hooks.delete(hook.id)
    hook.consecutiveFailures += 1
    const wait = retryMs[delivery.attempts]
    delivery.attempts += 1
    if (wait === undefined || status === 410) return void lost.push(delivery)
    delivery.dueAt = now() + wait
    deliveries.push(delivery)
  }

  const addBoard = (name: string) => {
    const id = newId()
    boards.set(id, { id, name, closed: false, hidden: false })
    return id
  }
  return {
    secret,
    tokens,
    boards,
    cards,
    actions,
    offered,
    hooks,
    deliveries,
    lost,
    answer,
    act,
    cardRef,
    newId,
    attempts: () => attempts,
    sweep,
    addBoard,
    addList(name: string) {
      const id = newId()
      lists.set(id, name)
      return id
    },
    addChecklist(card: string, items: number) {
      const id = newId()
      checklists.set(id, {
        id,
        card,
        items: Array.from({ length: items }, (_, n) => ({ id: newId(), name: `Item ${n}`, state: 'incomplete' })),
      })
      return id
    },
    isComplete: (checklist: string) => checklists.get(checklist)!.items.every(({ state }) => state === 'complete'),
    /** Ticks an item off, or takes the tick back. */
    tick(checklist: string, at: number, by: { member: string }) {
      const { card, items } = checklists.get(checklist)!
      const item = items[at]!
      item.state = item.state === 'complete' ? 'incomplete' : 'complete'
      return act(
        'updateCheckItemStateOnCard',
        cards.get(card)!.board,
        { checkItem: { ...item }, checklist: { id: checklist, name: 'Steps' }, card: cardRef(card) },
        by,
      )
    },
    addCard(board: string, list: string, name: string, by: { member: string; app?: string; mark?: string }) {
      const id = newId()
      cards.set(id, { id, name, board, list })
      return act('createCard', board, { card: cardRef(id), list: listRef(list) }, by)
    },
    moveCard(id: string, list: string, by: { member: string; app?: string; mark?: string }) {
      const card = cards.get(id)!
      const before = card.list
      card.list = list
      return act(
        'updateCard',
        card.board,
        {
          card: { ...cardRef(id), idList: list },
          old: { idList: before },
          listBefore: listRef(before),
          listAfter: listRef(list),
        },
        by,
      )
    },
    comment: (id: string, text: string, by: { member: string; app?: string; mark?: string }) =>
      act('commentCard', cards.get(id)!.board, { text, card: cardRef(id), list: listRef(cards.get(id)!.list) }, by),
    label: (id: string, by: { member: string; app?: string; mark?: string }) =>
      act(
        'addLabelToCard',
        cards.get(id)!.board,
        { label: { id: 'f'.repeat(24), name: 'Urgent', color: 'red' }, card: cardRef(id) },
        by,
      ),
    checklist: (id: string, by: { member: string; app?: string; mark?: string }) =>
      act(
        'addChecklistToCard',
        cards.get(id)!.board,
        { checklist: { id: newId(), name: 'Steps' }, card: cardRef(id) },
        by,
      ),
    close(board: string, closed: boolean, by: { member: string; app?: string; mark?: string }) {
      const boardRow = boards.get(board)!
      boardRow.closed = closed
      return act(
        'updateBoard',
        board,
        { board: { id: board, name: boardRow.name, shortLink: board.slice(-8), closed }, old: { closed: !closed } },
        by,
      )
    },
    /** Sends every delivery that is due, oldest first, or as `order` says. */
    async pump(order: (due: Delivery[]) => Delivery[] = (due) => due): Promise<number> {
      const due = order(deliveries.filter(({ dueAt }) => dueAt <= now()))
      for (const delivery of due) {
        const at = deliveries.indexOf(delivery)
        if (at >= 0) deliveries.splice(at, 1)
        await send(delivery)
      }
      return due.length
    },
    /** Sends a delivery without taking it off the list: a repeat. */
    repeat: (delivery: Delivery) => send({ ...delivery, attempts: retryMs.length }),
    nextDueAt: () => deliveries.reduce((least, { dueAt }) => Math.min(least, dueAt), Infinity),
    /** Forgets a board's older history. */
    trim(board: string, keep: number) {
      const mine = actions.filter((action) => action.data.board.id === board)
      for (const action of mine.slice(0, Math.max(0, mine.length - keep))) action.trimmed = true
    },
  }
}
