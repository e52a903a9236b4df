import type { ApprovalStore } from './approvals.ts'
import type { AuditStore } from './audit.ts'
import type { BulkJobStore } from './bulk-jobs.ts'
import type { Cluster } from './cluster.ts'
import type { ConnectionStore } from './connections.ts'
import type { CreditStore } from './credits.ts'
import type { FileStore } from './files.ts'
import type { LoadStore } from './load.ts'
import type { LookupStore } from './lookups.ts'
import type { NameStore } from './names.ts'
import type { NotificationStore } from './notifications.ts'
import type { OAuthStore } from './oauth.ts'
import type { PeopleListStore } from './people-lists.ts'
import type { PeopleStore } from './people.ts'
import type { PrivacyStore } from './privacy.ts'
import type { Pruned, Retention } from './retention.ts'
import type { RunContentsStore } from './run-contents.ts'
import type { RunStore } from './runs.ts'
import type { SampleStore } from './samples.ts'
import type { SessionStore } from './sessions.ts'
import type { TenantStore } from './tenants.ts'
import type { TriggerStore } from './trigger-store.ts'
import type { UnclaimedStore } from './unclaimed.ts'
import type { SealedStore } from './vault.ts'

/**
 * Everything that is stored, one group of tables per concern. The embedded stores answer reads immediately; methods are
 * asynchronous because a store may be remote.
 */
export type Store = TenantStore &
  SessionStore &
  ConnectionStore &
  RunStore &
  RunContentsStore &
  CreditStore &
  FileStore &
  BulkJobStore &
  LookupStore &
  NameStore &
  SampleStore &
  PeopleListStore &
  PeopleStore &
  OAuthStore &
  ApprovalStore &
  PrivacyStore &
  AuditStore &
  SealedStore &
  TriggerStore &
  UnclaimedStore &
  LoadStore &
  NotificationStore & {
    /** Present when several processes share the store. */
    cluster?: Cluster
    /** Id of this installation, created once. It marks our own writes at the provider. */
    instance(): Promise<string>
    prune(retention: Retention): Promise<Pruned>
    /**
     * Copies the whole store into a new file (mode 600) while the store stays in use. Secrets stay sealed, and the copy
     * does not contain the master key.
     * @throws Failure `conflict` when the file exists, `invalid_input` for the in-memory store
     */
    backup(file: string): Promise<{ bytes: number }>
    /** Resolves when every write handed over so far is durable. */
    flush(): Promise<void>
    /** @throws Failure `unavailable`, with the reason, when the store cannot take writes */
    check(): Promise<void>
    close(): Promise<void>
  }
