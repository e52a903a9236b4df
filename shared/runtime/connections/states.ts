import { connectionChanged } from '../notices.ts'
import type { Connection, ConnectionState, Clock, Log, Store } from '../ports/index.ts'

/** Called once per state change. Connections in the states `connected` and `unverified` can be used, others cannot. */
export type OnConnectionState = (
  tenant: string,
  connection: string,
  state: ConnectionState,
  reason: string | null,
) => void

export type ConnectionStates = {
  /** Sets the state of a connection, once per change: in the given row immediately, in the store shortly after. */
  set(connection: Connection, state: ConnectionState, reason: string | null): void
  /** Reports a state that other code has written to the row. */
  announce(before: Pick<Connection, 'tenant' | 'id' | 'state'>, state: ConnectionState, reason: string | null): void
  /** Returns a function that removes the listener. */
  on(listener: OnConnectionState): () => void
  /** Applies changes to the given row immediately and stores them without waiting. */
  write(connection: Connection, changes: Partial<Connection>): void
  /** Resolves when all these writes are stored, so that a following read sees them. */
  settled(): Promise<unknown>
}

const usable = new Set<ConnectionState>(['connected', 'unverified'])

export const createConnectionStates = ({
  store,
  clock,
  log,
}: {
  store: Pick<Store, 'connections'>
  clock: Clock
  log: Log
}): ConnectionStates => {
  const listeners = new Set<OnConnectionState>()
  const pending = new Set<Promise<unknown>>()
  const states: ConnectionStates = {
    set(connection, state, reason) {
      if (connection.state === state) return
      const before = { ...connection }
      states.write(connection, { state, stateReason: reason, stateAt: clock.now() })
      states.announce(before, state, reason)
    },
    write(connection, changes) {
      // Applied first, so that concurrent calls with this connection do not write the same change again.
      Object.assign(connection, changes)
      const writing = store.connections
        .patch(connection.tenant, connection.id, changes, connectionChanged(connection, changes, clock.now()))
        .catch((error: unknown) =>
          log('error', 'connection.not_updated', {
            connection: connection.id,
            error: error instanceof Error ? error.name : 'unknown',
          }),
        )
        .finally(() => pending.delete(writing))
      pending.add(writing)
    },
    settled: () => Promise.all(pending),
    announce({ tenant, id, state: before }, state, reason) {
      if (before === state) return
      const level = usable.has(state) ? 'info' : 'warn'
      log(level, `connection.${state}`, { tenant, connection: id, before })
      for (const listener of listeners) listener(tenant, id, state, reason)
    },
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  return states
}
