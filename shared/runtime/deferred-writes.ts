/** Writes that nobody waits for, carried out together shortly after they were requested. */
export type DeferredWrites = {
  add<T>(write: (item: T) => void, item: T): void
  /** Carries out all waiting writes now. */
  flush(): void
}

/** Rows within this time share a commit, which costs as much as writing ten rows. */
const flushIntervalMs = 10
/** Writing this many rows blocks the event loop for a few milliseconds. */
const maxWaiting = 200

/**
 * Defers the rows about a run until after its answer was sent: the next request goes out first, and rows written in one
 * batch cost a fraction of rows written between requests. Readers of these rows flush first.
 */
export const createDeferredWrites = (): DeferredWrites => {
  let waiting: [(item: never) => void, unknown][] = []
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    const batch = waiting
    waiting = []
    clearTimeout(timer)
    timer = undefined
    for (const [write, item] of batch) write(item as never)
  }
  return {
    add(write, item) {
      if (waiting.push([write, item]) >= maxWaiting) flush()
      else timer ??= setTimeout(flush, flushIntervalMs)
    },
    flush,
  }
}

/** Writes everything immediately. */
export const immediateWrites: DeferredWrites = { add: (write, item) => write(item), flush() {} }
