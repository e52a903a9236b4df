import { isFailure, leavesUntried, meets, toFailureJson, wasUnderstood } from '#kit'
import type { EndpointProfile, FailureJson } from '#kit'
import type { Reply } from '../../wire/types.ts'
import type { Audit } from '../admin/audit.ts'
import type { LoadedIntegration, Registry } from '../catalogue/registry.ts'
import { mustGetConnection } from '../connections/connections.ts'
import type { Health } from '../connections/health.ts'
import type { OpenConnection, OpenConnections } from '../connections/open-connection.ts'
import { requireUsable } from '../connections/resolve.ts'
import type { Gate, ProvenEndpoints } from '../gate/pass.ts'
import { createSpend, noSpend } from '../gate/spend.ts'
import type { Hold } from '../approvals/hold.ts'
import type { RunSpend, Spend } from '../gate/spend.ts'
import type { Reservations } from '../credits/reservations.ts'
import type { Caller, Clock, Run, Store } from '../ports/index.ts'
import { exchangeWith, noMatchIn, notUnderstood, requireAnswer } from '../endpoints/answers.ts'
import { endpointRequest } from '../endpoints/endpoint-request.ts'
import { isUnderstood, readingOf } from '../endpoints/endpoints.ts'
import { foundRecord, takeList, takeRecord } from '../endpoints/records.ts'
import { newRunId } from './run-id.ts'
import { exchangesOf } from './run-records.ts'
import { openSession } from '../session/session.ts'
import type { Session } from '../session/session.ts'
import type { Privacy } from '../privacy/guard.ts'
import { requireRun } from '../bounds.ts'
import type { WireCheck } from '../../api/resources/wire-check.ts'

export type { WireCheck }

/** The result for one endpoint. */
export type EndpointCheck = WireCheck['endpoints'][number]

/**
 * Tries the endpoints of the connection's profile, each with its probe; an integration without endpoints has none to
 * try. Probes that may cost credits are sent only with `spend`; a repeat with the same `idempotencyKey` returns the
 * first result.
 */
export type CheckWire = (
  caller: Caller,
  id: string,
  options?: { spend?: boolean | undefined; idempotencyKey?: string | undefined },
) => Promise<WireCheck>

type Probe = NonNullable<EndpointProfile['probe']>

/** A probe being sent. */
type Try = {
  caller: Caller
  runId: string
  session: Session
  name: string
  endpoint: EndpointProfile
  probe: Probe
  began: number
  paid: PaidProbe | undefined
}
/** The reservation of a paid probe. `isAnnounced`: its row and its reservation are durable, so it may be sent. */
type PaidProbe = { spend: RunSpend; isAnnounced: boolean }

const refusesRequest = new Set([400, 422])

const probeOf = ({ wire }: LoadedIntegration, name: string, endpoint: EndpointProfile): Probe | undefined =>
  endpoint.probe ?? (wire.test?.endpoint === name ? { values: wire.test.values ?? {}, credits: 0 } : undefined)

/** Describes in a sentence what a reply shows. @throws Failure saying what is wrong with the reply */
const readReply = (session: Session, name: string, endpoint: EndpointProfile, reply: Reply): string => {
  const { loaded } = session.loaded
  const paths = endpoint.record ?? ['']
  const taken = takeRecord(reply.body, paths, endpoint.recordIs)
  // An object that contains a list is also accepted as a record where the whole body may be one.
  const list = takeList(reply.body, paths) ?? ('record' in taken ? [taken.record] : undefined)
  if (list?.length === 0) return 'It answered that it has no such record.'
  const reading = readingOf(loaded, endpoint)
  const from = { provider: loaded.integration.id, endpoint: name, at: 0 }
  if (!list?.some((raw) => isUnderstood(foundRecord(raw, reading, from), reading)))
    throw notUnderstood(
      session,
      name,
      'The provider answered, but not with what the wire profile expects.',
      `endpoints.${name}.record`,
      reply.body,
    )
  session.provenEndpoints?.note(session, name)
  return Object.keys(reading.aliases).length === 0 ? 'It answered as expected.' : 'It answered with a record.'
}

