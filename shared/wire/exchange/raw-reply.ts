/**
 * A complete reply, its body as received (still encoded). `saved`: the body went into the sink that was opened for it.
 * `giveBack`: to be called when nothing reads `bytes` any more, so that their memory holds the next body.
 */
export type RawReply = {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
  giveBack?: (() => void) | undefined
  saved?: true
}

/**
 * Why there is no complete reply. `sent` false: provably no byte of the request reached the peer.
 * `status`: the reply had begun, so the request was read and answered.
 * `cause`: why the sink did not take the body.
 */
export type Broken = { kind: BrokenKind; sent: boolean; status: number | undefined; cause?: unknown }
export type BrokenKind =
  | 'refused'
  | 'name'
  | 'no_name'
  | 'blocked'
  | 'tls'
  | 'connect_timeout'
  | 'cut'
  | 'headers_timeout'
  | 'body_timeout'
  | 'total_timeout'
  | 'too_large'
  | 'protocol'
  | 'unsaved'
  | 'cancelled'
  | 'closed'

export type SendResult = RawReply | Broken
export const isBroken = (sent: SendResult): sent is Broken => 'kind' in sent
