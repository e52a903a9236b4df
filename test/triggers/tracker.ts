/**
 * A trigger runtime over a small provider that signs with a secret for each hook, lists hooks by model, numbers its
 * things and repeats nothing.
 */
import { createHmac } from 'node:crypto'
import { defineTrigger, fail } from '#kit'
import type {
  Decoded,
  Event,
  HookWanted,
  Integration,
  Json,
  Model,
  ProviderHook,
  WebhookSource,
  WireProfile,
} from '#kit'
import * as z from '../../shared/kit/zod.ts'
import { createEventCharges } from '../../shared/runtime/credits/event-charges.ts'
import { findCharged } from '../../shared/runtime/endpoints/charged-records.ts'
import { createGate } from '../../shared/runtime/gate/gate.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { createOpenConnections, createOpenWith } from '../../shared/runtime/connections/resolve.ts'
import { createIntents } from '../../shared/runtime/idempotency.ts'
import { createCausation, createTriggers } from '../../shared/runtime/triggers/index.ts'
import type { AgentStart, TriggersOptions } from '../../shared/runtime/triggers/index.ts'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore, createVault } from '../../shared/store/index.ts'
import type { Wire } from '../../shared/wire/types.ts'
import { connectionRow, handClock, publicUrl, settle, tenant } from './world.ts'
import type { TriggerWorld } from './world.ts'
import { noNames } from '../support/no-names.ts'

type TrackerHook = ProviderHook & { secret: string | undefined; types: string[] }
type Fact = { id: number; type: string; at: string; repo: number; issue: number; actor: number; note?: string }

export const readFact = (raw: Json, via: Event['via'], model: Model): Decoded => {
  const fact = raw as unknown as Fact
  if (typeof fact?.id !== 'number') return { events: [], undecodable: 'It has no id.' }
  const issue = { kind: 'issue', id: String(fact.issue) }
  const repo = { kind: 'repo', id: String(fact.repo) }
  const actor = { id: String(fact.actor) }
  return {
    events: [
      {
        id: String(fact.id),
        type: fact.type,
        at: fact.at,
        actor,
        model,
        models: [repo],
        subject: issue,
        container: repo,
        objects: [issue],
        via,
        causedByUs: 'unknown',
        raw,
      },
    ],
  }
}

export type Tracker = ReturnType<typeof createTracker>

export const createTracker = (now: () => number) => {
  const hooks = new Map<string, TrackerHook>()
  const facts: Fact[] = []
  const calls: string[] = []
  const state = { hasHistory: true, namesTypes: true }
  let lastId = 2_214_870_553
  const modelKey = ({ kind, id }: Model) => `${kind}:${id}`
  const write = (providerId: string, { model, callbackUrl, description, types, secret }: HookWanted) =>
    void hooks.set(providerId, {
      providerId,
      model,
      callbackUrl,
      description,
      active: true,
      failures: 0,
      types,
      secret,
    })

  const source: WebhookSource = {
    retries: [],
    webhookOnly: ['seen'],
    decode: ({ body, headers, model }) =>
      headers['x-tracker-event'] === 'ping'
        ? { events: [], ignored: 'A ping.' }
        : readFact(body as Json, 'webhook', model),
    decodeStored: (raw, model, via) => readFact(raw, via, model),
    register: async (_ctx, hookRequest) => {
      calls.push('register')
      const providerId = String((lastId += 1))
      write(providerId, hookRequest)
      return { providerId }
    },
    repair: async (_ctx, providerId, hookRequest) => {
      calls.push('repair')
      if (!hooks.has(providerId)) throw fail('not_found', 'No such hook.')
      write(providerId, hookRequest)
    },
    list: async (_ctx, models) => {
      calls.push(`list ${models.map(modelKey).sort().join(' ')}`)
      const modelKeys = new Set(models.map(modelKey))
      const matchingHooks = [...hooks.values()].filter(({ model }) => modelKeys.has(modelKey(model)))
      return matchingHooks.map(({ secret: _, types, ...hook }) => ({ ...hook, ...(state.namesTypes ? { types } : {}) }))
    },
    unregister: async (_ctx, { providerId }) => {
      calls.push('unregister')
      hooks.delete(providerId)
    },
    history: async (_ctx, model, { since, limit, via }) => {
      if (!state.hasHistory) return undefined
      const listed = facts.filter(
        (fact) =>
          modelKey(model) === `repo:${fact.repo}` &&
          fact.type !== 'seen' &&
          Date.parse(fact.at) >= (since?.at ?? 0) - 60_000,
      )
      const events = listed
        .flatMap((fact) => readFact(fact as unknown as Json, via, model).events)
        .slice(limit === undefined ? 0 : -limit)
      const newest = events.at(-1)
      return {
        events,
        reached: true,
        undecodable: [],
        ...(newest ? { newest: { id: newest.id, at: Date.parse(newest.at) } } : {}),
      }
    },
  }

  return {
    hooks,
    calls,
    state,
    source,
    /** Something happens there; gives it as it would be delivered. */
    happen(type: string, over: Partial<Fact> = {}): Fact {
      const fact = { id: (lastId += 1), type, at: new Date(now()).toISOString(), repo: 7, issue: 7, actor: 99, ...over }
      facts.push(fact)
      return fact
    },
  }
}

const wire: WireProfile = {
  profile: 'tracker',
  baseUrl: 'https://tracker.example',
  auth: { 'key-token': { place: 'header', fields: { authorization: 'Bearer {token}' } } },
  reserved: [],
  pace: { limits: [], concurrency: 2 },
  timeouts: { connectMs: 1, headersMs: 1, bodyMs: 1, totalMs: 1, deadlineMs: 1 },
  maxReplyBytes: 1000,
  errors: [],
  signature: {
    header: 'X-Tracker-Signature',
    algorithm: 'hmac-sha256',
    encoding: 'hex',
    prefix: 'sha256=',
    signs: '{body}',
    secret: 'hook',
  },
  assumed: {},
}

