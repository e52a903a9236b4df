/** How connecting ended. */
export type ConnectOutcome =
  /** An account was connected; the id of its connection. */
  | { result: 'connected'; connection: string }
  /**
   * `denied`: at the provider. `closed`: the window was closed, or the provider's page cut it off from yours, or
   * `signal` was aborted; ask your backend whether there is a connection.
   */
  | { result: 'cancelled'; reason: 'denied' | 'closed' }
  /**
   * `blocked`: the browser let no window open. `not-shown`: the page did not appear in the frame within 15 seconds; is
   * your origin in `TOOLYARD_EMBED_ORIGINS`? Others: why the link was refused, such as `expired`.
   */
  | { result: 'failed'; reason: string }

export type ConnectOptions = {
  /** Shows the page within this element instead of in a window. Providers' own pages do not appear in frames. */
  frame?: { append(frame: any): void }
  /** Title of the frame, which screen readers read out; by default “Connect an account”. */
  title?: string
  /** Ends it; the window or frame is closed. */
  signal?: {
    readonly aborted: boolean
    addEventListener(type: 'abort', listener: () => void): void
    removeEventListener(type: 'abort', listener: () => void): void
  }
  /** Width of the window in pixels; by default 520. */
  width?: number
  /** Height of the window in pixels; by default 720. */
  height?: number
}

/**
 * Opens a connect link that your backend made. Call it from a click, or the browser opens no window. Rejects with a
 * TypeError if `link` is not an http(s) address.
 */
export declare const connect: (link: string, options?: ConnectOptions) => Promise<ConnectOutcome>
