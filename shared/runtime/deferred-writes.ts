/** Writes that nobody waits for, carried out together a moment after they were asked for. */
export type DeferredWrites = {
  add<T>(write: (item: T) => void, item: T): void
  /** Carries out now what is still waiting. */
  flush(): void
}

/**
 * The rows about a run are written after its answer has left: the next request goes out first, and many rows in one batch cost a fraction of
 * what each costs between two requests. Readers of these rows flush first.
 */
export const createDeferredWrites = (): DeferredWrites => {
  let waiting: [(item: never) => void, unknown][] = []
  const flush = () => {
    const batch = waiting
    waiting = []
    for (const [write, item] of batch) write(item as never)
  }
  return {
    add(write, item) {
      if (waiting.push([write, item]) === 1) setImmediate(flush)
    },
    flush,
  }
}

/** Defers nothing. */
export const immediateWrites: DeferredWrites = { add: (write, item) => write(item), flush() {} }
