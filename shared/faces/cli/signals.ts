type Signals = { on(signal: NodeJS.Signals, then: () => void): unknown }

/** What ends a process from outside: Ctrl-C, an init system or a container, and a terminal that is closed. */
const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Resolves at the first signal to stop. A terminal and npm both pass Ctrl-C on, so more than one may come; the drain is bounded and cannot be hurried. */
export const untilStopped = (process: Signals) => {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  for (const signal of ending) process.on(signal, () => resolve(signal))
  return promise
}

/** A second Ctrl-C within this time is the same one, passed on by npm. */
const sameMs = 1_000

/** A signal cancels the command in hand, which then tidies up behind itself; one that comes later calls `quit`. */
export const cancelOnSignal = (process: Signals, now: () => number, quit: () => void): AbortSignal => {
  const controller = new AbortController()
  let first: number | undefined
  const onSignal = () => {
    first ??= now()
    if (now() - first > sameMs) quit()
    controller.abort()
  }
  for (const signal of ending) process.on(signal, onSignal)
  return controller.signal
}
