import type { Connection as ConnectionView } from '../../api/resources/connection.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { Connection } from '../ports/index.ts'
import { viewPolicy } from './policy.ts'

const iso = (at: number) => new Date(at).toISOString()

export const viewConnection = (registry: Pick<Registry, 'all'>, row: Connection): ConnectionView => ({
  id: row.id,
  integration: row.integration,
  type: row.type,
  profile: row.profile ?? null,
  name: row.name,
  state: row.state,
  stateReason: row.stateReason,
  stateAt: iso(row.stateAt),
  account: row.accountId === null ? null : { id: row.accountId, name: row.accountName },
  secrets: Object.fromEntries(Object.entries(row.hints).map(([field, last4]) => [field, `…${last4}`])),
  policy: viewPolicy(registry, row),
  externalId: row.externalId,
  person: row.person ?? null,
  labels: row.labels,
  isDefault: row.isDefault,
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
  lastUsedAt: row.lastUsedAt === null ? null : iso(row.lastUsedAt),
  defaultContainer: row.defaultContainer ?? null,
  expiresAt: row.expiresAt == null ? null : iso(row.expiresAt),
  ...(row.grantedScopes == null ? {} : { grantedScopes: row.grantedScopes }),
})
