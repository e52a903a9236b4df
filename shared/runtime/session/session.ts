import type { Cost, Effect, Failure, Json, Lookup, LookupResult, OpenFile, ProviderRequest, RunMeta } from '#kit'
import type { CallPolicy, OutgoingFiles, Preview, Reply, SaveBody, Used } from '../../wire/types.ts'
import type { ExchangeAudit } from '../admin/audit.ts'
import type { Price } from '../catalogue/price.ts'
import type { LoadedStep } from '../catalogue/registry.ts'
import type { FileWriter, NewFile } from '../files/writer.ts'
import { noSpend } from '../credits/spend.ts'
import type { Spend } from '../credits/spend.ts'
import type { OpenConnection } from '../connections/open-connection.ts'

export type SessionRequest = {
  method: string
  path: string
  /** Endpoint of the profile that it is of. */
  endpoint?: string
  query?: ProviderRequest['query']
  body?: Json | undefined
  bodyAs?: ProviderRequest['bodyAs']
  files?: OutgoingFiles | undefined
  save?: SaveBody | undefined
  ifNoneMatch?: string | undefined
  ifModifiedSince?: string | undefined
  nextPage?: string | undefined
  redirects?: 'same-origin' | undefined
  isAnswer?: ((reply: Reply) => boolean) | undefined
  api?: boolean
}

/** An endpoint of the profile, or its bulk form: `person`, `person.bulk`. */
export type EndpointKey = string

/** Which endpoints have given a connection a match, under its present profile and key. Before that, a refusal or a miss may come from a wrong address. */
export type Matches = {
  has(session: Session, key: EndpointKey): Promise<boolean>
  /** Remembers a match for good. */
  note(session: Session, key: EndpointKey): void
}

type Values = Record<string, unknown>
/** What the provider said of one of the records. `onlyStrongest`: of its first set of identifiers alone, since the others were not tried. */
export type Answered = { record: number; result: Lookup; onlyStrongest?: boolean }

