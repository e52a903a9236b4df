/**
 * Resolves in the next turn of the event loop, after everything else that waits for one. Await it between the parts of
 * work on a large value.
 */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
