import type { Json, Query } from './json.ts'
import type { Path } from './path.ts'

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof methods)[number]

export const effects = ['read', 'create', 'update', 'delete'] as const
/** What a step does at the provider. It decides about retries and about the hints that the tool faces give. */
export type Effect = (typeof effects)[number]

/**
 * A request that a handler makes to the provider. A path written by us may contain `{secret:name}`:
 * path`/1/tokens/{secret:token}/webhooks`. The wire inserts the connection's secret there, encoded, when it authorizes
 * the request; logs and displays show "***" instead. An interpolated part cannot contain such a placeholder (its braces
 * are encoded), and paths from callers that contain one are refused.
 */
export type ProviderRequest = {
  method: Method
  path: Path
  query?: Query
  body?: Json
  /** Form of the body; default: the profile's `body`. */
  bodyAs?: BodyKind
  /** Media type of the body, where it is not the usual one of `bodyAs`: `application/xml` for a text. */
  contentType?: string
  /** `text`: the answer is a text, and returned as one. Without it, a success that is not JSON is a `bad_reply`. */
  replyAs?: 'text'
  /**
   * Whole address that the provider gave for this request, such as that of an upload. It is used as it is, and gets
   * neither the credential nor the headers of the profile; its origin must be one of `uploadOrigins`. `path` and
   * `query` are not sent: `path` is the name of the request in logs and previews, since the address may hold a secret.
   */
  address?: string
  /**
   * What the request does, where its method does not say it: `read` for a POST that only searches. Retries, idempotency
   * and approvals follow it. Default: `read` for GET, otherwise the effect of the step.
   */
  effect?: Effect
  /** Page of the provider's documentation that says so; required for an effect lower than that of the method. */
  effectSource?: string
  /**
   * The most points that the request can cost, if that differs from `pace.points` of the profile: `points: 120` for a
   * GraphQL query. An integer from 1.
   */
  points?: number
  /** Further changes of the step depend on the reply: previews say that they are not complete. */
  followed?: boolean
  /** `ETag` of an earlier reply: while nothing has changed, the reply has status 304 and no body. */
  ifNoneMatch?: string
  /** `Last-Modified` of an earlier reply, for the same purpose. */
  ifModifiedSince?: string
  /**
   * Address of the next page as the provider gave it, in a `Link` header or a body. Its parameters are added to
   * `query`, which wins; the path stays `path`, so that an address that passed through a caller cannot lead elsewhere.
   * An address on another origin fails with `bad_reply`.
   */
  nextPage?: string
}

export const bodyKinds = ['json', 'form', 'multipart', 'text', 'raw'] as const
/**
 * How a body is sent. `form` (URL-encoded) takes texts, numbers, booleans and lists of them, which repeat the name;
 * `multipart` also takes files. In both, null is sent as an empty value. `text` sends a text, and `raw` the bytes of one
 * file: `body: filePart(input.file)`.
 */
export type BodyKind = (typeof bodyKinds)[number]

/** A file in a multipart or raw body. A value of `filePart` is sent as the file it names. */
export type FilePart = { filename: string; contentType: string; base64: string }

/**
 * A reply that is not a failure. `headers`: names in lower case; those that describe the content, paging, caching and
 * limits, and all `x-…`.
 */
export type ExchangeReply = { status: number; headers: Record<string, string>; body: Json }
