/** The sandbox's board, as the triggers themselves meet it and as a pack does. */
import { fail } from '#kit'
import type { Event, ProviderRequest, WatchContext } from '#kit'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { clientOf, findIds } from '../sandbox/board-client.ts'
import { startReceiver } from '../sandbox/board-receiver.ts'
import { attach, openAgentWorld, until } from '../support/agent-world.ts'
import { caller } from '../support/world.ts'
import { eventOf, startedBy, webhooks } from './starts.ts'

const codes: { [status: number]: Parameters<typeof fail>[0] } = {
  400: 'rejected',
  401: 'access_denied',
  404: 'not_found',
}

/** A board with a receiver for its deliveries, and a context that sends to it as the runtime does. */
export const openBoard = async () => {
  const to = await startReceiver()
  const clock = { at: Date.parse('2026-03-02T12:00:00Z') }
  // Every look at the clock is a second later, so that no rate limit is met.
  const sandbox = await startBoardSandbox({ now: () => (clock.at += 1000) })
  const ask = clientOf(sandbox)
  /** Sends as the wire does, the token in the path included. */
  const send = async ({ method, path, query, body }: ProviderRequest): Promise<unknown> => {
    const text = new URLSearchParams(
      Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString()
    const filled = path.replaceAll('{secret:token}', encodeURIComponent(sandbox.credentials.token))
    const answer = await ask(method, `${filled}${text === '' ? '' : `?${text}`}`, body === undefined ? {} : { body })
    if (answer.status !== 200)
      throw fail(codes[answer.status] ?? 'provider_failed', `${answer.status}`, { providerMessage: answer.text })
    return answer.json
  }
  const exchange = () => Promise.reject(new Error('no trigger of this integration pages'))
  const ctx: WatchContext = { send, exchange, signal: new AbortController().signal, now: () => clock.at }
  return {
    sandbox,
    to,
    clock,
    ask,
    ctx,
    ids: findIds(sandbox),
    get: async (path: string) => (await ask('GET', path)).json as Record<string, any>,
    put: (path: string, body: object) => ask('PUT', path, { body }),
    /** Makes something and gives what the board says of it. */
    make: async (path: string, body: object) => (await ask('POST', path, { body })).json as { id: string },
    hookFor: (kind: string, id: string) => ({
      model: { kind, id },
      callbackUrl: `${to.url}/hooks/${id}`,
      description: 'toolyard',
      types: ['*'],
    }),
    historyOf: (id: string, mark: { id?: string; at: number }) =>
      webhooks.history(ctx, { kind: 'board', id }, { since: mark, via: 'recovery' }),
    /** What arrives while something is done. */
    during: async (act: () => unknown): Promise<Event[]> => {
      const from = to.posts().length
      await act()
      await sandbox.control.settle()
      return to
        .posts()
        .slice(from)
        .map(({ json }) => eventOf(json))
    },
    close: async () => {
      await sandbox.close()
      await to.close()
    },
  }
}
export type Board = Awaited<ReturnType<typeof openBoard>>

/** Without filters, these two start with nearly everything. */
export const isOpen = (id: string) => id === 'custom-webhook-events' || id === 'new-board-activity'
/** What else events start when these boards are watched. */
export const startsOf = (events: Event[], boards: string[]) =>
  events
    .flatMap((event) => startedBy(event, { boards }))
    .filter((id) => !isOpen(id))
    .sort()

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A pack over the sandbox, and an agent for each trigger. */
export const openPack = async () => {
  const { pack, sandbox, agent } = await openAgentWorld()
  const ids = findIds(sandbox)
  const idCard = ids.card('Press kit')
  const startsOn = (trigger: string) => agent.taken.filter(({ path }) => path === `/${trigger}`)
  return {
    pack,
    sandbox,
    agent,
    ids,
    startsOn,
    event: (trigger: string, n = 0) => startsOn(trigger)[n]!.start.data.event as Record<string, any>,
    attach: async (trigger: string, config: Record<string, unknown> = { boards: [ids.board] }, options = {}) => {
      const made = await attach({ pack, agent }, trigger, config, options)
      // The board's clock has milliseconds; something attached in one must not be told of the same.
      await pause(5)
      return made
    },
    /** Until there are at least so many; exactly one otherwise. */
    untilStarted: (trigger: string, atLeast?: number) =>
      until(`${atLeast ?? 1} of ${trigger}`, () => {
        const { length } = startsOn(trigger)
        return atLeast === undefined ? length === 1 : length >= atLeast
      }),
    createCard: (name: string) => sandbox.control.createCard({ by: 'odettequill', idList: ids.list('Ideas'), name }).id,
    /** By a step of ours, in the chain of a start if one is named. */
    comment: (text: string, startId?: string) =>
      pack.steps.run(
        { ...caller, ...(startId ? { startId } : {}) },
        { integration: 'work-board', step: 'add-comment-to-card', input: { idCard, text } },
      ),
    commentByHand: () => sandbox.control.comment({ idCard, text: 'By hand' }),
    connectionId: async () => (await pack.connections.list(caller))[0]!.id,
    stateOf: async (id: string) => (await pack.subscriptions.get(caller, id)).state,
  }
}
