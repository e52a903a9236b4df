import { someoneElse } from '../world.ts'
import type { Board, Row } from './board.ts'
import type { Kind } from './commands.ts'

/** What is watched in a history, and what its acts do on the boards. */
export type Watched = {
  trigger: string
  /** Absent: by webhook. */ delivery?: 'poll'
  config: Record<string, unknown>
  boards: string[]
  wants(action: Row): boolean
  /** Whether it reads the board when the event is handled: what cannot be seen then, or is no more in the history, starts nothing. */ reads?: true
}
export type Stage = {
  board: Board
  boards: string[]
  matching: string
  elsewhere: string
  cards: { still: string; apart: string; moving: string }[]
}
export type Scene = (world: Stage) => { watched: Watched[]; act(kind: Exclude<Kind, 'own comment'>, n: number): void }

const person = { member: someoneElse }
const ofType = (type: string) => (action: Row) => action.type === type

/** Triggers of the document. */
export const documented: Scene = ({ board, boards, matching, elsewhere, cards }) => ({
  watched: [
    { trigger: 'new-card', config: { boards }, boards, wants: ofType('createCard') },
    { trigger: 'new-card', config: { boards: [boards[0]] }, boards: [boards[0]!], wants: ofType('createCard') },
    { trigger: 'new-comment-added-to-card', config: { boards }, boards, wants: ofType('commentCard') },
    { trigger: 'new-label-added-to-card', config: { boards }, boards, wants: ofType('addLabelToCard') },
    {
      trigger: 'new-checklist',
      config: { boards: [boards[0]], lists: [matching] },
      boards: [boards[0]!],
      wants: (action) => action.type === 'addChecklistToCard' && action.data.card.id === cards[0]!.still,
    },
    {
      trigger: 'card-moved',
      config: { boards: [boards[1]] },
      boards: [boards[1]!],
      wants: (action) => action.type === 'updateCard' && action.data.listBefore !== undefined,
    },
  ],
  act(kind, n) {
    const on = cards[n]!
    if (kind === 'card') board.addCard(boards[n]!, matching, 'New', person)
    else if (kind === 'comment') board.comment(on.still, 'Hello', person)
    else if (kind === 'label') board.label(on.still, person)
    else if (kind === 'checklist') board.checklist(on.still, person)
    else if (kind === 'other checklist') board.checklist(on.apart, person)
    else board.moveCard(on.moving, board.cards.get(on.moving)!.list === matching ? elsewhere : matching, person)
  },
})

/** Triggers that other packs have: every one that can be found again, and one by webhook only. */
export const beyond: Scene = ({ board, boards, matching, cards }) => {
  const completed = new Set<string>()
  const has = (property: string) => (action: Row) =>
    action.type === 'updateCard' && Object.hasOwn(action.data.old as object, property)
  const all = (trigger: string, wants: Watched['wants'], config: Record<string, unknown> = {}): Watched => ({
    trigger,
    config: { boards, ...config },
    boards,
    wants,
  })
  const lists = boards.map(() => board.newId())
  const checklists = cards.map(({ still }) => board.addChecklist(still, 2))
  const state = cards.map(() => ({ isArchived: false, due: null as string | null, turn: 0, tick: 0 }))

  const update = (n: number, property: string, before: unknown, after: unknown) =>
    board.act(
      'updateCard',
      boards[n]!,
      { card: { ...board.cardRef(cards[n]!.still), [property]: after }, old: { [property]: before } },
      person,
    )
  const tick = (n: number) => {
    // Now the one item, now the other, some twice in a row, so that both get to be done.
    const at = [0, 1, 1, 0, 0][state[n]!.tick % 5]!
    state[n]!.tick += 1
    const action = board.tick(checklists[n]!, at, person)
    if (action.data.checkItem.state === 'complete' && board.isComplete(checklists[n]!))
      completed.add(action.id as string)
  }
  return {
    watched: [
      all('new-list', ofType('createList')),
      all('list-updated', (action) => action.type === 'updateList' && action.data.old.name !== undefined, {
        properties: ['name'],
      }),
      all('card-unarchived', (action) => has('closed')(action) && action.data.card.closed === false),
      all('card-deleted', ofType('deleteCard')),
      all('member-removed-from-card', ofType('removeMemberFromCard')),
      all(
        'checklist-item-completed',
        (action) => action.type === 'updateCheckItemStateOnCard' && action.data.checkItem.state === 'complete',
      ),
      { ...all('checklist-completed', (action) => completed.has(action.id as string)), reads: true },
      all('card-due-date-changed', has('due')),
      all(
        'mentioned-in-a-comment',
        (action) => action.type === 'commentCard' && /@odettequill/.test(action.data.text as string),
        { member: 'odettequill' },
      ),
      all('board-closed', (action) => action.type === 'updateBoard' && action.data.old.closed === false),
      all('label-removed-from-card', ofType('removeLabelFromCard')),
    ],
    act(kind, n) {
      const on = cards[n]!
      const my = state[n]!
      if (kind === 'checklist' || kind === 'other checklist') return tick(n)
      if (kind === 'comment') return void board.comment(on.still, 'Can you look, @odettequill?', person)
      if (kind === 'label')
        return void board.act(
          'removeLabelFromCard',
          boards[n]!,
          { label: { id: 'f'.repeat(24), name: 'Urgent' }, card: board.cardRef(on.still) },
          person,
        )
      if (kind === 'move') {
        my.isArchived = !my.isArchived
        return void update(n, 'closed', !my.isArchived, my.isArchived)
      }
      const turn = (my.turn += 1)
      const list = { id: lists[n]!, name: `List ${turn}` }
      if (turn % 5 === 0) board.act('createList', boards[n]!, { list }, person)
      else if (turn % 5 === 1) board.act('updateList', boards[n]!, { list, old: { name: `List ${turn - 1}` } }, person)
      else if (turn % 5 === 2) {
        const { id, idShort, shortLink } = board.cardRef(on.still)
        board.act(
          'deleteCard',
          boards[n]!,
          { card: { id, idShort, shortLink }, list: { id: matching, name: 'Ideas' } },
          person,
        )
      } else if (turn % 5 === 3)
        board.act(
          'removeMemberFromCard',
          boards[n]!,
          { idMember: someoneElse, member: { id: someoneElse }, card: board.cardRef(on.still) },
          person,
        )
      else {
        const before = my.due
        my.due = before === null ? '2026-05-01T09:00:00.000Z' : null
        update(n, 'due', before, my.due)
      }
    },
  }
}

/** The triggers of a scene that can be polled, without any webhook. */
export const polled =
  (scene: Scene): Scene =>
  (world) => {
    const { watched, act } = scene(world)
    return {
      watched: watched.flatMap((watchedTrigger) =>
        watchedTrigger.trigger === 'label-removed-from-card' ? [] : [{ ...watchedTrigger, delivery: 'poll' as const }],
      ),
      act,
    }
  }
