type Signals = { on(signal: NodeJS.Signals, then: () => void): unknown }

/** Sent by Ctrl-C, by init systems and containers, and by a terminal that closes. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Resolves at the first signal. A terminal and npm both forward Ctrl-C, so more than one may arrive; the shutdown has a
 * time limit, and further signals do not shorten it.
 */
export const untilStopped = (process: Signals) => {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  for (const signal of stopSignals) process.on(signal, () => resolve(signal))
  return promise
}

/** A second Ctrl-C within this time is the same one, forwarded by npm. */
const sameMs = 1_000

/** The first signal cancels the running command, which then cleans up; a later one calls `quit`. */
export const cancelOnSignal = (process: Signals, now: () => number, quit: () => void): AbortSignal => {
  const controller = new AbortController()
  let first: number | undefined
  const onSignal = () => {
    first ??= now()
    if (now() - first > sameMs) quit()
    controller.abort()
  }
  for (const signal of stopSignals) process.on(signal, onSignal)
  return controller.signal
}
