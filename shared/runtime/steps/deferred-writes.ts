/** Work that nobody waits for, done a moment later and all at once. */
export type Later = {
  add<T>(work: (item: T) => void, item: T): void
  /** Does now what is still to be done. */
  flush(): void
}

/**
 * What is written down about a run is written when its answer has left: the next request goes out before, and many rows in a row cost a
 * fraction of what one costs between two requests. Whoever reads the rows flushes first.
 */
export const createLater = (): Later => {
  let waiting: [(item: never) => void, unknown][] = []
  const flush = () => {
    const batch = waiting
    waiting = []
    for (const [work, item] of batch) work(item as never)
  }
  return {
    add(work, item) {
      if (waiting.push([work, item]) === 1) setImmediate(flush)
    },
    flush,
  }
}

/** Nothing is put off. */
export const atOnce: Later = { add: (work, item) => work(item), flush() {} }