const triggerOf = (type: string) =>
  defineTrigger({
    id: type,
    title: type,
    purpose: 'Starts.',
    recoverable: 'all',
    config: z.strictObject({ repo: z.string() }),
    data: z.looseObject({ id: z.string() }),
    webhook: {
      watch: ({ repo }) => [{ kind: 'repo', id: repo }],
      types: () => [type],
      match: ({ id, subject }) => ({ id, issue: subject!.id }),
    },
  })

type TrackerOptions = {
  /** Of the app that signs deliveries; absent: hooks have secrets of their own. */
  appSecret?: string
  /** Answers requests for key sets. */
  getJson?: TriggersOptions['unauthenticated']['getJson']
  /** Whose app a tenant uses; '' for the operator's. */
  ownerOf?(tenant: string): string
  store?: Store
}

export const openTracker = async (
  change: (integration: Integration, tracker: Tracker) => Integration = (original) => original,
  {
    appSecret,
    ownerOf = (asking) => asking,
    store = createMemoryStore(),
    getJson = () => Promise.reject(new Error('Nobody has keys here.')),
  }: TrackerOptions = {},
) => {
  const signer = { key: 'app-key', secrets: [appSecret ?? ''] }
  const clock = handClock()
  const vault = createVault({ masterKey: Buffer.alloc(32, 7) })
  const tracker = createTracker(clock.now)
  const integration: Integration = change(
    {
      id: 'tracker',
      title: 'Tracker',
      summary: 'A tracker.',
      version: '1.0.0',
      maturity: 'stable',
      connections: [
        {
          id: 'key-token',
          title: 'Token',
          purpose: 'A token.',
          secrets: z.strictObject({ key: z.string(), token: z.string() }),
          scheme: { kind: 'placed' },
        } as never,
      ],
      steps: [],
      triggers: ['opened', 'closed', 'seen'].map(triggerOf),
      apiCall: { methods: ['GET'], under: '/', deny: [] },
      wire,
      webhooks: tracker.source,
    },
    tracker,
  )
  const registry = createRegistry([integration])
  await store.connections.add(connectionRow(vault, { integration: 'tracker', accountId: '41' }))
  const logged: { level: string; event: string; fields: Record<string, unknown> | undefined }[] = []
  const log: TriggersOptions['log'] = (level, event, fields) => void logged.push({ level, event, fields })
  const called: AgentStart[] = []
  const own = createCausation({
    store,
    clock,
    log,
    instance: await store.instance(),
    sourceOf: () => integration.webhooks,
  })
  const never = () => {
    throw new Error('Nothing of the kind happens here.')
  }
  const openWith = createOpenWith({ apps: { oauthApp: never }, clientTokens: never })
  const boot = () =>
    createTriggers({
      registry,
      openConnections: createOpenConnections({ store, vault, clock, log, openWith, states: { set: never } }),
      apps: {
        open: async (asking) =>
          appSecret === undefined ? undefined : { owner: ownerOf(asking), app: signer, client: signer },
      },
      gate: createGate({} as Wire, findCharged),
      suppressed: async (_, values) => values.map(() => false),
      watchLists: { resolve: async (_, __, name) => name, ids: async () => undefined },
      charges: createEventCharges({ store, clock, log }),
      wire: { checkTarget: () => {} } as unknown as Wire,
      unauthenticated: { getJson },
      store,
      vault,
      health: { worked: () => {}, refused: () => {} },
      own,
      names: noNames,
      clock,
      random: () => 0.5,
      log,
      publicUrl: () => publicUrl,
      onStart: async (start) => void called.push(start),
      intents: createIntents({ store, clock, log }),
      exampleOf: async () => undefined,
    })
  const opened = {
    clock,
    store,
    vault,
    tracker,
    own,
    called,
    logged,
    triggers: boot(),
    restart: () => void (opened.triggers = boot()),
    subscribe: (trigger: string, repo = '7', options: Record<string, unknown> = {}) =>
      opened.triggers.subscriptions.create(
        { tenant },
        { integration: 'tracker', trigger, connection: 'con_1', config: { repo }, options },
      ),
    hookOf: (repo = '7') => [...tracker.hooks.values()].find(({ model }) => model.id === repo)!,
    /** Sends a body to a hook, signed with what the provider has as its secret, or another. */
    async deliver(
      body: unknown,
      { secret, repo, headers = {} }: { secret?: string; repo?: string; headers?: Record<string, string> } = {},
    ) {
      const hook = opened.hookOf(repo)
      const bytes = Buffer.from(JSON.stringify(body))
      const signature = `sha256=${createHmac('sha256', secret ?? hook.secret!)
        .update(bytes)
        .digest('hex')}`
      const hookId = hook.callbackUrl.split('/').at(-1)!
      const signedHeaders = {
        'content-type': 'application/json',
        'x-tracker-event': 'issues',
        'x-tracker-signature': signature,
        ...headers,
      }
      const receipt = await opened.triggers.receive({
        integration: 'tracker',
        hookId,
        method: 'POST',
        headers: signedHeaders,
        body: bytes,
      })
      await opened.triggers.ticks.aside()
      await opened.settle()
      return receipt
    },
    settle: () =>
      settle({ board: { pump: async () => 0 }, triggers: opened.triggers, called: [] } as unknown as TriggerWorld),
    calls: () => tracker.calls.splice(0),
    gaps: async () => (await store.gaps.list(tenant, { limit: 100 })).items,
  }
  return opened
}
