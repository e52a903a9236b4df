import type { ComponentChildren } from 'preact'
import type { Pages } from '../api/use-api.ts'
import { Button } from './basics.tsx'
import { Loading, ProblemBox } from './states.tsx'
import { Table } from './table.tsx'
import type { TableProps } from './table.tsx'
import { VirtualList } from './virtual-list.tsx'

type Props<T> = Omit<TableProps<T>, 'caption' | 'rows'> & {
  list: Pages<T>
  /** What is listed, such as `Runs`. */
  what: string
  /** Shown when there is nothing to list. */
  empty: ComponentChildren
  /** A list of any length, which reads its next page when the reader comes near the end. */
  endless?: true
  /** Returns content for a row of an endless list that spans all columns. */
  wide?(row: T): ComponentChildren | undefined
}

/** A list of the API: its table, and what it shows while it loads, when it is empty, and when it failed. */
export const List = <T,>({ list, what, empty, endless, wide, ...columnProps }: Props<T>) => {
  const { items, problem, loading, hasMore, loadMore, reload } = list
  const tableProps = { ...columnProps, caption: what, rows: items }
  return (
    <>
      <ProblemBox problem={problem} retry={reload} />
      {items.length > 0 &&
        (endless ? (
          <VirtualList {...tableProps} wide={wide} hasMore={hasMore} onEnd={loadMore} />
        ) : (
          <Table {...tableProps} />
        ))}
      {loading && <Loading what={what.toLowerCase()} />}
      {!loading && !problem && items.length === 0 && empty}
      {hasMore && !loading && !endless && <Button onClick={loadMore}>Show more</Button>}
    </>
  )
}
