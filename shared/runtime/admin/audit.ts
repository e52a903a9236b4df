import { fail, isFailure } from '#kit'
import type { Failure } from '#kit'
import { immediateWrites } from '../deferred-writes.ts'
import type { DeferredWrites } from '../deferred-writes.ts'
import type { AuditEntry, AuditHead, AuditRow, AuditVerdict, Caller, Clock, Connection, Listed, Log, Page, Store } from '../ports/index.ts'

/** What a provider exchange of a run is written down with; made once per run. */
export type ExchangeAudit = {
  exchanged(done: {
    integration: string
    connection: string
    keyId: string | null
    method: string
    path: string
    providerStatus: number | null
    failure: Failure | undefined
  }): void
}
type Change = { what: string; integration?: string | null; connection?: string | null; decision?: string; keyId?: string | null }

/**
 * The append-only record of who did what. Writing it never fails the thing it is about, which is done by then: a store that cannot take a row
 * is said in the log, and the row is owed until it can.
 */
export type Audit = {
  /** For the exchanges of one run. */
  forRun(caller: Caller, run: { runId: string; startId: string | null }): ExchangeAudit
  /** A change of a connection, app, token, tenant or key that was made. */
  changed(caller: Caller, change: Change): Promise<void>
  /** Something that was asked for and refused. */
  refused(caller: Caller, change: Change, failure: { code: string; message: string }): Promise<void>
  list(tenant: string, page: Page, filter?: { connection?: string; outcome?: string; actor?: string }): Promise<Listed<Omit<AuditRow, 'at'> & { at: string }>>
  /** `head`: one that was exported, which must still be part of the chain. */
  verify(tenant: string, head?: AuditHead): Promise<AuditVerdict>
  /** The newest row, to be stored elsewhere. */
  head(tenant: string): Promise<AuditHead>
  /** Writes down what could not be before. Throws `unavailable` while it still cannot: nothing more is to be done then that has to be written down. */
  settleOwed(): Promise<void>
}

const maxDecisionLength = 300
/** More are not owed: by then nothing has been let through for long. */
const maxOwed = 10_000
const maxParts = 40

/** Names of collections whose next part is an id. */
const isCollection = (part: string) => part.length > 2 && part.endsWith('s')
const isWord = (part: string) => /^(v?\d{1,2}|[a-z]{2,32}(-[a-z]{1,32})*|[a-z]+([A-Z][a-z]+){1,4})$/.test(part)

/**
 * A provider path without what it is about: `/1/items/{id}/comments/{id}`. A part is shown only where it is a word and does not follow the name
 * of a collection, so that neither ids nor user names nor tokens are written down.
 */
export const pathTemplate = (path: string): string => {
  let [shown, before, at] = ['', '', 1]
  for (let count = 0; count < maxParts && at <= path.length; count += 1) {
    const next = path.indexOf('/', at)
    const part = path.slice(at, next === -1 ? path.length : next)
    const keep = part === '' || (isWord(part) && !isCollection(before))
    before = keep ? part : ''
    shown += keep ? `/${part}` : '/{id}'
    at += part.length + 1
  }
  return shown === '' ? '/' : shown
}

/** An id of ours as it was given; anything else is text of a caller and does not belong in the record. */
const idOf = (given: string | null | undefined) => (given !== null && given !== undefined && /^[a-z]{2,4}_[\w-]{1,60}$/.test(given) ? given : null)

/** Only a policy's own words: other messages quote what a caller wrote. */
const reasonOf = ({ code, message }: { code: string; message: string }) =>
  code === 'not_allowed' ? `refused: ${message.slice(0, maxDecisionLength)}` : 'refused'

const actorOf = (caller: Caller) => caller.token ?? 'library'

type Exchanged = Parameters<ExchangeAudit['exchanged']>[0]

