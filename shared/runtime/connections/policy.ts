import { failField } from '#kit'
import type { Connection as ConnectionView } from '../../api/resources/connection.ts'
import type { ConnectionPolicy, Connection } from '../ports/index.ts'
import type { LoadedIntegration, Registry } from '../catalogue/registry.ts'

/** A policy as callers write it: the integration may declare another public name for `scopes`. */
export type NewPolicy = ConnectionPolicy & { [alias: string]: string[] | undefined }

const sameIds = (ids: string[], other: string[]) =>
  ids.every((id) => other.includes(id)) && other.every((id) => ids.includes(id))

/**
 * @throws Failure `invalid_input` naming a field that this integration does not have: ignoring it would leave the
 * connection unlimited
 */
export const readPolicy = ({ integration: { id, aliases } }: LoadedIntegration, given: NewPolicy): ConnectionPolicy => {
  const { methods, paths, scopes, ...otherLimits } = given
  const alias = aliases?.scopes
  for (const [name, value] of Object.entries(otherLimits)) {
    if (value === undefined || name === alias) continue
    const fields = ['methods', 'paths', 'scopes', ...(alias === undefined ? [] : [alias])]
    throw failField(
      `policy/${name}`,
      `A connection of ${id} cannot be limited by "policy.${name}". It can be by ${fields.join(', ')}.`,
    )
  }
  const named = alias === undefined ? undefined : otherLimits[alias]
  if (named && scopes && !sameIds(named, scopes))
    throw failField(
      'policy/scopes',
      `"policy.scopes" and "policy.${alias}" are two names of one field, and they differ. Give one of them.`,
    )
  const ids = scopes ?? named
  return { ...(methods ? { methods } : {}), ...(paths ? { paths } : {}), ...(ids ? { scopes: ids } : {}) }
}

/** Shows `scopes` under both its names, if its integration is installed and declares an alias. */
export const viewPolicy = (
  registry: Pick<Registry, 'all'>,
  { integration, policy }: Pick<Connection, 'integration' | 'policy'>,
): ConnectionView['policy'] => {
  const alias = registry.all.find((loaded) => loaded.integration.id === integration)?.integration.aliases?.scopes
  return policy?.scopes && alias !== undefined ? { ...policy, [alias]: policy.scopes } : policy
}
