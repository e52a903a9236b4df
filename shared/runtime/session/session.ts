import type { Lookup, LookupResult } from '#kit'
import type { OpenConnection } from '../connections/open-connection.ts'
import type { LoadedStep } from '../catalogue/registry.ts'
import type { FilesRuntime } from '../files/files.ts'
import type { Guards, Pass } from '../gate/pass.ts'
import { noSpend } from '../gate/spend.ts'
import type { Caller, Clock } from '../ports/index.ts'

type Values = Record<string, unknown>
/**
 * The provider's answer for one of the records. `onlyStrongest`: for its first set of identifiers only; the others were
 * not tried.
 */
export type Answered = { record: number; result: Lookup; onlyStrongest?: boolean }

/** Answers lookups without paying twice. A set also has the values that identify nobody, under the names in `along`. */
export type SessionLookups = {
  /** One lookup: answered from a fresh earlier result, from the same lookup in progress, or by `send`. */
  lookUpOne(
    session: Session,
    endpoint: string,
    sets: Values[],
    along: readonly string[],
    send: () => Promise<Lookup>,
  ): Promise<Lookup>
  /**
   * Many lookups of distinct records. `send` gets the positions of the records that must be sent, and calls `answered`
   * as soon as the provider has answered some. `onlyStrongest`: set where a no match covers only the first set of
   * identifiers; the reason that such a result then has.
   */
  many(
    session: Session,
    endpoint: string,
    records: Values[][],
    options: { along: readonly string[]; onlyStrongest: string | undefined },
    send: (records: number[], answered: (answers: Answered[]) => Promise<void>) => Promise<LookupResult[]>,
  ): Promise<LookupResult[]>
}

/** Sends single lookups that arrive together in one bulk request. */
export type SessionMerging = {
  /** Whether a lookup may be sent together with others. */
  isMerged(session: Session, endpoint: string): boolean
  /** Whether a lookup may cost a different price in such a request than alone. */
  hasOwnPrice(session: Session, endpoint: string): boolean
  /** The result for one set of values; undefined when it must be sent alone. */
  send(session: Session, endpoint: string, values: Values, along: readonly string[]): Promise<Lookup | undefined>
}

/** Which earlier results a run accepts: those up to `maxAgeMs` old, or none with `refresh`. */
export type Freshness = { maxAgeMs?: number | undefined; refresh?: boolean | undefined }

/** For whom a run opens stored files, and to which run and connection those belong that it makes. */
export type SessionFiles = { files: FilesRuntime; caller: Caller; runId: string }

/** How lookups may be answered from earlier results, and how they may be sent. */
type LookupUse = {
  /** Absent outside runs of steps: then every lookup is sent. */
  lookups: SessionLookups | undefined
  freshness: Freshness | undefined
  /** Absent outside runs of steps: then every lookup is sent alone. */
  merging: SessionMerging | undefined
  /**
   * Whether the caller wants its lookups sent together with others. Undefined: where the provider charges only for
   * matches and the budget has room for the price.
   */
  merge: boolean | undefined
}

/** What one piece of work at a provider (a step run, an option load, a poll) may use, and what it records. */
export type Session = Pass &
  LookupUse & {
    clock: Clock
    progress: ((done: number, total?: number) => void) | undefined
    /** Absent outside runs of steps. */
    files: SessionFiles | undefined
  }

type Needed = Pick<Session, 'gate' | 'clock' | 'loaded' | 'opened' | 'effect' | 'deadlineAt'> & { guards: Guards }
type Optional = {
  [name in Exclude<keyof Session, keyof Needed | 'spend' | 'privacy' | 'isUpkeep' | 'used' | 'notes' | 'lastWrite'>]?:
    | Session[name]
    | undefined
}

/** The step with the wire profile of the connection, which may differ from the operator's. */
export const stepWith = (loadedStep: LoadedStep, { loaded }: OpenConnection): LoadedStep => {
  if (loaded === undefined || loaded === loadedStep.loaded) return loadedStep
  // The options of a trigger's field are loaded by a step made for that field, which is not in `steps`.
  const isOwn = loadedStep.loaded.steps.get(loadedStep.step.id) === loadedStep
  return (isOwn ? loaded.steps.get(loadedStep.step.id) : undefined) ?? { ...loadedStep, loaded }
}

/** The only place that creates a session. It sets every field, since the exchange reads them on its hot path. */
export const openSession = (options: Needed & Optional): Session => {
  const loaded = stepWith(options.loaded, options.opened)
  const { guards } = options
  return {
    gate: options.gate,
    clock: options.clock,
    loaded,
    opened: options.opened,
    effect: options.effect,
    cost: options.cost,
    correlationId: options.correlationId ?? '',
    signal: options.signal,
    deadlineAt: options.deadlineAt,
    priority: options.priority ?? 'interactive',
    noWait: options.noWait ?? false,
    progress: options.progress,
    onSending: options.onSending,
    checkBeforeSending: options.checkBeforeSending,
    recheck: options.recheck,
    spend: guards === 'upkeep' ? noSpend : guards.spend,
    // Only providers with endpoints return data about people.
    privacy: guards === 'upkeep' || loaded.loaded.wire.endpoints === undefined ? undefined : guards.privacy,
    isUpkeep: guards === 'upkeep',
    permit: options.permit,
    used: {
      attempts: 0,
      waitedMs: 0,
      refused: 0,
      tried: [],
      calls: 0,
      credits: 0,
      estimated: false,
      lastStatus: undefined,
      proven: false,
      repeats: false,
    },
    provenEndpoints: options.provenEndpoints,
    lookups: options.lookups,
    freshness: options.freshness,
    merging: options.merging,
    merge: options.merge,
    files: options.files,
    notes: {},
    audit: options.audit,
    policy: options.policy,
    lastWrite: undefined,
    onWritten: options.onWritten,
  }
}
