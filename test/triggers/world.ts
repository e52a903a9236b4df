/** A trigger runtime over the model board, with a clock that only tests move. */
import type { Integration } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { createEventCharges } from '../../shared/runtime/credits/event-charges.ts'
import { createOpenConnections, createOpenWith } from '../../shared/runtime/connections/resolve.ts'
import type { OpenConnections } from '../../shared/runtime/connections/open-connection.ts'
import type { SigningApp } from '../../shared/runtime/connections/apps.ts'
import { findCharged } from '../../shared/runtime/endpoints/charged-records.ts'
import { createGate } from '../../shared/runtime/gate/gate.ts'
import { createIntents } from '../../shared/runtime/idempotency.ts'
import type { Connection, Store, Vault } from '../../shared/runtime/ports/index.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import type { Registry } from '../../shared/runtime/catalogue/registry.ts'
import { createCausation, createTriggers } from '../../shared/runtime/triggers/index.ts'
import type { AgentStart, Causation, Triggers, TriggersOptions } from '../../shared/runtime/triggers/index.ts'
import { createMemoryStore, createVault } from '../../shared/store/index.ts'
import { classify } from '../../shared/wire/exchange/classify.ts'
import type { Call, Delivered, Outbound, Wire } from '../../shared/wire/types.ts'
import { createBoard } from './model/board.ts'
import type { Board } from './model/board.ts'
import { noNames } from '../support/no-names.ts'

export const tenant = 't1'
export const caller = { tenant }
export const publicUrl = 'https://pack.example'
export const appSecret = 'the app secret of the tests'
export const me = 'a'.repeat(24)
export const someoneElse = 'b'.repeat(24)
export const ourApp = 'c'.repeat(24)
export const start0 = Date.parse('2026-03-02T12:00:00.000Z')

export type TestClock = {
  now(): number
  /** The provider's clock: it does not jump. */ truth(): number
  monotonic(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  advance(ms: number): void
  jump(ms: number): void
}
/** Time that stands still until it is moved. `jump` moves the wall clock alone. */
export const handClock = (): TestClock => {
  let passed = 0
  let off = 0
  return {
    now: () => start0 + passed + off,
    truth: () => start0 + passed,
    monotonic: () => passed,
    sleep: async (ms) => void (passed += ms),
    advance: (ms) => void (passed += ms),
    jump: (ms) => void (off += ms),
  }
}

/** The same, with some of its functions replaced. */
export const overlay = <T extends object>(original: T, changes: Partial<T>): T =>
  Object.create(
    original,
    Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [name, { value, enumerable: true, writable: true }]),
    ),
  ) as T

/** What an agent answers to a start. */
export type Agent = (request: Outbound) => Delivered | Promise<Delivered>

const wireTo = (board: Board, agent: () => Agent): Wire =>
  ({
    async exchange(call: Call) {
      const token = call.account.secrets['token']!
      const { status, body } = await board.answer({
        method: call.method,
        path: call.path,
        query: call.query,
        body: call.body,
        token,
        mark: call.correlationId,
      })
      return { status, headers: {}, body, json: typeof body !== 'string', attempts: 1 }
    },
    classify,
    preview: (call: Call) => ({ method: String(call.method), url: call.path, headers: {} }),
    deliver: async (request: Outbound) => agent()(request),
    checkTarget: () => {},
    close: async () => {},
  }) as unknown as Wire

export const connectionRow = (vault: Vault, over: Partial<Connection> & { secretToken?: string } = {}): Connection => {
  const { secretToken = 'token-1', ...otherFields } = over
  const id = otherFields.id ?? 'con_1'
  return {
    id,
    tenant,
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    state: 'connected',
    stateReason: null,
    stateAt: start0,
    accountId: me,
    accountName: 'Marlow',
    secrets: vault.seal({ tenant: otherFields.tenant ?? tenant, owner: id }, { key: 'app-key', token: secretToken }),
    hints: {},
    policy: null,
    externalId: null,
    labels: {},
    isDefault: false,
    createdAt: start0,
    updatedAt: start0,
    lastUsedAt: null,
    ...otherFields,
  }
}

