import type { Json, Query } from './json.ts'
import type { ProviderRequest } from './request.ts'

/**
 * The containers that a request reaches: those it names, and those named by the replies to the requests in `through`.
 * `lists`: the request lists containers, and the list is narrowed. `unknown`: what the request reaches cannot be
 * determined, so it is refused.
 */
export type Touched = { containers: string[]; through: ProviderRequest[] } | 'none' | 'lists' | 'unknown'

/** How a connection is limited to some containers. Without these rules a limited connection can do nothing. */
export type ScopeRules = {
  /** What a container is called, e.g. `repository`. Also the kind of the models that represent one. */
  kind: string
  of(request: { method: string; path: string; query?: Query | undefined; body?: Json | undefined }): Touched
  /** A free request whose reply names the container by all its ids. */
  byId(id: string): ProviderRequest
  /**
   * Ids and aliases of the one container that a reply or a listed record names: its own when it is a container,
   * otherwise those of the container it is in.
   */
  idsIn(reply: unknown): string[]
}
