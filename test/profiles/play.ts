import { defineStep, z } from '#kit'
import type { Outcome, RunMeta } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import type { AnzProfile } from '../../shared/sandbox/anz/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactProfile } from '../../shared/sandbox/contact/index.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { createIntents } from '../../shared/runtime/idempotency.ts'
import type { OpenConnection, OpenConnections } from '../../shared/runtime/connections/open-connection.ts'
import { createProvenEndpoints } from '../../shared/runtime/endpoints/proven-endpoints.ts'
import { createRunRecords } from '../../shared/runtime/steps/run-records.ts'
import { createReservations } from '../../shared/runtime/credits/reservations.ts'
import { findCharged } from '../../shared/runtime/endpoints/charged-records.ts'
import { createGate } from '../../shared/runtime/gate/gate.ts'
import { createRunSessions } from '../../shared/runtime/steps/run-sessions.ts'
import { createSteps } from '../../shared/runtime/steps/run-step.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { createWire } from '../../shared/wire/index.ts'
import { idleClock } from './idle-clock.ts'

/**
 * A ready profile and the sandbox of its vendor, over real HTTP and with one clock that both read: what waits for a
 * rate limit takes no time, and the sandbox sees how long it waited. Beside the steps of the integration there are some
 * that pass on what they are given, to any endpoint.
 */

type Values = Record<string, unknown>
const values = () => z.record(z.string(), z.unknown()).meta({ title: 'Values', description: 'Our fields.' })
const endpoint = () => z.string().meta({ title: 'Endpoint', description: 'Its name.' })
const parts = {
  group: 'Any',
  purpose: 'Passes on.',
  effect: 'read' as const,
  output: () => z.unknown(),
  cost: { unit: 'credit' as const, per: 'match' as const, typical: [1, 1] as [number, number] },
}

const passing = () => [
  defineStep({
    ...parts,
    id: 'any-find',
    title: 'Any Find',
    input: () => z.strictObject({ endpoint: endpoint(), sets: z.array(values()), along: values().optional() }),
    run: (ctx, input) => ctx.lookup(input.endpoint, input.sets, input.along),
  }),
  defineStep({
    ...parts,
    id: 'any-find-many',
    title: 'Any Find Many',
    input: () =>
      z.strictObject({ endpoint: endpoint(), records: z.array(z.array(values())), along: values().optional() }),
    run: async (ctx, { endpoint: name, records, along }) => ({
      results: await ctx.lookupMany(name, records, along === undefined ? undefined : records.map(() => along)),
    }),
  }),
  defineStep({
    ...parts,
    id: 'any-search',
    title: 'Any Search',
    input: () =>
      z.strictObject({
        endpoint: endpoint(),
        filters: values(),
        limit: z.int().optional(),
        cursor: z.string().optional(),
      }),
    run: (ctx, { endpoint: name, filters, ...page }) => ctx.search(name, filters, page as { limit?: number }),
  }),
  defineStep({
    ...parts,
    id: 'any-ask',
    title: 'Any Ask',
    input: () => z.strictObject({ endpoint: endpoint(), values: values() }),
    run: async (ctx, input) => ({ body: await ctx.ask(input.endpoint, input.values) }),
  }),
]

const homes = { 'anz-data': startAnzSandbox, 'contact-data': startContactSandbox }
export type Home = keyof typeof homes
export type ProfileName = AnzProfile | ContactProfile
type SandboxOptions = NonNullable<Parameters<typeof startContactSandbox>[0]>

export type Ran = {
  value: Record<string, any>
  failure: Extract<Outcome, { ok: false }>['failure'] | undefined
  meta: RunMeta
}

export const play = async (
  home: Home,
  profile: ProfileName,
  options: Omit<SandboxOptions, 'profile'> & { wire?: Values; apiKey?: string } = {},
) => {
  const { wire: laidOver = {}, ...sandboxOptions } = options
  const clock = idleClock()
  const sandbox = await homes[home]({ ...sandboxOptions, now: clock.now, profile: profile as never })
  const own = integrations.find(({ id }) => id === home)!
  const integration = { ...own, steps: [...own.steps, ...passing()] }
  const registry = createRegistry([integration], { [home]: { profile, baseUrl: sandbox.origin, ...laidOver } })
  const wire = createWire({
    now: clock.now,
    monotonic: clock.monotonic,
    sleep: clock.sleep,
    random: () => 0.5,
    egress: { production: false, privateOrigins: [sandbox.origin] },
  })
  const store = createMemoryStore()
  const log = () => {}
  let keys = 0
  /** A connection of its own, which nothing is known of: another key, or the same one anew. */
  const connect = (apiKey = sandbox.credentials.apiKey): OpenConnection => {
    const id = `con_${(keys += 1)}`
    const { stepPolicy } = registry.integration(home)
    return {
      connection: {
        id,
        tenant: 't',
        integration: home,
        type: 'api-key',
        name: 'Main',
        state: 'connected',
      } as OpenConnection['connection'],
      account: { key: `t/${id}`, tenant: 't', appKey: home, type: 'api-key', secrets: { apiKey } },
      stepPolicy,
      apiPolicy: stepPolicy,
      usesApp: false,
      live: true,
    }
  }
  let opened = connect()
  const steps = createSteps({
    registry,
    openConnections: { open: () => opened } as unknown as OpenConnections,
    store,
    clock,
    intents: createIntents({ store, clock, log }),
    sessions: createRunSessions({
      reservations: createReservations({ store, log: () => {} }),
      gate: createGate(wire, findCharged),
      clock,
      store,

      causation: { correlationIdOf: () => 'mark', isNeeded: () => false, began: () => {}, wrote: () => {} },
      provenEndpoints: createProvenEndpoints({ store, clock, log }),
    }),
    records: createRunRecords({ store, health: { worked: () => {}, refused: () => {} }, clock, log }),
  })
  const run = async (step: string, input: unknown, call: object = {}): Promise<Ran> => {
    const outcome = await steps.run({ tenant: 't' }, { integration: home, step, input, ...call })
    return {
      value: (outcome.ok ? outcome.value : {}) as Record<string, any>,
      failure: outcome.ok ? undefined : outcome.failure,
      meta: outcome.meta,
    }
  }
  return {
    control: sandbox.control,
    store,
    clock,
    run,
    find: (name: string, sets: Values[], along?: Values) =>
      run('any-find', { endpoint: name, sets, ...(along ? { along } : {}) }),
    findMany: (name: string, records: Values[][], along?: Values) =>
      run('any-find-many', { endpoint: name, records, ...(along ? { along } : {}) }),
    search: (name: string, filters: Values, page: Values = {}) =>
      run('any-search', { endpoint: name, filters, ...page }),
    ask: (name: string, endpointValues: Values = {}) => run('any-ask', { endpoint: name, values: endpointValues }),
    /** From here on another connection is used. */
    reconnect: (apiKey?: string) => void (opened = connect(apiKey)),
    async close() {
      clock.stop()
      await Promise.all([wire.close(), sandbox.close()])
    },
  }
}
export type Play = Awaited<ReturnType<typeof play>>