type WireCheckDependencies = {
  registry: Registry
  store: Pick<Store, 'connections' | 'runs'>
  openConnections: OpenConnections
  gate: Gate
  provenEndpoints: ProvenEndpoints
  health: Health
  clock: Clock
  audit: Audit
  reservations: Reservations
  privacy: Pick<Privacy, 'of'>
  /** Absent: nobody is asked. */
  hold?: Hold | undefined
}

const rowOf = (
  clock: Clock,
  { caller, runId, began, probe: { credits }, session: { opened, loaded, used } }: Try,
  failure: FailureJson | undefined,
): Run => {
  const durationMs = clock.monotonic() - began
  return {
    id: runId,
    tenant: caller.tenant,
    integration: loaded.loaded.integration.id,
    step: 'wire-check',
    connection: opened.connection.id,
    token: caller.token ?? null,
    person: caller.person ?? opened.connection.person ?? null,
    startId: null,
    parentId: null,
    jobId: null,
    effect: 'read',
    state: failure ? 'failed' : 'done',
    code: failure?.code ?? null,
    failure: failure ?? null,
    attempts: used.attempts,
    calls: used.calls,
    credits: used.calls > 0 ? credits : 0,
    creditsEstimated: true,
    waitedMs: Math.round(used.waitedMs),
    refused: used.refused,
    exchanges: exchangesOf(used, began),
    summary: null,
    createdAt: Math.round(clock.now() - durationMs),
    durationMs,
  }
}

type ProbeDependencies = Pick<
  WireCheckDependencies,
  'store' | 'gate' | 'provenEndpoints' | 'clock' | 'audit' | 'reservations' | 'privacy'
>

/** How probes are sent and paid for. */
const createProbes = ({ store, gate, provenEndpoints, clock, audit, reservations, privacy }: ProbeDependencies) => {
  const payFor = (
    { tenant, token, person }: Caller,
    runId: string,
    { connection }: OpenConnection,
    { integration }: LoadedIntegration,
    credits: number,
  ): PaidProbe => {
    const entry = {
      tenant,
      entry: runId,
      job: null,
      connection: connection.id,
      integration: integration.id,
      step: 'wire-check',
      token: token ?? null,
      person: person ?? connection.person ?? null,
    }
    const spend = createSpend({ entry, reservations, now: () => clock.now(), maxCredits: undefined })
    spend.reserve(credits)
    return { spend, isAnnounced: false }
  }

  const sessionFor = (
    caller: Caller,
    runId: string,
    opened: OpenConnection,
    loaded: LoadedIntegration,
    { credits }: Probe,
    spend: Spend,
    onSending?: () => Promise<void>,
  ) =>
    openSession({
      gate,
      clock,
      loaded: loaded.steps.get('api-call')!,
      opened,
      effect: 'read',
      // With a cost, the request is never retried.
      cost: credits > 0 ? { unit: 'credit', per: 'call', typical: [credits, credits] } : undefined,
      deadlineAt: clock.monotonic() + loaded.wire.timeouts.totalMs,
      guards: { spend, privacy: privacy.of(caller.tenant) },
      provenEndpoints,
      onSending,
      audit: audit.forRun(caller, { runId, startId: null }),
    })

  /** Stores the row and the reservation before a paid probe is sent, as for every run. */
  const announce = async (attempt: Try) => {
    const { paid } = attempt
    await store.runs.record({ ...rowOf(clock, attempt, undefined), state: 'sending' }, { admits: true })
    paid!.isAnnounced = true
    await paid!.spend.commit()
  }
  const recordSpent = (attempt: Try, failure: FailureJson | undefined) => {
    const { spend } = attempt.paid!
    if (attempt.session.used.calls > 0) spend.count(attempt.probe.credits, 'estimated')
    return store.runs.record(rowOf(clock, attempt, failure), { settles: spend.settlement(clock.now()) })
  }

  return { payFor, sessionFor, announce, recordSpent }
}

const ask = async ({
  session,
  name,
  endpoint,
  probe: { values },
}: Try): Promise<Pick<EndpointCheck, 'state' | 'says'>> => {
  const { loaded } = session.loaded
  const reply = await exchangeWith(session, name, { ...endpointRequest(loaded, name, values), isQuoted: true })
  const { status } = reply
  if (await noMatchIn(session, name, reply)) return { state: 'ok', says: 'It answered that it has no such record.' }
  if (loaded.wire.validKey?.some((condition) => reply.json && meets(condition, reply))) {
    // A refused request may be the fault of the profile.
    if (refusesRequest.has(status))
      return { state: 'untried', says: `It refused the request with ${status}: the key works, the rest is not shown.` }
    return { state: 'ok', says: `It answered ${status}, as only a valid key is answered.` }
  }
  await requireAnswer(session, name, endpoint, reply)
  return { state: 'ok', says: readReply(session, name, endpoint, reply) }
}

