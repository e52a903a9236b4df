/** Undefined in a process that runs no tests, such as a benchmark. */
const vitest = '__vitest_worker__' in globalThis ? await import('vitest') : undefined

/**
 * Calls `close` after the running test or, while a file or a `describe` is being read, after its last test. In
 * `beforeAll`, in concurrent tests and outside of tests it does nothing: there the caller closes. Of concurrent tests,
 * only the last that began is known, and its end would close what belongs to the others.
 */
export const closeAfterwards = (close: () => unknown): void => {
  if (!vitest) return
  const test = vitest.TestRunner.getCurrentTest()
  if (test?.concurrent) return
  const end = async () => void (await close())
  if (test) vitest.onTestFinished(end)
  else vitest.afterAll(end)
}

/** Closes a resource when the test or the suite that opens it is over. */
export const closing = <T extends { close(): unknown }>(resource: T): T => {
  closeAfterwards(() => resource.close())
  return resource
}

/** Closes things once, the last one first: a test may do so before its end. */
export const createCloser = () => {
  const ends: (() => unknown)[] = []
  let closed: Promise<void> | undefined
  const closeAll = async () => {
    for (const end of ends.reverse()) await end()
  }
  const close = (): Promise<void> => (closed ??= closeAll())
  return closing({ close, add: (end: () => unknown) => void ends.push(end) })
}
