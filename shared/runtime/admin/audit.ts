import { fail, isFailure, isInvalidInput, isNotAllowed } from '#kit'
import type { Failure } from '#kit'
import { bounded, idOf, pathTemplate, withoutFreeText } from './audit-entry.ts'
import type { KnownNames } from './audit-entry.ts'
import type { StartIds } from './chosen-texts.ts'
import { createAuditBacklog } from './audit-backlog.ts'
import type { AuditBacklog } from './audit-backlog.ts'
import { immediateWrites } from '../deferred-writes.ts'
import type { DeferredWrites } from '../deferred-writes.ts'
import type {
  AuditEntry,
  AuditHead,
  AuditRow,
  AuditVerdict,
  Caller,
  Clock,
  Listed,
  Log,
  Page,
  Store,
} from '../ports/index.ts'

/** Records the provider exchanges of one run; created once per run. */
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
/** `integration`, `step`: as the caller wrote them; recorded only if they exist. */
type Change = {
  what: string
  integration?: string | null
  step?: string
  connection?: string | null
  decision?: string
  keyId?: string | null
}

/**
 * The append-only record of who did what. Writing never fails the operation it records, which is already done: if the
 * store cannot take a row, that is logged and the row is owed until it can.
 */
export type Audit = {
  /** Records the exchanges of one run. */
  forRun(caller: Caller, run: { runId: string; startId: string | null }): ExchangeAudit
  /** Records a change of a connection, app, token, tenant or key. */
  changed(caller: Caller, change: Change): Promise<void>
  /** Records a request that was refused. */
  refused(caller: Caller, change: Change, failure: Failure): Promise<void>
  list(
    tenant: string,
    page: Page,
    filter?: { connection?: string; outcome?: string; actor?: string },
  ): Promise<Listed<Omit<AuditRow, 'at'> & { at: string }>>
  /** `head`: a previously exported head that must still be part of the chain. */
  verify(tenant: string, head?: AuditHead): Promise<AuditVerdict>
  /** The newest row, to be stored elsewhere. */
  head(tenant: string): Promise<AuditHead>
  /**
   * Writes the rows owed for the tenant.
   * @throws Failure `unavailable` while some still cannot be written: then nothing may be done for the tenant that
   * would have to be recorded
   */
  settleOwed(tenant: string): Promise<void>
  /**
   * Retries the owed rows in the background.
   * @throws Failure `unavailable` when rows have been owed for more than a few seconds
   */
  requireWritten(): void
  backlog(): AuditBacklog
}

const maxReasonLength = 300
/** Rows owed for longer than this indicate a lasting problem of the store. */
const maxOwedMs = 5_000

/** Only policy refusals are quoted: other messages may contain text that a caller wrote. */
const reasonOf = (failure: Failure) =>
  isNotAllowed(failure) ? `refused: ${failure.message.slice(0, maxReasonLength)}` : 'refused'

const actorOf = (caller: Caller) => caller.token ?? 'library'

type Exchanged = Parameters<ExchangeAudit['exchanged']>[0]
type Exchange = { caller: Caller; runId: string; startId: string | null; at: number; done: Exchanged }

const entryOf = ({ caller, runId, startId, at, done }: Exchange): AuditEntry => {
  const { integration, connection, keyId, method, path, providerStatus, failure } = done
  return {
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
    decision: failure && isNotAllowed(failure) ? reasonOf(failure) : 'allowed',
  }
}

/** Default for a pack without integrations. */
const noNames: KnownNames = { has: () => false }

export const createAudit = ({
  store,
  clock,
  log,
  names = noNames,
  startIds,
  deferred = immediateWrites,
}: {
  store: Pick<Store, 'audit' | 'flush'>
  clock: Clock
  log: Log
  names?: KnownNames
  startIds?: StartIds
  deferred?: DeferredWrites
}): Audit => {
  const write = (entry: AuditEntry): Promise<void> =>
    store.audit.append(entry).catch((error: unknown) => {
      // The store refuses the row itself and always would, so a retry is useless.
      if (isInvalidInput(error)) return writeWithoutText(entry)
      log('error', 'audit.not_written', {
        tenant: entry.tenant,
        path: entry.path,
        error: isFailure(error) ? error.code : 'unknown',
      })
      return owed.add(entry)
    })
  const writeWithoutText = async (entry: AuditEntry) => {
    const row = withoutFreeText(entry)
    try {
      await store.audit.append(row)
    } catch (error) {
      if (isInvalidInput(error)) owed.drop(row, 'the store refuses it')
      else owed.add(row)
    }
  }
  const owed = createAuditBacklog({ write, clock, log })
  // Not async, because it is part of every run.
  const append = (entry: AuditEntry) => {
    const startId = storedStart(entry)
    if (!(startId instanceof Promise)) return write(bounded(startId === entry.startId ? entry : { ...entry, startId }))
    // The row is written even if the tenant's key cannot be read.
    return startId.catch(() => '?').then((stored) => write(bounded({ ...entry, startId: stored })))
  }
  const storedStart = ({ tenant, startId }: AuditEntry) =>
    typeof startId === 'string' && startIds ? startIds.stored(tenant, startId) : startId
  const own = (caller: Caller, { what, integration = null, step, connection = null, keyId = null }: Change) => {
    const knownIntegration = integration !== null && names.has(integration) ? integration : null
    return {
      tenant: caller.tenant,
      at: clock.now(),
      actor: actorOf(caller),
      startId: caller.startId ?? null,
      runId: null,
      integration: knownIntegration,
      connection: idOf(connection),
      method: 'verb',
      path:
        knownIntegration !== null && step !== undefined && names.has(knownIntegration, step)
          ? `${what} ${knownIntegration}/${step}`
          : what,
      providerStatus: null,
      keyId,
    }
  }
  const appendInOrder: typeof append = (entry) => {
    deferred.flush()
    return append(entry)
  }
  const writeExchange = (exchange: Exchange) => {
    const { caller, startId, at, done } = exchange
    // Rows with a start id must wait for its digest. Rows of failures are written now, because a deferred row would
    // keep the failure and all its causes in memory.
    if (startId !== null || done.failure || !store.audit.appendLate) return void append(entryOf(exchange))
    store.audit.appendLate(caller.tenant, at, () => bounded(entryOf(exchange)))
  }
  return {
    forRun: (caller, { runId, startId }) => ({
      exchanged: (done) => deferred.add(writeExchange, { caller, runId, startId, at: clock.now(), done }),
    }),
    changed: (caller, change) =>
      appendInOrder({ ...own(caller, change), outcome: 'ok', decision: change.decision ?? 'allowed' }),
    refused: (caller, change, failure) =>
      appendInOrder({ ...own(caller, change), outcome: failure.code, decision: reasonOf(failure) }),
    async list(tenant, page, filter) {
      deferred.flush()
      await store.flush()
      const { items, ...paging } = await store.audit.list(tenant, page, filter)
      return { items: items.map((row) => ({ ...row, at: new Date(row.at).toISOString() })), ...paging }
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
    settleOwed: owed.requireSettled,
    requireWritten() {
      const { owed: rows, oldestMs } = owed.backlog()
      if (rows === 0) return
      // Never rejects: rows that cannot be written are owed again.
      void owed.settleAll()
      if (oldestMs > maxOwedMs)
        throw fail(
          'unavailable',
          `Rows of the audit log (${rows}) have not been written for ${Math.round(oldestMs / 1000)} s. See the log.`,
        )
    },
    backlog: owed.backlog,
  }
}
