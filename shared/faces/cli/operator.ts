import type { Options } from 'ky'
import { fail } from '#kit'
import type { Pack } from '../../pack.ts'
import type { ConnectBegun, ConnectWanted } from '../../runtime/connections/browser/types.ts'
import type { ConnectionView } from '../../runtime/connections/connections.ts'
import type { KeysView, Rotation } from '../../runtime/admin/keys.ts'
import type { AuditHead, AuditVerdict, Caller, Tenant } from '../../runtime/ports/index.ts'
import type { NewToken, TokenView } from '../../runtime/admin/tokens.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export type TenantRow = Omit<Tenant, 'createdAt'> & { createdAt: string }

/** The verbs of whoever runs the server, whether over a running one or over a pack in this process. All throw Failure. */
export type Operator = {
  authorize(wanted: ConnectWanted): Promise<ConnectBegun>
  /** All accounts, or those of one integration. */
  connections(integration?: string): Promise<ConnectionView[]>
  tenants(): Promise<TenantRow[]>
  addTenant(given: { id: string | undefined; name: string }): Promise<TenantRow>
  tokens(tenant: string): Promise<TokenView[]>
  addToken(tenant: string, given: NewToken): Promise<{ text: string; token: TokenView }>
  revokeToken(tenant: string, id: string): Promise<void>
  auditHead(tenant: string): Promise<AuditHead>
  verifyAudit(tenant: string, head?: AuditHead): Promise<AuditVerdict>
  keys(): Promise<KeysView>
  rotateKeys(): Promise<Rotation>
  /** Copies everything into a new file. */
  backup(file: string): Promise<{ bytes: number }>
}

const view = ({ createdAt, ...row }: Tenant): TenantRow => ({ ...row, createdAt: new Date(createdAt).toISOString() })

/** Over a pack in this process. */
export const embeddedOperator = (pack: Pack, caller: Caller, terminal: Pick<Terminal, 'self'>): Operator => ({
  authorize: async () => {
    throw fail('unavailable', `Connecting in the browser needs a running server. Start one with: ${typed(terminal, 'serve')}`)
  },
  connections: (integration) => pack.connections.list(caller, integration === undefined ? {} : { integration }),
  tenants: async () => (await pack.tenants.list()).map(view),
  addTenant: async (given) => view(await pack.tenants.create(given, caller)),
  tokens: (tenant) => pack.tokens.list(tenant),
  addToken: (tenant, given) => pack.tokens.create(tenant, given, caller),
  revokeToken: (tenant, id) => pack.tokens.revoke(tenant, id, caller),
  auditHead: (tenant) => pack.audit.head(tenant),
  verifyAudit: (tenant, head) => pack.audit.verify(tenant, head),
  keys: () => pack.keys.get(),
  rotateKeys: () => pack.keys.rotate(caller),
  backup: (file) => pack.backup(caller, file),
})

/** Asks the server; gives its JSON, or nothing where it has none. */
export type AskServer = <T>(path: string, options?: Options) => Promise<T>

/** Keeps what the server sends as a file. */
export type SaveAnswer = (path: string, options: Options, file: string) => Promise<{ bytes: number }>

/** Re-sealing takes as long as there are rows. */
const rotateTimeoutMs = 600_000
/** A copy takes about a second per GB on the server, and as long as the way is slow. */
const backupTimeoutMs = 3_600_000
/** Many more than one looks at; the server gives no more at once. */
const limit = '200'

/** Over a running server. */
export const remoteOperator = (ask: AskServer, save: SaveAnswer): Operator => {
  const items = async <T>(path: string, searchParams: Record<string, string> = {}) =>
    (await ask<{ items: T[] }>(path, { searchParams: { limit, ...searchParams } })).items
  return {
    authorize: (json) => ask('v1/connections/authorize', { method: 'post', json }),
    connections: (integration) => items('v1/connections', integration === undefined ? {} : { integration }),
    tenants: () => items('v1/admin/tenants'),
    addTenant: (json) => ask('v1/admin/tenants', { method: 'post', json }),
    tokens: (tenant) => items('v1/admin/tokens', { tenant }),
    addToken: (tenant, { expiresAt, ...given }) =>
      ask('v1/admin/tokens', {
        method: 'post',
        json: { tenant, ...given, ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }) },
      }),
    revokeToken: async (tenant, id) => void (await ask(`v1/admin/tokens/${encodeURIComponent(id)}`, { method: 'delete', searchParams: { tenant } })),
    auditHead: (tenant) => ask('v1/admin/audit/head', { searchParams: { tenant } }),
    verifyAudit: (tenant, head) => ask('v1/admin/audit/verify', { searchParams: { tenant, ...(head ? { head: `${head.seq}:${head.hash}` } : {}) } }),
    keys: () => ask('v1/admin/keys'),
    rotateKeys: () => ask('v1/admin/keys/rotate', { method: 'post', timeout: rotateTimeoutMs }),
    backup: (file) => save('v1/admin/backup', { method: 'post', timeout: backupTimeoutMs }, file),
  }
}