export type TriggerWorld = {
  clock: TestClock
  board: Board
  store: Store
  vault: Vault
  registry: Registry
  openConnections: OpenConnections
  own: Causation
  triggers: Triggers
  /** Bodies the agent was given, in order. */
  called: AgentStart[]
  requests: Outbound[]
  agent: { answer: Agent }
  logged: { level: string; event: string; fields: Record<string, unknown> | undefined }[]
  /** Whether somebody listens at our address. */
  up: { isUp: boolean }
  /** A new process over the same store; the one before does nothing more. */
  restart(wrap?: (store: Store) => Store, over?: Pick<TriggerWorldOptions, 'publicUrl'>): Triggers
  /** A second process over the same store, which nothing is delivered to. */
  beside(wrap?: (store: Store) => Store): Triggers
  close(): Promise<void>
}

/** `page`: the history is read so far and no further, a mistake made on purpose. */
export type TriggerWorldOptions = Partial<
  Pick<TriggersOptions, 'onStart' | 'scanMs' | 'agentAnswers' | 'names' | 'suppressed'>
> & {
  page?: number
  integrations?: Integration[]
  publicUrl?: string | undefined
  store?: Store
  withoutSecret?: boolean
  app?: Partial<SigningApp>
  wrap?(store: Store): Store
  random?(): number
  clock?: TestClock
}

const appOf = (over: Partial<SigningApp> = {}): SigningApp => {
  const own = { key: 'app-key', secrets: [appSecret] }
  return { owner: tenant, app: own, client: own, ...over }
}

const onePageOnly = (integration: Integration, page: number): Integration => {
  const { webhooks } = integration
  if (!webhooks) return integration
  return {
    ...integration,
    webhooks: {
      ...webhooks,
      async history(...historyArguments) {
        const listing = await webhooks.history(...historyArguments)
        return listing && { ...listing, events: listing.events.slice(-page) }
      },
    },
  }
}