export const createAudit = ({
  store,
  clock,
  log,
  deferred = immediateWrites,
}: {
  store: Pick<Store, 'audit' | 'flush'>
  clock: Clock
  log: Log
  deferred?: DeferredWrites
}): Audit => {
  // Not async: it is part of every run.
  const append = (entry: AuditEntry) =>
    store.audit.append(entry).catch((error: unknown) => {
      log('error', 'audit.not_written', { tenant: entry.tenant, path: entry.path, error: isFailure(error) ? error.code : 'unknown' })
      if (owed.length < maxOwed) owed.push(entry)
    })
  const owed: AuditEntry[] = []
  let settling: Promise<unknown> | undefined
  /** Whoever comes while rows are written again waits for what becomes of them. */
  const settleOwed = async () => {
    if (owed.length === 0 && !settling) return
    settling ??= Promise.all(owed.splice(0).map(append)).finally(() => (settling = undefined))
    await settling
    if (owed.length > 0)
      throw fail(
        'unavailable',
        'Nothing was sent: the audit log cannot be written, and what changes something is only done when it can be recorded. See the log.',
      )
  }
  const own = (caller: Caller, { what, integration = null, connection = null, keyId = null }: Change) => ({
    tenant: caller.tenant,
    at: clock.now(),
    actor: actorOf(caller),
    startId: caller.startId ?? null,
    runId: null,
    integration,
    connection: idOf(connection),
    method: 'verb',
    path: what,
    providerStatus: null,
    keyId,
  })
  const appendInOrder: typeof append = (entry) => {
    deferred.flush()
    return append(entry)
  }
  const writeExchange = ({ caller, runId, startId, at, done }: { caller: Caller; runId: string; startId: string | null; at: number; done: Exchanged }) => {
    const { integration, connection, keyId, method, path, providerStatus, failure } = done
    void append({
      integration,
      connection,
      keyId,
      providerStatus,
      tenant: caller.tenant,
      at,
      actor: actorOf(caller),
      startId,
      runId,
      method: /^[A-Z]{1,10}$/.test(method) ? method : '?',
      path: pathTemplate(path),
      outcome: failure?.code ?? 'ok',
      decision: failure?.code === 'not_allowed' ? reasonOf(failure) : 'allowed',
    })
  }
  return {
    forRun: (caller, { runId, startId }) => ({
      exchanged: (done) => deferred.add(writeExchange, { caller, runId, startId, at: clock.now(), done }),
    }),
    changed: (caller, change) => appendInOrder({ ...own(caller, change), outcome: 'ok', decision: change.decision ?? 'allowed' }),
    refused: (caller, change, failure) => appendInOrder({ ...own(caller, change), outcome: failure.code, decision: reasonOf(failure) }),
    async list(tenant, page, filter) {
      deferred.flush()
      await store.flush()
      const { items, ...rest } = await store.audit.list(tenant, page, filter)
      return { items: items.map((row) => ({ ...row, at: new Date(row.at).toISOString() })), ...rest }
    },
    async verify(tenant, head) {
      deferred.flush()
      await store.flush()
      return store.audit.verify(tenant, head)
    },
    async head(tenant) {
      deferred.flush()
      await store.flush()
      return store.audit.head(tenant)
    },
    settleOwed,
  }
}

type Verb = (caller: Caller, ...rest: never[]) => unknown
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const aboutOf = (rest: unknown[], result: unknown): { integration: string | null; connection: string | null } => {
  const [first] = rest
  const found = [first, result].filter(isObject) as Partial<Pick<Connection, 'id' | 'integration'>>[]
  const id = typeof first === 'string' ? first : found.map((part) => part.id).find((part) => typeof part === 'string')
  return { integration: found.map((part) => part.integration).find((part) => typeof part === 'string') ?? null, connection: id ?? null }
}

const refusals = new Set(['not_found', 'not_allowed'])

/**
 * The same verbs, written down: those in `changes` always, the others when they name something that is not there or not theirs.
 * A caller who tries foreign ids gets `not_found` and leaves a row.
 */
export const audited = <T extends object>(audit: Audit, room: string, verbs: T, changes: (keyof T & string)[]): T => {
  const wrap =
    (name: string, verb: Verb) =>
    async (caller: Caller, ...rest: never[]) => {
      const what = `${room}.${name}`
      const isChange = changes.includes(name as keyof T & string)
      try {
        const result = await verb(caller, ...rest)
        if (isChange) await audit.changed(caller, { what, ...aboutOf(rest, result) })
        return result
      } catch (thrown) {
        if (isFailure(thrown) && (isChange || refusals.has(thrown.code))) await audit.refused(caller, { what, ...aboutOf(rest, undefined) }, thrown)
        throw thrown
      }
    }
  return Object.fromEntries(Object.entries(verbs).map(([name, verb]) => [name, typeof verb === 'function' ? wrap(name, verb as Verb) : verb])) as T
}
