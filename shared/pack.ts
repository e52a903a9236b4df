import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { ExampleFile, Integration, OptionPage, Outcome } from '#kit'
import { integrations as shipped } from '../integrations/index.ts'
import { createAccounts } from './runtime/accounts.ts'
import type { ResolveSecrets } from './runtime/accounts.ts'
import { createApps } from './runtime/apps.ts'
import type { Apps } from './runtime/apps.ts'
import { createConnections } from './runtime/connections.ts'
import type { Connections } from './runtime/connections.ts'
import { createIntents } from './runtime/intents.ts'
import { buildManifest, stepManifest } from './runtime/manifest.ts'
import type { Manifest, StepManifest } from './runtime/manifest.ts'
import { createOptions } from './runtime/options.ts'
import type { OptionsCall } from './runtime/options.ts'
import type { Caller, Clock, Log, Store, Vault } from './runtime/ports.ts'
import { createRegistry } from './runtime/registry.ts'
import type { Registry } from './runtime/registry.ts'
import { createRuns } from './runtime/runs.ts'
import type { Runs } from './runtime/runs.ts'
import { createSteps } from './runtime/steps.ts'
import type { StepCall } from './runtime/steps.ts'
import { createTenants, createTokens } from './runtime/tokens.ts'
import type { Tenants, Tokens } from './runtime/tokens.ts'
import { createMemoryStore, createVault } from './store/index.ts'
import { createWire } from './wire/index.ts'
import type { EgressRules, Wire } from './wire/index.ts'

export type PackOptions = {
  /** Where things are kept; in memory when absent. `openStore` opens the embedded one. */
  store?: Store
  /** 32 bytes that seal secrets; made anew for this process when absent (fine only with the in-memory store). */
  masterKey?: Buffer
  /** Operator's facts by integration id, laid over the documented wire profiles. */
  wire?: Record<string, Record<string, unknown>>
  egress?: Partial<EgressRules>
  /** Secrets kept in the platform's own vault, found by a connection's externalId. */
  credentials?: { resolve: ResolveSecrets }
  integrations?: Integration[]
  clock?: Clock
  random?: () => number
  log?: Log
}

export type IntegrationSummary = { id: string; title: string; summary: string; version: string; maturity: string; ready: boolean; steps: number; triggers: number }

/** The verbs of the pack. Every one takes the caller first and is scoped by its tenant. */
export type Pack = {
  integrations: { list(): IntegrationSummary[]; manifest(id: string): Promise<Manifest> }
  steps: {
    find(asked?: { query?: string | undefined; integration?: string | undefined }): Promise<(StepManifest & { integration: string })[]>
    run(caller: Caller, call: StepCall): Promise<Outcome>
    options(caller: Caller, call: OptionsCall): Promise<OptionPage>
  }
  connections: Connections
  apps: Pick<Apps, 'get' | 'put'>
  runs: Runs
  tokens: Tokens
  tenants: Tenants
  /** Throws `unavailable` with the reason when the pack cannot take work. */
  ready(): Promise<void>
  registry: Registry
  close(): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    await wait(ms, undefined, signal ? { signal } : {})
  },
}

const silent: Log = () => {}

/** Examples ship inside the built manifests, read only when somebody asks for them. */
const readExamples = async (id: string): Promise<ExampleFile[]> => {
  try {
    const built = JSON.parse(await readFile(new URL(`../manifests/${id}.json`, import.meta.url), 'utf8')) as { steps: { id: string; examples: ExampleFile['cases'] }[] }
    return built.steps.map((step) => ({ step: step.id, cases: step.examples }))
  } catch {
    // An integration given to createPack by a platform has no built manifest here.
    return []
  }
}

/** Words people use for a thing the titles do not name. */
const matches = (query: string, step: StepManifest & { integration: string }) => {
  const text = `${step.integration} ${step.title} ${step.group} ${step.purpose} ${step.id}`.toLowerCase()
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word))
}

/**
 * The pack as a library: integrations, runtime and store put together.
 * Two packs in one process share nothing.
 */
export const createPack = async (options: PackOptions = {}): Promise<Pack> => {
  const clock = options.clock ?? systemClock
  const log = options.log ?? silent
  const store = options.store ?? createMemoryStore({ now: clock.now })
  const vault: Vault = createVault({ masterKey: options.masterKey ?? crypto.getRandomValues(Buffer.alloc(32)) })
  const wire: Wire = createWire({
    now: clock.now,
    monotonic: clock.monotonic,
    sleep: clock.sleep,
    random: options.random ?? Math.random,
    egress: { privateOrigins: [], production: false, ...options.egress },
  })
  const registry = createRegistry(options.integrations ?? shipped, options.wire)
  const accounts = createAccounts(store, vault, options.credentials?.resolve)
  const choices = createOptions({ registry, accounts, wire, clock })
  const { health, ...connections } = createConnections({ registry, accounts, wire, store, vault, clock, log, ownVault: options.credentials !== undefined, forgetOptions: choices.forget })
  const instance = await store.instance()
  const intents = createIntents({ store, clock, log })
  await intents.settle()
  const steps = createSteps({ registry, accounts, wire, store, clock, log, mark: (runId) => `toolyard-${instance}.${runId}`, health, intents })
  const tenants = createTenants({ store, clock })
  await tenants.ensure('default', 'Default')

  return {
    integrations: {
      list: () =>
        registry.all.map(({ integration, steps: all }) => ({
          id: integration.id,
          title: integration.title,
          summary: integration.summary,
          version: integration.version,
          maturity: integration.maturity,
          ready: [...all.values()].every((step) => step.needs.length === 0),
          steps: all.size,
          triggers: integration.triggers?.length ?? 0,
        })),
      manifest: async (id) => buildManifest(registry.integration(id), await readExamples(id)),
    },
    steps: {
      async find({ query, integration } = {}) {
        const from = integration === undefined ? registry.all : [registry.integration(integration)]
        const all = await Promise.all(
          from.map(async (loaded) => {
            const examples = await readExamples(loaded.integration.id)
            return [...loaded.steps.values()].map((found) => ({ integration: loaded.integration.id, ...stepManifest(found, examples) }))
          }),
        )
        const flat = all.flat()
        return query ? flat.filter((step) => matches(query, step)) : flat
      },
      run: steps.run,
      options: choices.load,
    },
    connections,
    apps: createApps({ registry, store, vault, clock }),
    runs: createRuns({ store, clock }),
    tokens: createTokens({ store, clock }),
    tenants,
    ready: () => store.check(),
    registry,
    async close() {
      await wire.close()
      await store.flush()
      await store.close()
    },
  }
}

export { openSqliteStore, readMasterKey } from './store/index.ts'
export type { Caller, Store } from './runtime/ports.ts'
export type { StepCall } from './runtime/steps.ts'
