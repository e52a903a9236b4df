import type { AuditStore } from './audit.ts'
import type { BulkJobStore } from './bulk-jobs.ts'
import type { Cluster } from './cluster.ts'
import type { ConnectionStore } from './connections.ts'
import type { CreditStore } from './credits.ts'
import type { FileStore } from './files.ts'
import type { LoadStore } from './load.ts'
import type { LookupStore } from './lookups.ts'
import type { NotificationStore } from './notifications.ts'
import type { PrivacyStore } from './privacy.ts'
import type { Pruned, Retention } from './retention.ts'
import type { RunStore } from './runs.ts'
import type { SampleStore } from './samples.ts'
import type { SessionStore } from './sessions.ts'
import type { TenantStore } from './tenants.ts'
import type { TriggerStore } from './trigger-store.ts'
import type { UnclaimedStore } from './unclaimed.ts'
import type { SealedStore } from './vault.ts'

/**
 * Tables of one tenant-scoped kind. Reads are answered at once in the embedded stores but stay async: a store may be
 * remote.
 */
export type Store = TenantStore &
  SessionStore &
  ConnectionStore &
  RunStore &
  CreditStore &
  FileStore &
  BulkJobStore &
  LookupStore &
  SampleStore &
  PrivacyStore &
  AuditStore &
  SealedStore &
  TriggerStore &
  UnclaimedStore &
  LoadStore &
  NotificationStore & {
    /** Present where several processes share the store. */
    cluster?: Cluster
    /** Id of this installation, made once. Marks our own writes at the provider. */
    instance(): Promise<string>
    prune(retention: Retention): Promise<Pruned>
    /**
     * Copies the whole store into a new file (mode 600) while it goes on working. Secrets in it stay sealed; the master
     * key is not in it.
     * @throws Failure `conflict` when the file exists, `invalid_input` for the in-memory store
     */
    backup(file: string): Promise<{ bytes: number }>
    /** Resolves when everything handed over before is durable. */
    flush(): Promise<void>
    /** Throws a Failure `unavailable` with the reason when the store cannot take writes. */
    check(): Promise<void>
    close(): Promise<void>
  }
