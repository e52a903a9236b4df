/** Writes that nobody waits for, carried out together a moment after they were asked for. */
export type DeferredWrites = {
  add<T>(write: (item: T) => void, item: T): void
  /** Carries out now what is still waiting. */
  flush(): void
}

/** Rows of so many ms share a commit, which costs as much as ten of them. */
const everyMs = 10
/** Writing so many takes some milliseconds of the event loop. */
const maxWaiting = 200

/**
 * The rows about a run are written after its answer has left: the next request goes out first, and many rows in one
 * batch cost a fraction of what each costs between two requests. Readers of these rows flush first.
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
      else timer ??= setTimeout(flush, everyMs)
    },
    flush,
  }
}

/** Defers nothing. */
export const immediateWrites: DeferredWrites = { add: (write, item) => write(item), flush() {} }
