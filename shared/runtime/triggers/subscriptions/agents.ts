import { failField } from '#kit'
import type { ListedAgent as Agent } from '../../../api/resources/listed-agent.ts'
import { isBoundToPerson, mayUseConnection } from '../../people/act-for.ts'
import type { Caller, Listed, Page, RecentStart, Subscription, SubscriptionFilter } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import { isAccepted } from '../starts/retry-schedule.ts'
import { agentName, subscriptionsOf } from './agent-name.ts'
import type { Subscriptions } from './subscriptions.ts'

/** `agent`: only the agent of this name. */
export type AgentFilter = Omit<SubscriptionFilter, 'trigger' | 'state'> & { agent?: string }

type AgentsDependencies = Pick<TriggerParts, 'store'> & {
  now(): number
  subscriptions: Pick<Subscriptions, 'views'>
}
/** The subscriptions that start one agent, newest first. */
type Group = { name: string; rows: Subscription[] }

/** The newest subscriptions of a tenant are grouped, this many at most. */
const maxRows = 5_000
const maxSubscriptions = 20
const maxAnswers = 10
/** The newest starts of a subscription that are counted. */
const maxStarts = 100
const dayMs = 24 * 3_600_000

const iso = (at: number) => new Date(at).toISOString()

const groupRows = (rows: readonly Subscription[]): Group[] => {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const name = agentName(row)
    const group = groups.get(name)
    if (group) group.rows.push(row)
    else groups.set(name, { name, rows: [row] })
  }
  return [...groups.values()]
}

/** Agents are sorted by their newest subscription; the cursor is the place of the last one. */
const placeOf = ({ rows: [newest] }: Group) => `${newest!.createdAt} ${newest!.id}`
const encode = (place: string) => Buffer.from(place).toString('base64url')
const isAfter = (cursor: string) => {
  const [at, id] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
  const createdAt = Number(at)
  if (!Number.isSafeInteger(createdAt) || !id)
    throw failField('cursor', 'cursor is not one that this list returned; omit it to start at the newest.')
  return ({ rows: [newest] }: Group) =>
    newest!.createdAt < createdAt || (newest!.createdAt === createdAt && newest!.id < id)
}

type Health = Pick<Agent, 'state' | 'reason' | 'since'>

const ofRow = (state: Agent['state'], row: Subscription, reason: string | null, at: number): Health => ({
  state,
  reason: reason ?? row.stateReason,
  since: iso(at),
})

const healthOf = (rows: readonly Subscription[], lastAnswer: Agent['lastAnswer']): Health => {
  const off = rows.find(({ state }) => state === 'paused_agent')
  if (off) return ofRow('off', off, off.stateReason, off.failingSince ?? off.stateAt)
  const failing = rows
    .filter(({ failingSince }) => failingSince !== null)
    .toSorted((a, b) => a.failingSince! - b.failingSince!)[0]
  if (failing) return ofRow('failing', failing, failing.failingReason, failing.failingSince!)
  const isWaiting = ({ state }: Subscription) => state === 'active' || state === 'failing' || state === 'pending'
  const [first] = rows
  if (first && !rows.some(isWaiting)) return ofRow('paused', first, first.stateReason, first.stateAt)
  return { state: lastAnswer ? 'well' : 'untried', reason: null, since: null }
}

const viewAnswers = (starts: readonly (RecentStart & { subscription: string })[]): Agent['answers'] =>
  starts
    .flatMap(({ id, subscription, test, answer }) => (answer ? [{ start: id, subscription, test, ...answer }] : []))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, maxAnswers)
    .map((answer) => ({ ...answer, at: iso(answer.at), ok: isAccepted(answer) }))

const countStarts = (starts: readonly RecentStart[], since: number): Agent['starts'] => {
  const counts: Agent['starts'] = {}
  for (const { state, createdAt, test } of starts)
    if (!test && createdAt >= since) counts[state] = (counts[state] ?? 0) + 1
  return counts
}

/** Lists the agents that subscriptions start, limited to what the caller may see. */
export const createAgents = ({ store, now, subscriptions }: AgentsDependencies) => {
  const readRows = async (caller: Caller, filter: Omit<AgentFilter, 'agent'>): Promise<Subscription[]> => {
    const isOfAnother = isBoundToPerson(caller) && filter.person !== undefined && filter.person !== caller.person
    if (isOfAnother) return []
    const rows: Subscription[] = []
    for await (const slice of subscriptionsOf(store, caller, filter)) {
      rows.push(...slice.filter(({ connection }) => mayUseConnection(caller, connection)))
      if (rows.length >= maxRows) break
    }
    return rows
  }

  const view = async ({ name, rows }: Group): Promise<Agent> => {
    const shown = rows.slice(0, maxSubscriptions)
    const recent = await Promise.all(
      shown.map(async ({ tenant, id }) => ({ id, starts: await store.starts.recent(tenant, id, maxStarts) })),
    )
    const starts = recent.flatMap(({ id, starts: own }) => own.map((start) => ({ ...start, subscription: id })))
    const answers = viewAnswers(starts)
    const lastAnswer = answers[0] ?? null
    const newest = Math.max(...starts.map(({ createdAt }) => createdAt))
    return {
      name,
      id: rows[0]!.agent.id ?? null,
      url: rows[0]!.agent.url,
      ...healthOf(rows, lastAnswer),
      lastStartAt: starts.length === 0 ? null : iso(newest),
      lastAnswer,
      answers,
      starts: countStarts(starts, now() - dayMs),
      subscriptions: await subscriptions.views(shown),
      moreSubscriptions: rows.length - shown.length,
    }
  }

  return async (
    caller: Caller,
    { limit, cursor }: Page,
    { agent, ...filter }: AgentFilter = {},
  ): Promise<Listed<Agent>> => {
    const groups = groupRows(await readRows(caller, filter)).filter(({ name }) => agent === undefined || name === agent)
    const remaining = cursor === undefined ? groups : groups.filter(isAfter(cursor))
    const page = remaining.slice(0, limit)
    const items: Agent[] = []
    for (const group of page) items.push(await view(group))
    return { items, ...(remaining.length > page.length ? { next: encode(placeOf(page.at(-1)!)) } : {}) }
  }
}
