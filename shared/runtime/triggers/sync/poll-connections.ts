import type { Leases } from '../../leases.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { connectionName } from './poll-set.ts'
import type { Poll } from './poll-set.ts'

type Polls = {
  now(): number
  leases: Leases
  /** Whether other processes poll the same connections. */
  isShared: boolean
  rowIfDue(poll: Poll): Promise<unknown>
  run(poll: Poll): Promise<void>
  allows(ref: ConnectionRef): boolean
}

/** How long to wait before checking again what another process is polling. */
const takenMs = 2_000

export const createPollConnections = ({ now, leases, isShared, rowIfDue, run, allows }: Polls) => {
  /** Connections that are being polled: another round skips them. */
  const polling = new Map<string, Promise<void>>()

  /**
   * Polls the resources of each connection one after another, and the connections concurrently. Resolves to the number
   * of polls made.
   */
  return async (duePolls: Poll[]): Promise<number> => {
    let count = 0
    const inTurn = async (due: Poll[]) => {
      for (const poll of due) {
        if (!allows(poll.ref)) return
        count += 1
        await run(poll)
      }
    }
    /** Only one process polls a connection at a time. Polls that another process has made meanwhile are skipped. */
    const shared = async (mine: Poll[]) => {
      const due: Poll[] = []
      for (const poll of mine) if (await rowIfDue(poll)) due.push(poll)
      const { tenant, connection } = mine[0]!.ref
      if (due.length === 0 || (await leases.tryHold(`polls ${tenant} ${connection}`, () => inTurn(due)))) return
      for (const poll of due) poll.dueAt = now() + takenMs
    }
    const begun = [...Map.groupBy(duePolls, ({ ref }) => connectionName(ref))].flatMap(([connection, due]) => {
      if (polling.has(connection)) return []
      const mine = (isShared ? shared(due) : inTurn(due)).finally(() => polling.delete(connection))
      polling.set(connection, mine)
      return [mine]
    })
    await Promise.all(begun)
    return count
  }
}
