import type { UnauthenticatedClient } from '../../wire/index.ts'
import type { Audit } from '../admin/audit.ts'
import type { Limits } from '../admin/limits.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { Caller, Clock, Log, Store } from '../ports/index.ts'
import { createAuthorize } from './authorize.ts'
import { createClients } from './clients.ts'
import { createExchange } from './exchange.ts'
import { answerAt } from './redirects.ts'
import { readRequest } from './request.ts'
import type { Parameters } from './request.ts'
import { apiPath, integrationAt, mcpPath } from './resources.ts'
import { missingFor, scopesAt } from './scopes.ts'
import type { KnownClient } from './settings.ts'

type OAuthDependencies = {
  store: Store
  registry: Registry
  clock: Clock
  audit: Audit
  log: Log
  limits: Pick<Limits, 'admit'>
  unauthenticated: UnauthenticatedClient
  known: readonly KnownClient[]
  limitCredits(tenant: string, token: string, credits: number): Promise<unknown>
  end(tenant: string, id: string): Promise<boolean>
}

/** The authorization server (OAuth 2.1) of this server itself. */
export const createOAuth = (dependencies: OAuthDependencies) => {
  const { store, registry } = dependencies
  const clients = createClients(dependencies)
  const exchange = createExchange({ ...dependencies, clients })
  return {
    clients,
    read: (parameters: Parameters, base: string) => readRequest({ registry, clients }, parameters, base),
    ...createAuthorize(dependencies),
    ...exchange,
    answerAt,
    scopesAt: (path: string) => scopesAt(registry, path),
    resources: () => [mcpPath, apiPath, ...registry.all.map(({ integration }) => `${mcpPath}/${integration.id}`)],
    /**
     * The scopes to ask for so that a client may call a tool: those of its grant and those it lacks. Undefined where more
     * scopes do not help: no grant, no such tool, or a tool that the person took away.
     */
    async toAskFor({ tenant, token }: Caller, tool: string, path: string): Promise<string[] | undefined> {
      const loadedStep = registry.byTool(tool)
      const only = integrationAt(path)
      if (!loadedStep || (only !== undefined && loadedStep.loaded.integration.id !== only)) return undefined
      const granted = token === undefined ? undefined : await store.grants.get(tenant, token)
      if (!granted) return undefined
      const { scopes } = granted.grant
      const missing = missingFor(scopes, loadedStep)
      return missing.length === 0 ? undefined : [...scopes, ...missing]
    },
  }
}
export type OAuth = ReturnType<typeof createOAuth>
