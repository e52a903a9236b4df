import { connectionChanged } from '../notices.ts'
import type { Connection, ConnectionState, Clock, Log, Store } from '../ports/index.ts'

/** Told once per change: `connected` and `unverified` can be used, the others cannot. */
export type OnConnectionState = (
  tenant: string,
  connection: string,
  state: ConnectionState,
  reason: string | null,
) => void

export type ConnectionStates = {
  /** Sets the state of a connection, once per change; the row in hand changes at once, the stored one right after. */
  set(connection: Connection, state: ConnectionState, reason: string | null): void
  /** Tells that a row was written with this state by somebody else. */
  announce(before: Pick<Connection, 'tenant' | 'id' | 'state'>, state: ConnectionState, reason: string | null): void
  /** The function it gives ends the listening. */
  on(listener: OnConnectionState): () => void
  /** Writes down changes of a row in hand whose author does not wait for it. */
  write(connection: Connection, changes: Partial<Connection>): void
  /** Resolves when everything that was marked is stored, so that whoever reads sees it. */
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
      // Further calls in progress with this connection would do the same again.
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
