/** Error codes of RFC 6749, 7009, 7591, 8707 that a client gets. */
export type RefusalCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type'
  | 'access_denied'
  | 'temporarily_unavailable'

/** What a client is told, in the form of the protocol; a Failure has another one. */
export class Refusal extends Error {
  readonly code: RefusalCode
  /** Where the person may be sent back to; absent while nobody knows whether that address is the client's. */
  readonly back: { redirectUri: string; state: string | undefined } | undefined
  constructor(code: RefusalCode, message: string, back?: Refusal['back']) {
    super(message)
    this.code = code
    this.back = back
  }
}

export const isRefusal = (thrown: unknown): thrown is Refusal => thrown instanceof Refusal
