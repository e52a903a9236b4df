import { describeDefect, fail, failField, isFailure, toFailureJson } from '#kit'
import type { Failure, Outcome } from '#kit'
import { hashRequest } from '../../idempotency.ts'
import { rules } from '../../../api/rules.ts'
import { requireAccess, stepBoundsOf } from '../../bounds.ts'
import type { Intents } from '../../idempotency.ts'
import type { Connections, ConnectionView } from '../../connections/connections.ts'
import type { Registry } from '../../catalogue/registry.ts'
import { actFor } from '../../people/act-for.ts'
import { usesOwn, withName } from '../../people/choose.ts'
import type { DefaultAccount } from '../../people/choose.ts'
import type { Caller, Clock, Log, LookupStore } from '../../ports/index.ts'
import type { Steps } from '../../steps/run-step.ts'
import { createAskChain, newState } from './ask-chain.ts'
import {
  connectedCandidates,
  identifierNames,
  integrationsFor,
  namedCandidates,
  requireWellFormed,
} from './candidates.ts'
import type { Candidate } from './candidates.ts'
import { passLookup } from './hold-lookup.ts'
import type { LookupHolds } from './hold-lookup.ts'
import { createExpectedCost } from './expected-cost.ts'
import { createQuotes } from './quotes.ts'
import { createFileSimulation } from './simulate-file.ts'
import type { SimulateFile } from './simulate-file.ts'
import type { Chain, LookupCall } from './types.ts'
import { wantable } from './record-fields.ts'

export type { LookupAnswer, LookupCall, LookupPlan } from './types.ts'
export type Lookups = { run(caller: Caller, call: LookupCall): Promise<Outcome> }

type WaterfallDependencies = {
  run: Steps['run']
  registry: Registry
  connections: Pick<Connections, 'list'>
  /** What a call without `connection` takes. */
  orderFor(tenant: string): Promise<DefaultAccount>
  /** The address where the person of a call connects an account; undefined where nobody can. */
  linkFor(caller: Caller, integration: string): Promise<string | undefined>
  intents: Pick<Intents, 'once' | 'startedKeys'>
  clock: Clock
  log: Log
  store: Pick<LookupStore, 'lookupRates'>
  newId(): string
  /** Absent: nobody is asked. */
  holds?: LookupHolds | undefined
}

const requireKnownNames = (
  registry: Registry,
  { kind, identifiers, want, providers, order, maxCredits }: LookupCall,
) => {
  const knownNames = identifierNames(registry, kind)
  if (knownNames.length === 0) throw fail('not_found', `No integration here looks up a ${kind}.`)
  const fields = wantable(kind)
  for (const name of Object.keys(identifiers))
    if (!knownNames.includes(name))
      throw failField(
        `/identifiers/${name}`,
        `"${name}" is not an identifier of a ${kind}. There are: ${knownNames.join(', ')}.`,
      )
  if (Object.keys(identifiers).length === 0)
    throw failField('identifiers', `Give at least one identifier: ${knownNames.join(', ')}.`)
  want.forEach((name, index) => {
    if (!fields.includes(name))
      throw failField(`/want/${index}`, `"${name}" is not a field of a ${kind}. There are: ${fields.join(', ')}.`)
  })
  if (want.length === 0) throw failField('want', `Name at least one field that is wanted: ${fields.join(', ')}.`)
  if (order && maxCredits === undefined)
    throw failField(
      'maxCredits',
      'Give the most that the lookup may cost: with this order the server chooses whom it pays.',
    )
  if (providers?.length === 0)
    throw failField('providers', 'Name at least one provider, or leave "providers" out to ask all that are connected.')
}

/**
 * The hash that an idempotency key is bound to. It includes the caller's bounds: a caller that may use other providers
 * makes a different request.
 */
const hashOf = (
  caller: Caller,
  { kind, identifiers, want, providers, order, maxCredits, maxAge, refresh, connections: chosen }: LookupCall,
) => {
  const hashedParts = [
    kind,
    chosen ?? null,
    identifiers,
    want,
    providers ?? null,
    maxCredits ?? null,
    maxAge ?? null,
    refresh ?? null,
  ]
  const ofPerson = caller.person === undefined ? [] : [{ person: caller.person }]
  const ofOrder = order === undefined ? [] : [{ order }]
  return hashRequest([
    'lookup',
    ...hashedParts,
    caller.connections ?? null,
    ...stepBoundsOf(caller),
    ...ofPerson,
    ...ofOrder,
  ])
}

