import { describeDefect, isFailure } from '#kit'
import type { Intents } from './idempotency.ts'
import type { Leases } from './leases.ts'
import type { Log, Store } from './ports/index.ts'

type RecoveryDependencies = {
  store: Pick<Store, 'cluster'>
  leases: Leases
  intents: Pick<Intents, 'settle'>
  /** Settles runs that were cut off; `of`: only those of these nodes, where several share the store. */
  settleRuns(of?: string[]): Promise<void>
  /** Writes the ends of this process's runs that the store could not take earlier. */
  settleOwed(): Promise<void>
  log: Log
}

const intervalMs = 3_000

/**
 * Settles what processes that died left unfinished: before this process starts work, and, where several share the
 * store, whenever another one is found to be gone.
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

  /** Harmless when another process does the same at the same time. */
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
      timer = setInterval(() => void tick(), intervalMs).unref()
    },
    tick,
    async stop(): Promise<void> {
      clearInterval(timer)
      await working
      await settleOwed()
    },
  }
}
