import type { Json, Query } from './json.ts'
import type { Path } from './path.ts'

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof methods)[number]

export const effects = ['read', 'create', 'update', 'delete'] as const
/** What a step does at the provider. Decides retry and the hints of the tool faces. */
export type Effect = (typeof effects)[number]

/**
 * What a handler asks of the provider. A path written by us may hold `{secret:name}`:
 * path`/1/tokens/{secret:token}/webhooks`. The wire puts the connection's secret there, encoded, when the request is
 * authorized; everything logged or shown has "***" in its place. An interpolated part cannot hold such a mark (its
 * braces are encoded), and paths of callers are refused with one.
 */
export type ProviderRequest = {
  method: Method
  path: Path
  query?: Query
  body?: Json
  /** Form of the body; default: the profile's `body`. */
  bodyAs?: BodyKind
  /** `ETag` of an earlier reply: status 304 and no body while nothing changed. */
  ifNoneMatch?: string
  /** `Last-Modified` of an earlier reply, to the same end. */
  ifModifiedSince?: string
  /**
   * Address of the next page as the provider gave it, in a `Link` header or a body. Its parameters are added to
   * `query`, which wins; the path stays `path`, so that an address that passed through a caller leads nowhere else.
   * Another origin is a `bad_reply`.
   */
  nextPage?: string
}

export const bodyKinds = ['json', 'form', 'multipart'] as const
/**
 * How a body is sent. `form` (URL-encoded) holds texts, numbers, booleans and lists of them, which repeat the name;
 * `multipart` also holds files. In both null is an empty value.
 */
export type BodyKind = (typeof bodyKinds)[number]

/** A file in a multipart body. A value of `filePart` is sent as the file it names. */
export type FilePart = { filename: string; contentType: string; base64: string }

/**
 * A reply that is fine. `headers`: names in lower case; those that describe the content, paging, caching and limits,
 * and all `x-…`.
 */
export type ExchangeReply = { status: number; headers: Record<string, string>; body: Json }
