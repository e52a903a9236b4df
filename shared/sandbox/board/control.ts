/** Control functions to inspect and change the sandbox's state. They are also served under /_control. */
import { boardControls } from './control-boards.ts'
import { cardControls, cardPartControls, checklistControls } from './control-cards.ts'
import type { RecordedRequest, Server } from './dispatch.ts'
import { armFault, type Fault } from './faults.ts'
import { isIncluded } from './history.ts'
import { personOf } from './person.ts'
import type { Action, World } from './records.ts'
import { answerOf } from './refusals.ts'
import { issueToken } from './seed.ts'

export type Counters = {
  requests: number
  byRoute: Record<string, number>
  byStatus: Record<string, number>
  rateLimited: number
  faulted: number
  unknownParameters: string[]
  cards: number
  actions: number
}

/** A copy of a request's record with its credentials masked. */
const masked = (request: RecordedRequest): RecordedRequest => ({
  ...request,
  auth: { place: request.auth.place, key: request.auth.key && '***', token: request.auth.token && '***' },
})

const countBy = (values: string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

const backstage = (server: Server, refill: () => void) => {
  const { world } = server
  return {
    /** All boards, lists and cards by name and id, for a person at the keyboard. */
    overview: () =>
      [...world.state.boards.values()].map((board) => ({
        id: board.id,
        name: board.name,
        closed: board.closed,
        labels: [...world.state.labels.values()].filter((label) => label.idBoard === board.id),
        lists: [...world.state.lists.values()]
          .filter((list) => list.idBoard === board.id)
          .map((list) => ({
            id: list.id,
            name: list.name,
            cards: [...world.state.cards.values()]
              .filter((card) => card.idList === list.id)
              .map((card) => ({ id: card.id, name: card.name, closed: card.closed })),
          })),
      })),
    requests: (query: { after?: number } = {}): RecordedRequest[] =>
      server.requests.filter((request) => request.n > (query.after ?? 0)).map(masked),
    clearRequests: (): void => void server.requests.splice(0),
    counters: (): Counters => ({
      requests: server.requests.length,
      byRoute: countBy(server.requests.map((request) => request.route ?? 'none')),
      byStatus: countBy(server.requests.map((request) => String(request.status))),
      rateLimited: server.limiter.refused,
      faulted: server.requests.filter((request) => request.faulted).length,
      unknownParameters: [
        ...new Set(server.requests.flatMap((request) => request.unknown.map((name) => `${request.route}: ${name}`))),
      ],
      cards: world.state.cards.size,
      actions: world.state.actions.length,
    }),
    /** The next `times` matching requests fail as described; returns the fault's number. */
    fault: (fault: Fault): { id: number } => ({ id: armFault(server.faults, fault) }),
    clearFaults: (): void => void server.faults.armed.splice(0),
    faults: () => structuredClone(server.faults.armed),
    reset: (): void => refill(),
    settings: (changes: Partial<World['settings']>): World['settings'] => Object.assign(world.settings, changes),
    /** All actions, including the kinds that webhooks deliver but reads leave out. */
    history: (query: { idBoard?: string } = {}): (Action & { included: boolean })[] =>
      world.state.actions
        .filter((action) => !query.idBoard || action.refs.idBoard === query.idBoard)
        .map((action) => ({ ...action, included: isIncluded(action) })),
    /** Deletes a board's older history, like a provider that keeps only part of it. */
    trimHistory: (input: { idBoard: string; keep: number }): void => {
      const mine = world.state.actions.filter((action) => action.refs.idBoard === input.idBoard)
      const gone = new Set(mine.slice(0, Math.max(0, mine.length - input.keep)).map((action) => action.id))
      world.state.actions = world.state.actions.filter((action) => !gone.has(action.id))
    },
  }
}

/** Issues and changes tokens and secrets without the app's knowledge. */
const accountControls = (world: World) => ({
  issueToken: (
    input: {
      by?: string
      key?: string
      read?: boolean
      write?: boolean
      account?: boolean
      expiresInMs?: number
      kind?: 'token' | 'oauth1' | 'oauth2'
      scopes?: string[]
    } = {},
  ) => {
    const app = [...world.state.apps.values()].find((candidate) => !input.key || candidate.key === input.key)
    if (!app) throw new Error('no app has this key')
    const { by, key: _, expiresInMs, ...tokenOptions } = input
    const member = world.state.members.get(personOf(world, by).idMember)
    if (!member) throw new Error('no such member')
    return {
      token: issueToken(world, {
        app,
        member,
        ...tokenOptions,
        expiresAt: expiresInMs === undefined ? null : world.now() + expiresInMs,
      }).value,
    }
  },
  /** Replaces the secret that signs webhooks. */
  rotateAppSecret: (input: { key: string; secret: string }): void => {
    const app = world.state.apps.get(input.key)
    if (!app) throw new Error('no app has this key')
    app.secret = input.secret
  },
})

export const createControl = (server: Server, refill: () => void) => ({
  ...cardControls(server.world),
  ...cardPartControls(server.world),
  ...checklistControls(server.world),
  ...boardControls(server.world),
  ...accountControls(server.world),
  ...backstage(server, refill),
})
export type Control = ReturnType<typeof createControl>

/** Runs a control function by name with a JSON argument, for the HTTP routes. */
export const runControl = async (
  control: object,
  name: string,
  input: unknown,
): Promise<{ status: number; body: unknown }> => {
  const run = Object.hasOwn(control, name) ? (control as Record<string, (input: unknown) => unknown>)[name] : undefined
  if (!run)
    return { status: 404, body: { message: `no control function is named "${name}"`, functions: Object.keys(control) } }
  try {
    return { status: 200, body: (await run(input)) ?? { done: true } }
  } catch (error) {
    const refused = answerOf(error)
    return { status: refused?.status ?? 400, body: { message: error instanceof Error ? error.message : String(error) } }
  }
}
