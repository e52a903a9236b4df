/** A list of the API that is read page by page and updated by the stream. */
import { effect } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { get, listen, problemOf, streamState } from '../../api/index.ts'
import type { Change, Pages, Problem, Query } from '../../api/index.ts'
import { createRows, maxRows } from './live-rows.ts'
import type { LiveRow } from './live-rows.ts'

type Options<T> = {
  path: string
  query: Query
  keyOf(row: T): string
  accepts(row: T): boolean
  /**
   * The rows that result from the stream's changes, oldest first. `findRow` returns a row as the list currently has it.
   */
  rowsOf(changes: Change[], findRow: (key: string) => T | undefined): T[]
}
export type LiveList<T> = Pages<T> & {
  /** The oldest rows were dropped. */
  isCut: boolean
  /** The number of changes held back while the list is paused. */
  waiting: number
}

/** A smaller first page, so that it appears soon. */
const firstPage = 100
const pageSize = 200
/** Pages to read when catching up on missed changes; if there are more, the list starts afresh. */
const maxPages = 10
/**
 * Browsers give hidden pages no animation frames, so the changes waiting for one are bounded; beyond that, the list is
 * read again instead.
 */
const maxWaiting = 5_000

type State = { next?: string | undefined; problem?: Problem | undefined; loading: boolean; isCut: boolean }
type Page<T> = { items: T[]; next?: string }

const nothing: State = { loading: true, isCut: false }

/** The list and its requests; replaced when path or query change. */
const createLiveList = <T extends LiveRow>(
  { path, query, keyOf, accepts, rowsOf }: Options<T>,
  changed: () => void,
) => {
  let state = nothing
  const rows = createRows({ keyOf, accepts })
  let waiting: Change[] = []
  let frame = 0
  let isPaused = false
  let hasMissed = false
  let reading = 0
  const aborter = new AbortController()
  const set = (changes: Partial<State>) => {
    state = { ...state, ...changes }
    changed()
  }
  const fetchPage = (cursor: string | undefined) =>
    get<Page<T>>(path, { ...query, limit: cursor === undefined ? firstPage : pageSize, cursor }, aborter.signal)
  const failed = (thrown: unknown) => {
    if (!aborter.signal.aborted) set({ problem: problemOf(thrown), loading: false })
  }
  const merge = (incoming: T[]) => {
    rows.merge(incoming, state.next !== undefined || state.isCut)
    // Drops many rows at a time: otherwise each new row would copy the whole list.
    if (rows.all().length <= maxRows * 1.1) return changed()
    rows.cut(maxRows)
    set({ next: undefined, isCut: true })
  }
  /** Holds changes back while a request is under way, because its response may be older than they are. */
  const reads = async (work: () => Promise<void>) => {
    reading += 1
    await work().catch(failed)
    reading -= 1
    soon()
  }
  let turn = 0
  const read = (cursor: string | undefined) => {
    const mine = (turn += 1)
    set({ loading: true, problem: undefined })
    void reads(async () => {
      const { items, next } = await fetchPage(cursor)
      if (mine !== turn) return
      if (cursor === undefined) rows.replace(items)
      else rows.append(items)
      set({ next, loading: false, isCut: false })
    })
  }
  /** Reads what the stream missed: the newest pages, up to the first row that is already known. */
  const catchUp = async () => {
    if (rows.all().length === 0) return read(undefined)
    const foundRows: T[] = []
    let next: string | undefined
    let page = 0
    do {
      const answer = await fetchPage(next)
      foundRows.push(...answer.items)
      next = answer.next
      page += 1
      if (answer.items.some((row) => rows.get(keyOf(row)))) {
        set({ problem: undefined })
        return merge(foundRows)
      }
    } while (next !== undefined && page < maxPages)
    turn += 1
    rows.replace(foundRows)
    set({ next, isCut: false, loading: false, problem: undefined })
  }
  const flush = () => {
    frame = 0
    if (isPaused || reading > 0 || aborter.signal.aborted) return
    if (hasMissed) {
      hasMissed = false
      return void reads(catchUp)
    }
    if (waiting.length === 0) return
    const changes = waiting
    waiting = []
    merge(rowsOf(changes, rows.get))
  }
  const soon = () => {
    if (!isPaused && (hasMissed || waiting.length > 0)) frame ||= requestAnimationFrame(flush)
  }
  return {
    current: () => ({ ...state, rows: rows.all(), waiting: hasMissed ? maxWaiting : waiting.length }),
    read,
    take(changes: Change[]) {
      waiting.push(...changes)
      if (waiting.length > maxWaiting) {
        waiting = []
        hasMissed = true
      }
      soon()
      if (isPaused) changed()
    },
    missed() {
      hasMissed = true
      soon()
    },
    pause(paused: boolean) {
      isPaused = paused
      soon()
    },
    close() {
      aborter.abort()
      cancelAnimationFrame(frame)
    },
  }
}

/** Applies all changes that arrive within one frame together. While paused, they wait. */
export const useLiveList = <T extends LiveRow>(options: Options<T>, isPaused: boolean): LiveList<T> => {
  const key = `${options.path}?${JSON.stringify(options.query)}`
  const [, setVersion] = useState(0)
  const list = useRef<ReturnType<typeof createLiveList<T>>>(undefined)
  const listKey = useRef('')
  useEffect(() => {
    const mine = createLiveList(options, () => setVersion((version) => version + 1))
    list.current = mine
    listKey.current = key
    mine.pause(isPaused)
    mine.read(undefined)
    const stop = listen({ changed: mine.take })
    // What happened before the stream began, or while it was lost, is only in the list.
    let wasLive = streamState.value === 'live'
    const unwatch = effect(() => {
      const isLive = streamState.value === 'live'
      if (isLive && !wasLive) mine.missed()
      wasLive = isLive
    })
    return () => {
      unwatch()
      stop()
      mine.close()
    }
  }, [key])
  // Before anything else arrives.
  useLayoutEffect(() => list.current?.pause(isPaused), [isPaused])
  const state = list.current && listKey.current === key ? list.current.current() : { ...nothing, rows: [], waiting: 0 }
  return {
    items: state.rows,
    problem: state.problem,
    loading: state.loading,
    hasMore: state.next !== undefined,
    isCut: state.isCut,
    waiting: state.waiting,
    loadMore: () => {
      const { next, loading, problem } = list.current!.current()
      if (next !== undefined && !loading && !problem) list.current!.read(next)
    },
    reload: () => list.current?.read(undefined),
  }
}
