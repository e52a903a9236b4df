/** Hooks that call the API for as long as their component is mounted. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { get, problemOf } from './client.ts'
import type { Problem, Query } from './client.ts'

export type ApiState<T> = { data: T | undefined; problem: Problem | undefined; loading: boolean; reload(): void }

/**
 * Reads one resource, and again when path or query change or `reload` is called. With `undefined` as the path, nothing
 * is read. Old data stays visible while new data loads.
 */
export const useApi = <T>(path: string | undefined, query: Query = {}): ApiState<T> => {
  const key = path === undefined ? undefined : `${path}?${JSON.stringify(query)}`
  const [state, setState] = useState<{ key?: string | undefined; data?: T; problem?: Problem }>({})
  const [turn, setTurn] = useState(0)
  const [loading, setLoading] = useState(path !== undefined)
  useEffect(() => {
    if (path === undefined) return undefined
    const aborter = new AbortController()
    setLoading(true)
    get<T>(path, query, aborter.signal).then(
      (data) => {
        setState({ key, data })
        setLoading(false)
      },
      (thrown: unknown) => {
        if (aborter.signal.aborted) return
        setState((previousState) => ({
          ...(previousState.key === key ? previousState : {}),
          key,
          problem: problemOf(thrown),
        }))
        setLoading(false)
      },
    )
    return () => aborter.abort()
  }, [key, turn])
  const reload = useCallback(() => setTurn((previousTurn) => previousTurn + 1), [])
  const isSame = state.key === key
  return {
    data: isSame ? state.data : undefined,
    problem: isSame ? state.problem : undefined,
    loading: loading || (path !== undefined && !isSame),
    reload,
  }
}

/** A list of the API of which one page is enough. */
export const useItems = <T>(path: string | undefined, query: Query = {}) => {
  const loaded = useApi<{ items: T[]; next?: string }>(path, { limit: 200, ...query })
  return { ...loaded, items: loaded.data?.items ?? [], hasMore: loaded.data?.next !== undefined }
}

const reloadMs = 1_000

/** Reads a resource again and again while it changes by itself. */
export const useReloads = <T>({ data, reload }: ApiState<T>, isChanging: (data: T) => boolean) =>
  useEffect(() => {
    if (data === undefined || !isChanging(data)) return undefined
    const timer = setTimeout(reload, reloadMs)
    return () => clearTimeout(timer)
  }, [data])

export type Pages<T> = {
  items: T[]
  problem: Problem | undefined
  loading: boolean
  hasMore: boolean
  loadMore(): void
  reload(): void
}

/** Reads a list page by page (`{ items, next? }`), and from the start again when path or query change. */
export const usePages = <T>(path: string, query: Query = {}): Pages<T> => {
  const key = `${path}?${JSON.stringify(query)}`
  const [state, setState] = useState<{ key?: string; items: T[]; next?: string | undefined; problem?: Problem }>({
    items: [],
  })
  const [loading, setLoading] = useState(true)
  const [turn, setTurn] = useState(0)
  const aborter = useRef<AbortController>(undefined)
  const read = (cursor: string | undefined, earlier: T[]) => {
    aborter.current?.abort()
    const current = new AbortController()
    aborter.current = current
    setLoading(true)
    get<{ items: T[]; next?: string }>(path, { ...query, cursor }, current.signal).then(
      ({ items, next }) => {
        setState({ key, items: [...earlier, ...items], next })
        setLoading(false)
      },
      (thrown: unknown) => {
        if (current.signal.aborted) return
        setState((previousState) => ({ ...previousState, key, items: earlier, problem: problemOf(thrown) }))
        setLoading(false)
      },
    )
  }
  useEffect(() => {
    read(undefined, [])
    return () => aborter.current?.abort()
  }, [key, turn])
  const isSame = state.key === key
  const items = isSame ? state.items : []
  return {
    items,
    problem: isSame ? state.problem : undefined,
    loading: loading || !isSame,
    hasMore: isSame && state.next !== undefined,
    loadMore: () => read(state.next, items),
    reload: useCallback(() => setTurn((previousTurn) => previousTurn + 1), []),
  }
}

export type Action<A extends unknown[]> = {
  run(...parameters: A): Promise<boolean>
  busy: boolean
  problem: Problem | undefined
  clear(): void
}

/**
 * Runs something the user does: `run` resolves to true on success; `busy` is true meanwhile, `problem` is set after a
 * failure.
 */
export const useAction = <A extends unknown[]>(act: (...parameters: A) => Promise<unknown>): Action<A> => {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const run = async (...parameters: A) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await act(...parameters)
      return true
    } catch (thrown) {
      setProblem(problemOf(thrown))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { run, busy, problem, clear: () => setProblem(undefined) }
}
