import type { Options } from 'ky'
import type { ConnectBegun, ConnectWanted } from '../../runtime/connections/browser/types.ts'
import type { ConnectionView } from '../../runtime/connections/connections.ts'
import type { KeysView, Rotation } from '../../runtime/admin/keys.ts'
import type { AuditHead, AuditVerdict, Tenant } from '../../runtime/ports/index.ts'
import type { NewToken, TokenView } from '../../runtime/admin/tokens.ts'
import type { NotificationTargetView } from '../../runtime/triggers/index.ts'
import type { Ask } from './request.ts'

export type TenantRow = Omit<Tenant, 'createdAt'> & { createdAt: string }

/** Saves a response body as a file. */
export type SaveAnswer = (path: string, options: Options, file: string) => Promise<{ bytes: number }>

/** Resealing takes time in proportion to the number of rows. */
const rotateTimeoutMs = 600_000
/** A copy takes about a second per GB on the server; the network may be slower. */
const backupTimeoutMs = 3_600_000
const notifications = 'v1/admin/notifications'
/** The server's maximum page size. */
const limit = '200'

/** The operator's verbs. All throw Failure. */
export const operatorVerbs = (ask: Ask, save: SaveAnswer) => {
  const items = async <T>(path: string, searchParams: Record<string, string> = {}) =>
    (await ask<{ items: T[] }>(path, { searchParams: { limit, ...searchParams } })).items
  return {
    authorize: (json: ConnectWanted): Promise<ConnectBegun> => ask('v1/connections/authorize', { method: 'post', json }),
    /** A link that signs a browser in to the console, once. */
    signInLink: (): Promise<{ url: string; expiresAt: string }> => ask('v1/sign-in-codes', { method: 'post' }),
    /** All connections, or those of one integration. */
    connections: (integration?: string) => items<ConnectionView>('v1/connections', integration === undefined ? {} : { integration }),
    tenants: () => items<TenantRow>('v1/admin/tenants'),
    addTenant: (json: { id: string | undefined; name: string }): Promise<TenantRow> => ask('v1/admin/tenants', { method: 'post', json }),
    tokens: (tenant: string) => items<TokenView>('v1/admin/tokens', { tenant }),
    addToken: (tenant: string, { expiresAt, ...given }: NewToken): Promise<{ text: string; token: TokenView }> =>
      ask('v1/admin/tokens', {
        method: 'post',
        json: { tenant, ...given, ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }) },
      }),
    revokeToken: (tenant: string, id: string): Promise<void> =>
      ask(`v1/admin/tokens/${encodeURIComponent(id)}`, { method: 'delete', searchParams: { tenant } }),
    notifications: (tenant: string): Promise<NotificationTargetView> => ask(notifications, { searchParams: { tenant } }),
    setNotifications: (json: { tenant: string; url: string; types?: string[]; secret?: string }): Promise<NotificationTargetView> =>
      ask(notifications, { method: 'put', json }),
    removeNotifications: (tenant: string): Promise<void> => ask(notifications, { method: 'delete', searchParams: { tenant } }),
    rotateNotificationSecret: (json: { tenant: string; overlapMs?: number }): Promise<NotificationTargetView> =>
      ask(`${notifications}/rotate-secret`, { method: 'post', json }),
    auditHead: (tenant: string): Promise<AuditHead> => ask('v1/admin/audit/head', { searchParams: { tenant } }),
    verifyAudit: (tenant: string, head?: AuditHead): Promise<AuditVerdict> =>
      ask('v1/admin/audit/verify', { searchParams: { tenant, ...(head ? { head: `${head.seq}:${head.hash}` } : {}) } }),
    keys: (): Promise<KeysView> => ask('v1/admin/keys'),
    rotateKeys: (): Promise<Rotation> => ask('v1/admin/keys/rotate', { method: 'post', timeout: rotateTimeoutMs }),
    /** Copies all data to a new file. */
    backup: (file: string) => save('v1/admin/backup', { method: 'post', timeout: backupTimeoutMs }, file),
  }
}
export type Operator = ReturnType<typeof operatorVerbs>
