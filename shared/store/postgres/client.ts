import { Socket } from 'node:net'
import { Client } from 'pg'
import type { ClientConfig } from 'pg'

/** For all connections: the system finds that the other side is gone, also where nothing is sent. */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 }

const goodbyeMs = 1_000

/** A connection that can be given up at once, also where nothing comes back any more. */
export class ResettableClient extends Client {
  readonly #socket: Socket

  constructor(config: ClientConfig) {
    const socket = new Socket()
    super({ ...config, ...keptAlive, stream: () => socket })
    this.#socket = socket
  }

  /**
   * Fails what is waited for. An ordinary end would leave it to the system to deliver what was sent: minutes later,
   * when the network is there again, a transaction would be committed that was given up long ago.
   */
  reset(): void {
    // Only a TCP connection that was made can be reset.
    if (this.#socket.connecting || this.#socket.remoteFamily === undefined) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  /** Ends it as it should be ended, unless the other side does not take part in that. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.reset(), goodbyeMs)
    await this.end().catch(() => undefined)
    clearTimeout(timer)
  }
}