/** How lookups are answered without paying twice. Sets hold what goes along too, under the names in `along`. */
export type SessionLookups = {
  /** One lookup: an earlier result that is fresh, that of the same one under way, or what `send` gives. */
  one(session: Session, endpoint: string, sets: Values[], along: readonly string[], send: () => Promise<Lookup>): Promise<Lookup>
  /**
   * The same for each of many records, which differ. `send` is given the places of those that have to be sent, and says what the provider answered
   * as soon as it did. `onlyStrongest`: a no match is what the provider has no match for by the first set; what such a result says then.
   */
  many(
    session: Session,
    endpoint: string,
    records: Values[][],
    given: { along: readonly string[]; onlyStrongest: string | undefined },
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

/** The suppression list, for one run. */
export type SessionPrivacy = {
  /** Why each of these is not asked; undefined where it may be. */
  refusals(requests: readonly unknown[]): Promise<(Failure | undefined)[]>
  /** Which of these are not to be shown. */
  suppressed(answers: readonly unknown[]): Promise<boolean[]>
  failure(): Failure
}

/** Which earlier results a run accepts: up to that age in ms; `refresh`: none. */
export type Freshness = { maxAgeMs?: number | undefined; refresh?: boolean | undefined }

/** Stored files of the tenant whose run this is. */
export type SessionFiles = {
  open(id: string): Promise<OpenFile>
  writer(given: Pick<NewFile, 'name' | 'mediaType' | 'length'>): Promise<FileWriter>
}

/** What one piece of work at a provider (a step run, an option load, a poll) may use and what it leaves behind. */
export type Session = {
  loaded: LoadedStep
  opened: OpenConnection
  effect: Effect
  /** Price of the step; its calls are then repeated only like creates. */
  cost: Cost | undefined
  /** Sent with every write where the provider returns it with the events that the write causes. */
  correlationId: string
  signal: AbortSignal | undefined
  /** Monotonic ms. */
  deadlineAt: number
  priority: 'interactive' | 'bulk'
  noWait: boolean
  progress: ((done: number, total?: number) => void) | undefined
  onSending: (() => Promise<void> | undefined) | undefined
  /** Whether whoever asked may still ask. @throws Failure, and nothing is sent */
  checkBeforeSending: (() => Promise<void>) | undefined
  /** What the run may spend. */
  spend: Spend
  /** Set in a dry run: requests are collected here and nothing is sent. */
  dry:
    | {
        requests: Preview[]
        effects: Effect[]
        partial: boolean
        /** How often the price of the step may be charged, where that is known. */
        units?: number | undefined
        /** The most that turning values into the provider's may cost beside that. */
        forValues?: number
        /** By the profile's price, in place of both. */
        price?: Price
      }
    | undefined
  /** `proven`: an answer has shown that the credential works. */
  used: Used & {
    calls: number
    credits: number
    estimated: boolean
    lastStatus: number | undefined
    proven: boolean
    /** It asks for what the account was charged for before, which the provider gives for nothing. */ repeats: boolean
  }
  /** Which endpoints are known to work; absent in work that reads no endpoint of the profile. */
  matches: Matches | undefined
  /** Absent in work that is no run of a step: every lookup is then sent. */
  lookups: SessionLookups | undefined
  freshness: Freshness | undefined
  /** Absent in work that is no run of a step: every lookup is then sent alone. */
  merging: SessionMerging | undefined
  /** Whether the caller wants its lookups sent together with others; undefined: where the provider charges for matches only and there is room for the price. */
  merge: boolean | undefined
  /** Who is not to be looked up or shown. Absent in work that is no run of a step. */
  privacy: SessionPrivacy | undefined
  /** Absent in work that is no run of a step. */
  files: SessionFiles | undefined
  /** What the caller should know beside the output. */
  notes: Pick<RunMeta, 'warnings' | 'unlisted' | 'cachedAgeSeconds' | 'cachedResults' | 'cachedCharge' | 'merged'>
  /** Records exchanges that change or cost something. */
  audit: ExchangeAudit | undefined
  /** In place of the limits of the connection: for requests of our own, such as its test. */
  policy: CallPolicy | undefined
  /** The last request that changes something, so that it can be verified when its outcome is unknown. */
  lastWrite: { request: SessionRequest; isCreate: boolean } | undefined
  /** Called for each write that the provider confirmed, so that the event it causes is recognised as ours. */
  onWritten: ((request: SessionRequest, reply: Reply) => void) | undefined
}

type Needed = Pick<Session, 'loaded' | 'opened' | 'effect' | 'deadlineAt'>
type Optional = { [name in Exclude<keyof Session, keyof Needed | 'used' | 'notes' | 'lastWrite'>]?: Session[name] | undefined }

/** A step with the wire profile that the connection chose, which may not be the operator's. */
export const stepWith = (found: LoadedStep, { loaded }: OpenConnection): LoadedStep => {
  if (loaded === undefined || loaded === found.loaded) return found
  // A field of a trigger is loaded by a step that is made for it.
  const isOwn = found.loaded.steps.get(found.step.id) === found
  return (isOwn ? loaded.steps.get(found.step.id) : undefined) ?? { ...found, loaded }
}

/** The only place that makes a session. Every field is always there: the exchange reads them on its hot path. */
export const openSession = (given: Needed & Optional): Session => ({
  loaded: stepWith(given.loaded, given.opened),
  opened: given.opened,
  effect: given.effect,
  cost: given.cost,
  correlationId: given.correlationId ?? '',
  signal: given.signal,
  deadlineAt: given.deadlineAt,
  priority: given.priority ?? 'interactive',
  noWait: given.noWait ?? false,
  progress: given.progress,
  onSending: given.onSending,
  checkBeforeSending: given.checkBeforeSending,
  spend: given.spend ?? noSpend,
  dry: given.dry,
  used: { attempts: 0, waitedMs: 0, refused: 0, tried: [], calls: 0, credits: 0, estimated: false, lastStatus: undefined, proven: false, repeats: false },
  matches: given.matches,
  lookups: given.lookups,
  freshness: given.freshness,
  merging: given.merging,
  merge: given.merge,
  privacy: given.privacy,
  files: given.files,
  notes: {},
  audit: given.audit,
  policy: given.policy,
  lastWrite: undefined,
  onWritten: given.onWritten,
})
