import type { Options } from 'ky'
import { fail } from '#kit'
import type { Pack } from '../../pack.ts'
import type { Caller, Listed, StartFilter, SubscriptionFilter } from '../../runtime/ports/index.ts'
import type { EventDetail, EventView, GapView, HookView, NewSubscription, StartDetail, StartView, SubscriptionView } from '../../runtime/triggers/index.ts'
import type { AskServer } from './operator.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export type Paging = { limit: number; cursor: string | undefined }
export type EventAsked = { connection?: string; type?: string; board?: string; card?: string }
type Labelless = Omit<SubscriptionFilter, 'labels'>

/** The verbs about triggers, whether over a running server or over a pack in this process. All throw Failure. */
export type TriggerVerbs = {
  /** Whether what is asked for is done at once; else it waits for the server to run. */
  isServed: boolean
  subscribe(given: NewSubscription): Promise<SubscriptionView>
  subscriptions(page: Paging, filter: Labelless): Promise<Listed<SubscriptionView>>
  subscription(id: string): Promise<SubscriptionView>
  pause(id: string): Promise<SubscriptionView>
  resume(id: string): Promise<SubscriptionView>
  remove(id: string): Promise<void>
  recover(id: string): Promise<{ events: number; starts: number; gaps: number }>
  test(id: string): Promise<{ start: string; from: 'history' | 'example' }>
  sample(id: string): Promise<{ from: 'history' | 'example'; start: unknown }>
  hooks(page: Paging): Promise<Listed<HookView>>
  prune(): Promise<{ subscriptions: number; hooks: number }>
  gaps(page: Paging): Promise<Listed<GapView>>
  events(page: Paging, filter: EventAsked): Promise<Listed<EventView>>
  event(id: string, connection: string | undefined): Promise<EventDetail>
  replayEvent(id: string, connection: string | undefined): Promise<{ replayed: number; started: number }>
  starts(page: Paging, filter: StartFilter): Promise<Listed<StartView>>
  start(id: string): Promise<StartDetail>
  replayStart(id: string, options: { force: boolean }): Promise<StartView>
  replayStarts(which: { subscription: string; state: 'dead' | 'missed' }): Promise<{ replayed: number }>
}

/** Over a pack in this process. */
export const embeddedTriggers = (pack: Pack, caller: Caller, terminal: Pick<Terminal, 'self'>): TriggerVerbs => ({
  isServed: false,
  subscribe: async () => {
    throw fail(
      'unavailable',
      `Attaching a trigger needs a running server, which the provider calls at once to see that it can be reached. Start one with: ${typed(terminal, 'serve')}`,
    )
  },
  subscriptions: (page, filter) => pack.subscriptions.list(caller, page, filter),
  subscription: (id) => pack.subscriptions.get(caller, id),
  pause: (id) => pack.subscriptions.pause(caller, id),
  resume: (id) => pack.subscriptions.resume(caller, id),
  remove: (id) => pack.subscriptions.remove(caller, id),
  recover: (id) => pack.subscriptions.recover(caller, id),
  test: (id) => pack.subscriptions.test(caller, id),
  sample: (id) => pack.subscriptions.sample(caller, id),
  hooks: (page) => pack.hooks.list(caller, page),
  prune: () => pack.hooks.prune(caller),
  gaps: (page) => pack.gaps.list(caller, page),
  events: (page, filter) => pack.events.list(caller, page, filter),
  event: (id, connection) => pack.events.get(caller, id, connection),
  replayEvent: (id, connection) => pack.events.replay(caller, id, connection),
  starts: (page, filter) => pack.starts.list(caller, page, filter),
  start: (id) => pack.starts.get(caller, id),
  replayStart: (id, options) => pack.starts.replay(caller, id, options),
  replayStarts: (which) => pack.starts.replayAll(caller, which),
})

/** Above what a board takes to prove an address and to list a long history. */
const slow = { timeout: 120_000 }
const post = { method: 'post' }

/** What was asked, in the query of a request. */
export const query = (asked: Record<string, string | number | undefined>): Options => ({
  searchParams: Object.fromEntries(Object.entries(asked).filter((entry): entry is [string, string | number] => entry[1] !== undefined)),
})

/** Over a running server. */
export const remoteTriggers = (ask: AskServer): TriggerVerbs => {
  const at = (collection: string, id: string, verb = '') => `v1/${collection}/${encodeURIComponent(id)}${verb}`
  return {
    isServed: true,
    subscribe: ({ idempotencyKey, ...json }) => ask('v1/subscriptions', { ...post, ...slow, json, headers: { 'idempotency-key': idempotencyKey } }),
    subscriptions: (page, filter) => ask('v1/subscriptions', query({ ...page, ...filter })),
    subscription: (id) => ask(at('subscriptions', id)),
    pause: (id) => ask(at('subscriptions', id, '/pause'), post),
    resume: (id) => ask(at('subscriptions', id, '/resume'), { ...post, ...slow }),
    remove: (id) => ask(at('subscriptions', id), { method: 'delete' }),
    recover: (id) => ask(at('subscriptions', id, '/recover'), { ...post, ...slow }),
    test: (id) => ask(at('subscriptions', id, '/test'), { ...post, ...slow }),
    sample: (id) => ask(at('subscriptions', id, '/sample'), slow),
    hooks: (page) => ask('v1/hooks', query(page)),
    prune: () => ask('v1/hooks/prune', { ...post, ...slow }),
    gaps: (page) => ask('v1/gaps', query(page)),
    events: (page, filter) => ask('v1/events', query({ ...page, ...filter })),
    event: (id, connection) => ask(at('events', id), query({ connection })),
    replayEvent: (id, connection) => ask(at('events', id, '/replay'), { ...post, ...query({ connection }) }),
    starts: (page, filter) => ask('v1/starts', query({ ...page, ...filter })),
    start: (id) => ask(at('starts', id)),
    replayStart: (id, json) => ask(at('starts', id, '/replay'), { ...post, json }),
    replayStarts: (json) => ask('v1/starts/replay', { ...post, json }),
  }
}
