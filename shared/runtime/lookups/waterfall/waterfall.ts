import { fail, failField, isFailure, isOutcomeUnknown, toFailureJson } from '#kit'
import type { Failure, FailureJson, Outcome, RunMeta } from '#kit'
import { hashRequest } from '../../idempotency.ts'
import { rules } from '../../../api/rules.ts'
import { requireAccess, stepBoundsOf } from '../../bounds.ts'
import type { Intents } from '../../idempotency.ts'
import type { Connections, ConnectionView } from '../../connections/connections.ts'
import type { Registry } from '../../catalogue/registry.ts'
import { actFor } from '../../people/act-for.ts'
import { usesOwn, withName } from '../../people/choose.ts'
import type { DefaultAccount } from '../../people/choose.ts'
import type { Caller, Clock } from '../../ports/index.ts'
import type { Steps } from '../../steps/run-step.ts'
import { createAsk, sum } from './ask-provider.ts'
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
import { merge } from './merge.ts'
import { createQuotes } from './quotes.ts'
import type { Chain, LookupAnswer, LookupCall, ProviderReport, State } from './types.ts'
import { entriesOf, wantable } from './record-fields.ts'
import type { Fields } from './record-fields.ts'

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
  intents: Pick<Intents, 'once'>
  clock: Clock
  newId(): string
  /** Absent: nobody is asked. */
  holds?: LookupHolds | undefined
}

const requireKnownNames = (registry: Registry, { kind, identifiers, want, providers }: LookupCall) => {
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
  if (providers?.length === 0)
    throw failField('providers', 'Name at least one provider, or leave "providers" out to ask all that are connected.')
}

/**
 * Combines the failures when no provider answered; undefined when one did. An unknown outcome comes first, since
 * something may have been paid.
 */
const noneAnswered = (reports: ProviderReport[]): FailureJson | undefined => {
  const failures = reports.flatMap(({ provider, failure }) => (failure ? [{ provider, failure }] : []))
  const [first] = failures.toSorted(
    (providerFailure, other) =>
      Number(isOutcomeUnknown(other.failure)) - Number(isOutcomeUnknown(providerFailure.failure)),
  )
  if (!first || reports.some(({ status }) => status === 'match' || status === 'no_match')) return undefined
  if (failures.length === 1) return first.failure
  return {
    ...first.failure,
    message: `No provider answered. ${failures.map(({ provider, failure }) => `${provider}: ${failure.message}`).join(' ')}`,
  }
}

const notesOn = (record: Fields): string[] => {
  const phones = entriesOf(record, 'phones')
  const count = (flag: string) => phones.filter(({ doNotCall }) => doNotCall === flag).length
  const [barred, unknown] = [count('yes'), count('unknown')]
  return [
    ...(barred > 0
      ? [
          `Do not call ${barred === 1 ? 'one of the numbers' : `${barred} of the numbers`}: it is on a do-not-call list.`,
        ]
      : []),
    ...(unknown > 0
      ? [
          `Of ${unknown === 1 ? 'one number' : `${unknown} numbers`} nobody says whether it may be called; unknown does not mean that it may.`,
        ]
      : []),
  ]
}

/**
 * The hash that an idempotency key is bound to. It includes the caller's bounds: a caller that may use other providers
 * makes a different request.
 */
const hashOf = (
  caller: Caller,
  { kind, identifiers, want, providers, maxCredits, maxAge, refresh, connections: chosen }: LookupCall,
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
  return hashRequest(['lookup', ...hashedParts, caller.connections ?? null, ...stepBoundsOf(caller), ...ofPerson])
}

const answerOf = (kind: LookupCall['kind'], { reports, parts, records, missing }: State): LookupAnswer => {
  const { record, sources, conflicts } = merge(kind, parts)
  const matched = parts.length > 0
  return {
    matched,
    complete: missing.length === 0,
    missing,
    ...(matched ? { record } : {}),
    sources,
    conflicts,
    notes: notesOn(record),
    providers: reports,
    records,
  }
}

const createMeta =
  (clock: Pick<Clock, 'monotonic'>) =>
  (id: string, began: number, { reports, attempts }: State): RunMeta => {
    const runReports = reports.filter(({ runId }) => runId !== undefined)
    return {
      runId: id,
      durationMs: Math.round(clock.monotonic() - began),
      attempts,
      credits: { charged: sum(reports), estimated: reports.some(({ estimated }) => estimated) },
      ...(runReports.length > 0 && runReports.every(({ cached }) => cached) ? { cached: true } : {}),
    }
  }

export const createWaterfall = ({
  run,
  registry,
  connections,
  orderFor,
  linkFor,
  intents,
  clock,
  newId,
  holds,
}: WaterfallDependencies): Lookups => {
  const ask = createAsk({ run, clock })
  const quotes = createQuotes({ run, clock })

  const metaOf = createMeta(clock)

  const perform = async (chain: Chain, began: number): Promise<Outcome> => {
    const state: State = { reports: [], parts: [], records: [], missing: [...new Set(chain.call.want)], attempts: 0 }
    try {
      for (const candidate of chain.candidates) await ask(chain, candidate, state)
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      return { ok: false, failure: toFailureJson(thrown), meta: metaOf(chain.id, began, state) }
    }
    const { reports } = state
    const failure = noneAnswered(reports)
    if (failure) return { ok: false, failure, meta: metaOf(chain.id, began, state) }
    if (reports.every(({ status }) => status === 'skipped')) {
      const why = reports.map(({ provider, reason }) => `${provider}: ${reason}`).join(' ')
      return {
        ok: false,
        failure: toFailureJson(failField('identifiers', `No provider can go by these identifiers. ${why}`)),
        meta: metaOf(chain.id, began, state),
      }
    }
    return { ok: true, value: answerOf(chain.call.kind, state), meta: metaOf(chain.id, began, state) }
  }

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

  const candidatesFor = async (chain: Omit<Chain, 'candidates'>): Promise<Candidate[]> => {
    const { caller, call } = chain
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
    const all = call.providers ? namedCandidates(candidateSource, call.providers) : connectedCandidates(candidateSource)
    if (all.length === 0) throw await notConnected(caller, call, order)
    requireWellFormed(all, call.identifiers, call.want)
    return call.providers ? all : quotes.byPrice(chain, all)
  }

  return {
    async run(requestedBy, call) {
      const id = call.runId ?? newId()
      const began = clock.monotonic()
      try {
        const caller = actFor(requestedBy, call.person)
        const chain = { id, caller, call }
        const work = async (): Promise<Outcome> => {
          const whole: Chain = { ...chain, candidates: await candidatesFor(chain) }
          const pass = await passLookup(holds, quotes, whole, hashOf(caller, call))
          return 'outcome' in pass ? pass.outcome : perform({ ...whole, ...pass }, began)
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