export const openTriggerWorld = async (options: TriggerWorldOptions = {}): Promise<TriggerWorld> => {
  const clock = options.clock ?? handClock()
  const store = options.store ?? createMemoryStore()
  const vault = createVault({ masterKey: Buffer.alloc(32, 7) })
  const registry = createRegistry(
    options.page === undefined
      ? (options.integrations ?? integrations)
      : integrations.map((integration) => onePageOnly(integration, options.page!)),
  )
  const called: AgentStart[] = []
  const requests: Outbound[] = []
  const logged: TriggerWorld['logged'] = []
  const up = { isUp: true }
  const agent: TriggerWorld['agent'] = { answer: () => ({ status: 200, headers: {}, message: '' }) }
  const log: TriggersOptions['log'] = (level, event, fields) => void logged.push({ level, event, fields })
  let world: TriggerWorld
  const listen: Parameters<typeof createBoard>[1] = async (url, method, body, headers) => {
    if (!up.isUp) return undefined
    const [, integration, hookId] = /\/hooks\/([^/]+)\/([^/]+)$/.exec(url) ?? []
    return (
      await world.triggers.receive({
        integration: integration!,
        hookId: hookId!,
        method,
        headers,
        body: Buffer.from(body),
      })
    ).status
  }
  const board = createBoard(clock.truth, listen, appSecret)
  board.tokens.set('token-1', me)
  const instance = await store.instance()
  await store.connections.add(connectionRow(vault))
  let present: { openConnections: OpenConnections; own: Causation; triggers: Triggers }

  const boot = (
    wrap: (store: Store) => Store = (plainStore) => plainStore,
    over: Pick<TriggerWorldOptions, 'publicUrl'> = {},
  ) => {
    const wrapped = wrap(store)
    const never = () => {
      throw new Error('no connection here needs it')
    }
    const openWith = createOpenWith({ apps: { oauthApp: never }, clientTokens: never })
    const openConnections = createOpenConnections({
      store: wrapped,
      vault,
      clock,
      log,
      openWith,
      states: { set: never },
    })
    const own = createCausation({ store: wrapped, clock, log, instance })
    const calling: Agent = async (request) => {
      requests.push(request)
      called.push(JSON.parse(request.body) as AgentStart)
      return agent.answer(request)
    }
    const wire = wireTo(board, () => calling)
    const triggers = createTriggers({
      registry,
      openConnections,
      apps: { open: async () => (options.withoutSecret ? undefined : appOf(options.app)) },
      gate: createGate(wire, findCharged),
      suppressed: options.suppressed ?? (async (_, values) => values.map(() => false)),
      watchLists: { resolve: async (_, __, name) => name, ids: async () => undefined },
      charges: createEventCharges({ store: wrapped, clock, log }),
      wire,
      unauthenticated: { getJson: () => Promise.reject(new Error('Nobody has keys here.')) },
      store: wrapped,
      vault,
      health: {
        worked: () => {},
        refused: (session, failure) => {
          const { connection, live } = session.opened
          if (failure.code !== 'not_connected' || failure.details.providerStatus === undefined || !live) return
          Object.assign(connection, { state: 'needs_reconnect' })
          const changes = { state: 'needs_reconnect' as const, stateReason: failure.message }
          wrapped.connections
            .patch(connection.tenant, connection.id, changes)
            .catch((error: unknown) => log('error', 'connection.not_updated', { error: String(error) }))
          world.triggers
            .connectionChanged(connection.tenant, connection.id, changes)
            .catch((error: unknown) => log('error', 'account.not_followed', { error: String(error) }))
        },
      },
      own,
      names: options.names ?? noNames,
      clock,
      random: options.random ?? (() => 0.5),
      log,
      publicUrl: () => ('publicUrl' in over ? over.publicUrl : 'publicUrl' in options ? options.publicUrl : publicUrl),
      onStart: options.onStart,
      agentAnswers: options.agentAnswers,
      intents: createIntents({ store: wrapped, clock, log }),
      exampleOf: async () => ({ data: { example: true } }),
      ...(options.scanMs === undefined ? {} : { scanMs: options.scanMs }),
    })
    return { openConnections, own, triggers }
  }
  present = boot(options.wrap)
  world = {
    clock,
    board,
    store,
    vault,
    registry,
    triggers: present.triggers,
    called,
    requests,
    agent,
    logged,
    up,
    get openConnections() {
      return present.openConnections
    },
    get own() {
      return present.own
    },
    restart(wrap, over) {
      present = boot(wrap, over)
      world.triggers = present.triggers
      return world.triggers
    },
    beside: (wrap) => boot(wrap).triggers,
    close: () => store.close(),
  }
  return world
}

/** Delivers, matches and dispatches until nothing is left to do now. */
export const settle = async ({ board, triggers, called }: TriggerWorld): Promise<void> => {
  for (let round = 0; round < 50; round += 1) {
    const sent = await board.pump()
    await triggers.ticks.pending()
    // A call that has ended makes room for another.
    const before = called.length
    await triggers.ticks.dispatch()
    await triggers.ticks.aside()
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (sent === 0 && called.length === before && (await triggers.counts()).running === 0) return
  }
}

/** One round of every kind of background work, then everything that follows from it. */
export const round = async (world: TriggerWorld): Promise<void> => {
  const { ticks } = world.triggers
  await ticks.accounts()
  await ticks.aside()
  await ticks.heal()
  await ticks.upkeep()
  await ticks.hooks()
  await ticks.scans()
  await ticks.timers()
  await ticks.alive()
  await settle(world)
}

/** Lets time pass, with a round after each step. */
export const live = async (world: TriggerWorld, ms: number, stepMs = 60_000): Promise<void> => {
  for (let passed = 0; passed < ms; passed += stepMs) {
    world.clock.advance(stepMs)
    await round(world)
  }
}

export const subscribe = (
  world: TriggerWorld,
  trigger: string,
  config: Record<string, unknown>,
  more: Record<string, unknown> = {},
) =>
  world.triggers.subscriptions.create(caller, {
    integration: 'work-board',
    trigger,
    config,
    agent: { id: 'agent-1', url: 'https://agents.example/start' },
    ...more,
  })
