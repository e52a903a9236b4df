/**
 * Simulates people working on the sandbox's boards, and lists what an agent must have received afterwards. For suites
 * that kill the processes in between.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'

/** Subscriptions by the agent's path; `type` is the provider's name for the action that starts them. */
export const attached = [
  { path: '/comments', trigger: 'new-comment-added-to-card', type: 'commentCard' },
  { path: '/comments-again', trigger: 'new-comment-added-to-card', type: 'commentCard' },
  { path: '/moves', trigger: 'card-moved', type: 'updateCard' },
  { path: '/labels', trigger: 'new-label-added-to-card', type: 'addLabelToCard' },
] as const
/**
 * An action type that only webhooks deliver: a delivery that the provider loses is lost, but an acknowledged one must
 * have been stored.
 */
export const onlyTold = 'addLabelToCard'

/** Returns a generator of numbers from 0 to 1, the same sequence for the same seed. */
export const randomFrom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

export type Place = { card: string; lists: string[]; label: string; isMoved: boolean; isLabelled: boolean }

/** Two boards with a few cards each for people to work on. */
export const prepareBoards = ({ control }: BoardSandbox) => {
  const boards = control.overview().filter(({ closed, labels }) => !closed && labels.length > 0)
  const places = boards.flatMap(({ lists, labels }) =>
    Array.from({ length: 10 }, (_, n): Place => {
      const card = control.createCard({ idList: lists[0]!.id, name: `Card ${n}` }).id
      return {
        card,
        lists: lists.slice(0, 2).map(({ id }) => id),
        label: labels[0]!.id,
        isMoved: false,
        isLabelled: false,
      }
    }),
  )
  return { boards: boards.map(({ id }) => id), places }
}

const act = ({ control }: BoardSandbox, place: Place, n: number, kind: number) => {
  const { card, lists, label } = place
  if (kind < 0.6)
    return void control.comment({ by: n % 2 === 0 ? 'me' : 'odettequill', idCard: card, text: `remark ${n}` })
  if (kind < 0.75)
    return void control.moveCard({ idCard: card, idList: lists[Number((place.isMoved = !place.isMoved))]! })
  control.labelCard({ idCard: card, idLabel: label, on: (place.isLabelled = !place.isLabelled) })
}

/** Makes `events` changes, evenly spaced in time; `each` is called after every change. */
export const happen = async (
  sandbox: BoardSandbox,
  places: Place[],
  events: number,
  perSecond: number,
  random: () => number,
  each: (n: number) => void,
) => {
  const began = performance.now()
  for (let n = 0; n < events; n += 1) {
    const ahead = (n / perSecond) * 1000 - (performance.now() - began)
    if (ahead > 0) await wait(ahead)
    act(sandbox, places[Math.floor(random() * places.length)]!, n, random())
    each(n)
  }
}

/** The starts that must have been delivered since a moment, as `path action`. */
export const startsWanted = (sandbox: BoardSandbox, boards: string[], since: number) => {
  const kept = new Set(
    sandbox.control
      .deliveries()
      .filter(({ state }) => state === 'done')
      .map(({ idAction }) => idAction),
  )
  return sandbox.state.actions
    .filter(
      ({ id, type, refs, data }) =>
        parseInt(id.slice(0, 8), 16) * 1000 >= since &&
        boards.includes(refs.idBoard ?? '') &&
        (type !== 'updateCard' || 'listBefore' in data) &&
        (type !== onlyTold || kept.has(id)),
    )
    .flatMap(({ id, type }) => attached.filter((entry) => entry.type === type).map(({ path }) => `${path} ${id}`))
}