export const createWireCheck = ({
  registry,
  openConnections,
  health,
  hold,
  ...probing
}: WireCheckDependencies): CheckWire => {
  const { store, provenEndpoints, clock } = probing
  const { payFor, sessionFor, announce, recordSpent } = createProbes(probing)

  const send = async (attempt: Try): Promise<Pick<EndpointCheck, 'state' | 'says' | 'failure'>> => {
    const { session } = attempt
    let failure: FailureJson | undefined
    try {
      const shown = await ask(attempt)
      health.worked(session)
      return shown
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      health.refused(session, thrown)
      failure = toFailureJson(thrown)
      const state = wasUnderstood(thrown) ? 'ok' : leavesUntried(thrown) ? 'untried' : 'wrong'
      return { state, says: thrown.message, failure }
    } finally {
      if (attempt.paid?.isAnnounced) await recordSpent(attempt, failure)
    }
  }

  const checkOne = async (
    caller: Caller,
    opened: OpenConnection,
    loaded: LoadedIntegration,
    name: string,
    spend: boolean,
  ): Promise<EndpointCheck> => {
    const endpoint = loaded.wire.endpoints![name]!
    const { method, path } = endpoint
    const head = { endpoint: name, method, path }
    if (path === null)
      return { ...head, state: 'untried', says: `Its path is not set: "${loaded.setting}.endpoints.${name}.path".` }
    const probe = probeOf(loaded, name, endpoint)
    const runId = newRunId()
    const paid = probe && probe.credits > 0 ? payFor(caller, runId, opened, loaded, probe.credits) : undefined
    const session = sessionFor(
      caller,
      runId,
      opened,
      loaded,
      probe ?? { values: {}, credits: 0 },
      paid?.spend ?? noSpend,
      paid && (() => announce(attempt!)),
    )
    let attempt: Try | undefined
    const isFree = probe !== undefined && (probe.credits === 0 || spend)
    if (!isFree && (await provenEndpoints.has(session, name)))
      return { ...head, state: 'ok', says: 'It has given this connection a match.' }
    if (probe === undefined)
      return {
        ...head,
        state: 'untried',
        says: 'No request is known that would try it without perhaps costing credits; the first match shows that it works.',
      }
    const cost = probe.credits > 0 ? { credits: probe.credits } : {}
    if (!isFree)
      return {
        ...head,
        state: 'untried',
        says: `Trying it may cost ${probe.credits} ${probe.credits === 1 ? 'credit' : 'credits'}.`,
        ...cost,
      }
    attempt = { caller, runId, session, name, endpoint, probe, began: clock.monotonic(), paid }
    return { ...head, ...cost, ...(await send(attempt)) }
  }

  return async (caller, id, { spend = false } = {}) => {
    const row = await mustGetConnection(store, caller, id)
    const loaded = registry.forConnection(row)
    // Paid probes cost what steps cost, so the token must be allowed to send any request.
    const apiCall = loaded.steps.get('api-call')!
    if (spend) requireRun(caller, apiCall)
    const names = Object.keys(loaded.wire.endpoints ?? {})
    const opened = await openConnections.openConnection(row, loaded)
    requireUsable(opened)
    const credits = names.reduce(
      (sum, name) => sum + (probeOf(loaded, name, loaded.wire.endpoints![name]!)?.credits ?? 0),
      0,
    )
    if (spend && credits > 0)
      await hold?.refuse({ caller, loadedStep: apiCall, effect: 'read', connection: row.id }, credits)
    const endpoints: EndpointCheck[] = []
    // One after another, since they use the same rate limit as everybody's calls.
    for (const name of names) endpoints.push(await checkOne(caller, opened, loaded, name, spend))
    return {
      integration: row.integration,
      profile: loaded.wire.profile,
      connection: { id: row.id, name: row.name },
      endpoints,
    }
  }
}
