import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { problemOf } from '../api/index.ts'
import type { Problem } from '../api/index.ts'
import type { Option, OptionPage } from './context.ts'

export type Options = {
  options: Option[]
  loading: boolean
  problem: Problem | undefined
  hasMore: boolean
  search(query: string): void
  more(): void
  refresh(): void
}

const typingMs = 250

/**
 * Choices that can be searched, paged and reloaded; the response to an earlier search never replaces a later one.
 * `key`: identifies what the choices depend on.
 */
export const useOptions = (
  load: (query: string, cursor: string | undefined, signal: AbortSignal) => Promise<OptionPage>,
  key: string,
): Options => {
  const [state, setState] = useState<{
    options: Option[]
    next?: string | undefined
    problem?: Problem
    loading: boolean
  }>({ options: [], loading: false })
  const query = useRef('')
  const running = useRef<AbortController>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stop = () => {
    clearTimeout(timer.current)
    running.current?.abort()
  }
  const read = (cursor?: string, earlier: Option[] = []) => {
    stop()
    const aborter = new AbortController()
    running.current = aborter
    setState({ options: earlier, loading: true })
    load(query.current, cursor, aborter.signal).then(
      ({ options, next }) =>
        !aborter.signal.aborted && setState({ options: [...earlier, ...options], next, loading: false }),
      (thrown: unknown) =>
        !aborter.signal.aborted &&
        setState({ options: earlier, next: cursor, problem: problemOf(thrown), loading: false }),
    )
  }
  // Before the list can be opened, so that it takes nothing back that was asked for since.
  useLayoutEffect(() => {
    setState({ options: [], loading: false })
    query.current = ''
    return stop
  }, [key])
  return {
    options: state.options,
    loading: state.loading,
    problem: state.problem,
    hasMore: state.next !== undefined && !state.loading,
    search(text) {
      query.current = text
      stop()
      // Options from an earlier opening may belong to another account.
      setState(({ options }) => ({ options: text === '' ? [] : options, loading: true }))
      timer.current = setTimeout(() => read(), text === '' ? 0 : typingMs)
    },
    more: () => read(state.next, state.options),
    refresh: () => read(),
  }
}
