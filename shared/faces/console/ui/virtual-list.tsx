/** A table of any length: only the rows in view are in the document. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from './basics.tsx'
import { idOf } from './table.tsx'
import type { TableProps } from './table.tsx'

type Props<T> = TableProps<T> & {
  /** Returns content for a row that spans all columns instead of having cells. */
  wide?: ((row: T) => ComponentChildren | undefined) | undefined
  /** More rows exist after these; `onEnd` is called when the reader comes near the end. */
  hasMore: boolean
  onEnd(): void
}

/** The rendered range moves by this many rows at once. */
const step = 4
const ahead = 40

const focusable = 'a, button, input'
/** Moves the focus one row up or down, to the element at the same position within the row. */
const moveFocus = (scroller: HTMLElement, target: HTMLElement, by: 1 | -1) => {
  const row = target.closest<HTMLElement>('[data-row]')
  if (!row) return false
  const beside = by > 0 ? row.nextElementSibling : row.previousElementSibling
  const place = [...row.querySelectorAll(focusable)].indexOf(target)
  const focusables = beside?.querySelectorAll<HTMLElement>(focusable)
  const next = focusables?.[place] ?? focusables?.[0]
  if (!beside || !next) {
    scroller.scrollBy({ top: by * row.offsetHeight })
    return true
  }
  next.focus({ preventScroll: true })
  beside.scrollIntoView({ block: 'nearest' })
  return true
}

/** Where the reader is: the first row in view, and how far it is scrolled past. */
type Anchor = { key: string; index: number; offset: number }

/** The row's current index: rows inserted above may have moved it down. */
const indexOf = <T,>(rows: T[], keyOf: (row: T) => string, { key, index }: Anchor) => {
  for (let at = index; at < rows.length; at += 1) if (keyOf(rows[at]!) === key) return at
  return rows.slice(0, index).findIndex((row) => keyOf(row) === key)
}

const useWindow = <T,>(rows: T[], keyOf: (row: T) => string) => {
  const scroller = useRef<HTMLDivElement>(null)
  const anchor = useRef<Anchor>(undefined)
  const rowHeight = useRef(40)
  const hadFocus = useRef(false)
  const [first, setFirst] = useState(0)
  const [count, setCount] = useState(step * 6)
  const [unseen, setUnseen] = useState(0)
  const [shownHeight, setHeight] = useState(rowHeight.current)

  const look = () => {
    const { scrollTop, clientHeight } = scroller.current!
    const index = Math.min(Math.floor(scrollTop / rowHeight.current), rows.length - 1)
    const row = rows[index]
    anchor.current = row && { key: keyOf(row), index, offset: scrollTop - index * rowHeight.current }
    if (scrollTop < rowHeight.current / 2) setUnseen(0)
    setFirst(Math.max(0, Math.floor(index / step) * step - step))
    setCount(Math.ceil(clientHeight / rowHeight.current / step) * step + 3 * step)
  }

  const measure = () => {
    const height = scroller.current!.querySelector('[data-row]')?.getBoundingClientRect().height
    if (height) {
      rowHeight.current = height
      // Rows are higher on a phone, and after it is turned.
      setHeight(height)
    }
    look()
  }
  const isEmpty = rows.length === 0
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure)
    observer.observe(scroller.current!)
    return () => observer.disconnect()
  }, [isEmpty])

  // Rows inserted above must not move what the user is reading.
  useLayoutEffect(() => {
    const element = scroller.current!
    const lastAnchor = anchor.current
    const isFollowing =
      element.scrollTop < rowHeight.current / 2 &&
      !element.contains(document.activeElement?.closest('[data-row]') ?? null)
    if (lastAnchor && !isFollowing) {
      const index = indexOf(rows, keyOf, lastAnchor)
      if (index > 0 && index !== lastAnchor.index) {
        element.scrollTop = index * rowHeight.current + lastAnchor.offset
        setUnseen((before) => Math.max(0, before + index - lastAnchor.index))
      }
    }
    look()
  }, [rows])

  // A focused row that scrolls out of view leaves the document; the keys must still scroll the list.
  useLayoutEffect(() => {
    const element = scroller.current!
    if (hadFocus.current && document.activeElement === document.body) element.focus({ preventScroll: true })
    hadFocus.current = element.contains(document.activeElement)
  })

  const toTop = () => {
    scroller.current!.scrollTop = 0
    scroller.current!.focus({ preventScroll: true })
    setUnseen(0)
  }
  return {
    scroller,
    first,
    last: Math.min(rows.length, first + count),
    height: shownHeight,
    unseen,
    look,
    toTop,
    hadFocus,
  }
}

/**
 * All rows have one height, `--row` of the class `virtual`. While rows arrive at the top, the list keeps its position
 * and offers to go there.
 */
export const VirtualList = <T,>({ caption, columns, rows, keyOf = idOf, wide, hasMore, onEnd }: Props<T>) => {
  const { scroller, first, last, height, unseen, look, toTop, hadFocus } = useWindow(rows, keyOf)
  const end = useRef(onEnd)
  end.current = onEnd
  const isNearEnd = hasMore && last + ahead >= rows.length
  useLayoutEffect(() => {
    if (isNearEnd) end.current()
  }, [isNearEnd, rows.length])

  const onKeyDown = (event: KeyboardEvent) => {
    const by = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key]
    if (by && event.target instanceof HTMLElement && moveFocus(scroller.current!, event.target, by))
      event.preventDefault()
  }

  return (
    <div class={`virtual-frame ${caption.toLowerCase()}`}>
      <p class="virtual-new" hidden={unseen === 0}>
        <Button kind="primary" onClick={toTop}>
          Show {unseen} new
        </Button>
      </p>
      <div
        class="virtual"
        role="table"
        aria-label={caption}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        aria-colcount={columns.length}
        tabIndex={0}
        ref={scroller}
        onScroll={look}
        onKeyDown={onKeyDown}
        onFocusIn={() => (hadFocus.current = true)}
      >
        <div role="rowgroup" class="virtual-head">
          <div role="row" aria-rowindex={1} class="virtual-row">
            {columns.map(({ id, title, silent }) => (
              <div role="columnheader" key={title} class={`cell-${id}`}>
                <span class={silent ? 'hidden' : ''}>{title}</span>
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" class="virtual-body" style={{ height: `${rows.length * height}px` }}>
          <div role="presentation" style={{ transform: `translateY(${first * height}px)` }}>
            {rows.slice(first, last).map((row, at) => {
              const sentence = wide?.(row)
              return (
                <div role="row" key={keyOf(row)} data-row aria-rowindex={first + at + 2} class="virtual-row">
                  {sentence === undefined ? (
                    columns.map(({ id, title, cell }) => (
                      <div role="cell" key={title} class={`cell-${id}`}>
                        {cell(row)}
                      </div>
                    ))
                  ) : (
                    <div role="cell" aria-colspan={columns.length} class="cell-wide">
                      {sentence}
                    </div>
                  )}
                </div>
              )
            })}
          </div>
        </div>
      </div>
      <p class="hidden" role="status">
        {unseen > 0 ? `There are new ${caption.toLowerCase()} above.` : ''}
      </p>
    </div>
  )
}
