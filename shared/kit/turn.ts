/**
 * Resolves in the next turn of the event loop, after whoever else waits for one: to be awaited between the parts of
 * work on a large value.
 */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
