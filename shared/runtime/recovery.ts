import { describeDefect, isFailure } from '#kit'
import type { Intents } from './idempotency.ts'
import type { Leases } from './leases.ts'
import type { Log, Store } from './ports/index.ts'

type RecoveryDependencies = {
  store: Pick<Store, 'cluster'>
  leases: Leases
  intents: Pick<Intents, 'settle'>
  /** Settles runs that were cut off, of these processes where several share the store. */
  settleRuns(of?: string[]): Promise<void>
  /** Writes the ends of runs of this process that the store could not take. */
  settleOwed(): Promise<void>
  log: Log
}

const everyMs = 3_000

/**
 * What processes that died left unfinished: settled before this one begins, and for others that share the store as they
 * are found to be gone.
 */
export const createRecovery = ({
  store: { cluster },
  leases,
  intents,
  settleRuns,
  settleOwed,
  log,
}: RecoveryDependencies) => {
  const settle = async (of?: string[]) => {
    await intents.settle(of)
    await settleRuns(of)
  }

  /** Once more where another process did it at the same time, which changes nothing. */
  const settleDeparted = async (): Promise<void> => {
    const nodes = await cluster!.departed()
    await settle(nodes)
    await cluster!.forget(nodes)
  }

  let timer: NodeJS.Timeout | undefined
  let working: Promise<unknown> | undefined
  const look = async () => {
    await settleOwed()
    if ((await cluster!.departed()).length > 0) await leases.tryHold('recovery', settleDeparted)
  }
  const tick = () => {
    working ??= look()
      .catch((thrown: unknown) =>
        log('warn', 'recovery.failed', { reason: isFailure(thrown) ? thrown.message : describeDefect(thrown).message }),
      )
      .finally(() => (working = undefined))
    return working
  }

  return {
    async begin(): Promise<void> {
      if (!cluster) return settle()
      await leases.hold('recovery', settleDeparted)
      timer = setInterval(() => void tick(), everyMs).unref()
    },
    tick,
    async stop(): Promise<void> {
      clearInterval(timer)
      await working
      await settleOwed()
    },
  }
}
