import { failField } from '#kit'
import type { GrantChanges } from '../../api/resources/grant.ts'
import { callerOf } from '../admin/tokens.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { GrantedToken, Token } from '../ports/index.ts'
import { isWhole, nameOf, stepsFor, tokenScopes } from './scopes.ts'

type Steps = Pick<Registry, 'all'>

/** The part of a list that changes leave. */
const narrowed = (field: string, present: string[] | null, changes: string[] | undefined, all: () => string[]) => {
  if (changes === undefined) return undefined
  const more = changes.find((name) => !(present ?? all()).includes(name))
  if (more !== undefined)
    throw failField(
      field,
      `The grant does not have "${more.slice(0, 100)}". A grant can only be narrowed; to add something, sign in again.`,
    )
  return changes
}

/**
 * What is left of a token under fewer scopes. Only its steps are asked when a tool runs, so the tools that the scopes
 * no longer mean leave those.
 */
const rightsLeft = (registry: Steps, token: Token, scopes: string[], resource: string) => {
  const left = tokenScopes(scopes, resource).filter((scope) => token.scopes.includes(scope))
  if (token.steps === null && isWhole(scopes)) return { scopes: left }
  const possible = stepsFor(registry, callerOf({ ...token, scopes: left }), { scopes, resource }).map(nameOf)
  const steps = token.steps?.filter((name) => possible.includes(name)) ?? possible
  return { steps, scopes: steps.length === 0 ? left.filter((scope) => scope !== 'run') : left }
}

/** What changes leave of the rights of a grant. */
export const rightsAfter = (registry: Steps, { grant, token }: GrantedToken, changes: GrantChanges) => {
  const allSteps = () => registry.all.flatMap(({ steps }) => [...steps.values()].map(nameOf))
  const scopes = narrowed('scopes', grant.scopes, changes.scopes, () => [])
  const rights: Partial<Token> = {}
  const steps = narrowed('steps', token.steps, changes.steps, allSteps)
  if (steps) rights.steps = steps
  // Ids of no connection of this caller let nobody use one.
  const connections = narrowed('connections', token.connections, changes.connections, () => changes.connections!)
  if (connections) rights.connections = connections
  if (scopes) Object.assign(rights, rightsLeft(registry, { ...token, ...rights }, scopes, grant.resource))
  return { rights, scopes: scopes ? { scopes } : {} }
}
