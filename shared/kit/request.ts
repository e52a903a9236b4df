import type { Json, Query } from './json.ts'
import type { Path } from './path.ts'

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof methods)[number]

/** What a step does at the provider. Decides retry and the hints of the tool faces. */
export type Effect = 'read' | 'create' | 'update' | 'delete'

/**
 * What a handler asks of the provider. A path written by us may hold `{secret:name}`: path`/1/tokens/{secret:token}/webhooks`. The wire puts the
 * connection's secret there, encoded, when the request is authorized; everything logged or shown has "***" in its place. An interpolated part
 * cannot hold such a mark (its braces are encoded), and paths of callers are refused with one.
 */
export type ProviderRequest = { method: Method; path: Path; query?: Query; body?: Json }
