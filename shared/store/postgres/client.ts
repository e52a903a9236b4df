import { Socket } from 'node:net'
import { Client } from 'pg'
import type { ClientConfig } from 'pg'

/** For all connections: the operating system detects that the peer is gone even when nothing is sent. */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 }

const goodbyeMs = 1_000

/** A connection that can be abandoned at once, even when nothing comes back any more. */
export class ResettableClient extends Client {
  readonly #socket: Socket

  constructor(config: ClientConfig) {
    const socket = new Socket()
    super({ ...config, ...keptAlive, stream: () => socket })
    this.#socket = socket
  }

  /**
   * Fails everything that is awaited. An ordinary end would leave it to the operating system to deliver what was sent:
   * minutes later, once the network is back, a transaction would be committed that was given up long ago.
   */
  reset(): void {
    // Only an established TCP connection can be reset.
    if (this.#socket.connecting || this.#socket.remoteFamily === undefined) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  /** Ends the connection in order, or resets it when the peer does not respond. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.reset(), goodbyeMs)
    await this.end().catch(() => undefined)
    clearTimeout(timer)
  }
}