export const createWaterfall = ({
  run,
  registry,
  connections,
  orderFor,
  linkFor,
  intents,
  clock,
  log,
  store: { lookupRates },
  newId,
  holds,
}: WaterfallDependencies): Lookups & { simulate: SimulateFile } => {
  const quotes = createQuotes({ run, clock })
  /** An order without counts is better than an answer, perhaps paid for, that is lost. */
  const readRates: LookupStore['lookupRates']['find'] = (tenant, kind, segments) =>
    lookupRates.find(tenant, kind, segments).catch((thrown: unknown) => {
      log('error', 'lookup.rates_not_read', { tenant, kind, ...describeDefect(thrown) })
      return []
    })
  const expectedCost = createExpectedCost({ find: readRates }, quotes)
  const askChain = createAskChain({ run, clock, log, lookupRates, expectedCost, intents })

  /** For a person, with the address where they connect an account at the first provider that the call may ask. */
  const notConnected = async (caller: Caller, { kind }: LookupCall, order: DefaultAccount): Promise<Failure> => {
    if (usesOwn(caller, order))
      for (const { id, title } of integrationsFor(registry, caller, kind)) {
        const connectUrl = await linkFor(caller, id)
        if (connectUrl !== undefined)
          return fail(
            'not_connected',
            `This person has no account of a provider that looks up a ${kind}. Connect one, such as ${title}, then run this again.`,
            { connectUrl },
          )
      }
    return fail(
      'not_connected',
      `No account of a provider that looks up a ${kind} is connected. Connect one, then run this again.`,
    )
  }

  /** Those that may be asked, as named or in no order. */
  const candidatesOf = async ({ caller, call }: Omit<Chain, 'candidates'>): Promise<Candidate[]> => {
    const { connections: named = {} } = call
    const chosen = (integration: string, own: ConnectionView[]) => {
      const idOrName = named[integration]
      if (idOrName === undefined) return own
      return own.find(({ id }) => id === idOrName) ?? withName(caller, own, idOrName) ?? []
    }
    const order = await orderFor(caller.tenant)
    const byIntegration = Map.groupBy(await connections.list(caller), ({ integration }) => integration)
    const candidateSource = {
      registry,
      caller,
      kind: call.kind,
      connections: [...byIntegration].flatMap(([integration, own]) => chosen(integration, own)),
      named: new Set(Object.keys(named)),
      order,
    }
    return call.providers ? namedCandidates(candidateSource, call.providers) : connectedCandidates(candidateSource)
  }

  const candidatesFor = async (chain: Omit<Chain, 'candidates'>): Promise<Candidate[]> => {
    const { caller, call } = chain
    const all = await candidatesOf(chain)
    if (all.length === 0) throw await notConnected(caller, call, await orderFor(caller.tenant))
    requireWellFormed(all, call.identifiers, call.want)
    if (call.order) return expectedCost.order(chain, all, newState(call))
    return call.providers ? all : quotes.byPrice(chain, all)
  }

  return {
    simulate: createFileSimulation({ rates: { find: readRates }, quotes, expectedCost, candidatesOf }),
    async run(requestedBy, call) {
      const id = call.runId ?? newId()
      const began = clock.monotonic()
      try {
        const caller = actFor(requestedBy, call.person)
        const chain = { id, caller, call }
        const work = async (): Promise<Outcome> => {
          const whole: Chain = { ...chain, candidates: await candidatesFor(chain) }
          const pass = await passLookup(holds, quotes, whole, hashOf(caller, call))
          return 'outcome' in pass ? pass.outcome : askChain({ ...whole, ...pass }, began)
        }
        requireAccess(caller, rules.lookUp)
        requireKnownNames(registry, call)
        if (call.dryRun) return await quotes.plan({ ...chain, candidates: await candidatesFor(chain) }, began)
        if (call.idempotencyKey === undefined) return await work()
        return await intents.once(
          caller,
          call.idempotencyKey,
          { hash: hashOf(caller, call), isFormer: () => Promise.resolve(false) },
          id,
          work,
        )
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        return {
          ok: false,
          failure: toFailureJson(thrown),
          meta: { runId: id, durationMs: Math.round(clock.monotonic() - began), attempts: 0 },
        }
      }
    },
  }
}
