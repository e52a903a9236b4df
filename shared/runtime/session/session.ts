import type { Lookup, LookupResult, OpenFile } from '#kit'
import type { OpenConnection } from '../connections/open-connection.ts'
import type { LoadedStep } from '../catalogue/registry.ts'
import type { FileWriter, NewFile } from '../files/writer.ts'
import type { Guards, Pass } from '../gate/pass.ts'
import { noSpend } from '../gate/spend.ts'
import type { Clock } from '../ports/index.ts'

type Values = Record<string, unknown>
/**
 * What the provider said of one of the records. `onlyStrongest`: of its first set of identifiers alone, since the
 * others were not tried.
 */
export type Answered = { record: number; result: Lookup; onlyStrongest?: boolean }

/** How lookups are answered without paying twice. Sets hold what goes along too, under the names in `along`. */
export type SessionLookups = {
  /** One lookup: an earlier result that is fresh, that of the same one under way, or what `send` gives. */
  lookUpOne(
    session: Session,
    endpoint: string,
    sets: Values[],
    along: readonly string[],
    send: () => Promise<Lookup>,
  ): Promise<Lookup>
  /**
   * The same for each of many records, which differ. `send` is given the places of those that have to be sent, and says
   * what the provider answered as soon as it did. `onlyStrongest`: a no match is what the provider has no match for by
   * the first set; what such a result says then.
   */
  many(
    session: Session,
    endpoint: string,
    records: Values[][],
    options: { along: readonly string[]; onlyStrongest: string | undefined },
    send: (records: number[], answered: (answers: Answered[]) => Promise<void>) => Promise<LookupResult[]>,
  ): Promise<LookupResult[]>
}

/** Sends single lookups that arrive together as one bulk request. */
export type SessionMerging = {
  /** Whether a lookup is sent with others that arrive together with it. */
  isMerged(session: Session, endpoint: string): boolean
  /** Whether the place of a lookup in such a request has another price than a request of its own. */
  hasOwnPrice(session: Session, endpoint: string): boolean
  /** The result of one set of values; undefined where it is to be sent alone. */
  send(session: Session, endpoint: string, values: Values, along: readonly string[]): Promise<Lookup | undefined>
}

/** Which earlier results a run accepts: up to that age in ms; `refresh`: none. */
export type Freshness = { maxAgeMs?: number | undefined; refresh?: boolean | undefined }

/** Stored files of the tenant whose run this is. */
export type SessionFiles = {
  open(id: string): Promise<OpenFile>
  writer(newFile: Pick<NewFile, 'name' | 'mediaType' | 'length'>): Promise<FileWriter>
}

/** What answers lookups beside the provider, and how they may be sent. */
type LookupUse = {
  /** Absent in work that is no run of a step: every lookup is then sent. */
  lookups: SessionLookups | undefined
  freshness: Freshness | undefined
  /** Absent in work that is no run of a step: every lookup is then sent alone. */
  merging: SessionMerging | undefined
  /**
   * Whether the caller wants its lookups sent together with others; undefined: where the provider charges for matches
   * only and there is room for the price.
   */
  merge: boolean | undefined
}

/** What one piece of work at a provider (a step run, an option load, a poll) may use and what it leaves behind. */
export type Session = Pass &
  LookupUse & {
    clock: Clock
    progress: ((done: number, total?: number) => void) | undefined
    /** Absent in work that is no run of a step. */
    files: SessionFiles | undefined
  }

type Needed = Pick<Session, 'gate' | 'clock' | 'loaded' | 'opened' | 'effect' | 'deadlineAt'> & { guards: Guards }
type Optional = {
  [name in Exclude<keyof Session, keyof Needed | 'spend' | 'privacy' | 'isUpkeep' | 'used' | 'notes' | 'lastWrite'>]?:
    | Session[name]
    | undefined
}

/** A step with the wire profile that the connection chose, which may not be the operator's. */
export const stepWith = (loadedStep: LoadedStep, { loaded }: OpenConnection): LoadedStep => {
  if (loaded === undefined || loaded === loadedStep.loaded) return loadedStep
  // A field of a trigger is loaded by a step that is made for it.
  const isOwn = loadedStep.loaded.steps.get(loadedStep.step.id) === loadedStep
  return (isOwn ? loaded.steps.get(loadedStep.step.id) : undefined) ?? { ...loadedStep, loaded }
}

/** The only place that makes a session. Every field is always there: the exchange reads them on its hot path. */
export const openSession = (options: Needed & Optional): Session => ({
  gate: options.gate,
  clock: options.clock,
  loaded: stepWith(options.loaded, options.opened),
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
  spend: options.guards === 'upkeep' ? noSpend : options.guards.spend,
  privacy: options.guards === 'upkeep' ? undefined : options.guards.privacy,
  isUpkeep: options.guards === 'upkeep',
  dry: options.dry,
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
  matches: options.matches,
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
})
