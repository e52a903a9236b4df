import type { Options } from 'ky'
import type { Listed, StartFilter, SubscriptionFilter } from '../../runtime/ports/index.ts'
import type {
  AgentTested,
  AskedAgentTest,
  EventDetail,
  EventView,
  GapView,
  HookView,
  NewSubscription,
  Rotation,
  StartDetail,
  StartView,
  SubscriptionView,
} from '../../runtime/triggers/index.ts'
import type { Ask } from './request.ts'

export type Paging = { limit: number; cursor: string | undefined }
/** Beside these, ids by the names that integrations have for subject and container. */
export type EventAsked = { connection?: string; type?: string; label?: string[]; [alias: string]: string | string[] | undefined }
/** A filter as it is sent; `label`s as name:value. */
export type Asked<F> = Omit<F, 'labels' | 'owners' | 'connections'> & { externalId?: string; label?: string[] }

/** Longer than a provider takes to verify an address or to list a long history. */
const slow = { timeout: 120_000 }
const post = { method: 'post' }

/** The given values as query parameters. */
export const query = (asked: Record<string, string | number | string[] | undefined>): Options => ({
  searchParams: Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [value].flat().map((one) => [name, one]))),
})

/** The verbs about triggers. All throw Failure. */
export const triggerVerbs = (ask: Ask) => {
  const at = (collection: string, id: string, verb = '') => `v1/${collection}/${encodeURIComponent(id)}${verb}`
  return {
    subscribe: ({ idempotencyKey, ...json }: NewSubscription): Promise<SubscriptionView> =>
      ask('v1/subscriptions', { ...post, ...slow, json, headers: { 'idempotency-key': idempotencyKey } }),
    subscriptions: (page: Paging, filter: Asked<SubscriptionFilter>): Promise<Listed<SubscriptionView>> =>
      ask('v1/subscriptions', query({ ...page, ...filter })),
    subscription: (id: string): Promise<SubscriptionView> => ask(at('subscriptions', id)),
    pause: (id: string): Promise<SubscriptionView> => ask(at('subscriptions', id, '/pause'), post),
    resume: (id: string): Promise<SubscriptionView> => ask(at('subscriptions', id, '/resume'), { ...post, ...slow }),
    rotateSecret: (id: string, json: Rotation): Promise<SubscriptionView> => ask(at('subscriptions', id, '/rotate-secret'), { ...post, json }),
    upgrade: (id: string): Promise<SubscriptionView> => ask(at('subscriptions', id), { method: 'patch', ...slow, json: { upgrade: true } }),
    remove: (id: string): Promise<void> => ask(at('subscriptions', id), { method: 'delete' }),
    recover: (id: string): Promise<{ events: number; starts: number; gaps: number }> => ask(at('subscriptions', id, '/recover'), { ...post, ...slow }),
    test: (id: string): Promise<{ start: string; from: 'history' | 'example' }> => ask(at('subscriptions', id, '/test'), { ...post, ...slow }),
    testAgent: (json: AskedAgentTest): Promise<AgentTested> => ask('v1/agents/test', { ...post, ...slow, json }),
    sample: (id: string): Promise<{ from: 'history' | 'example'; start: unknown }> => ask(at('subscriptions', id, '/sample'), slow),
    hooks: (page: Paging): Promise<Listed<HookView>> => ask('v1/hooks', query(page)),
    prune: (): Promise<{ subscriptions: number; hooks: number }> => ask('v1/hooks/prune', { ...post, ...slow }),
    gaps: (page: Paging, filter: Asked<object> = {}): Promise<Listed<GapView>> => ask('v1/gaps', query({ ...page, ...filter })),
    events: (page: Paging, filter: EventAsked): Promise<Listed<EventView>> => ask('v1/events', query({ ...page, ...filter })),
    event: (id: string, connection: string | undefined): Promise<EventDetail> => ask(at('events', id), query({ connection })),
    replayEvent: (id: string, connection: string | undefined): Promise<{ replayed: number; started: number }> =>
      ask(at('events', id, '/replay'), { ...post, ...query({ connection }) }),
    starts: (page: Paging, filter: Asked<StartFilter>): Promise<Listed<StartView>> => ask('v1/starts', query({ ...page, ...filter })),
    start: (id: string): Promise<StartDetail> => ask(at('starts', id)),
    replayStart: (id: string, json: { force: boolean }): Promise<StartView> => ask(at('starts', id, '/replay'), { ...post, json }),
    replayStarts: (json: { subscription: string; state: 'dead' | 'missed' }): Promise<{ replayed: number }> => ask('v1/starts/replay', { ...post, json }),
  }
}
export type TriggerVerbs = ReturnType<typeof triggerVerbs>
