import type { ComponentChildren } from 'preact'
import type { Pages } from '../api/use-api.ts'
import { Button } from './basics.tsx'
import { Loading, ProblemBox } from './states.tsx'

export type Column<T> = { title: string; cell(row: T): ComponentChildren; number?: boolean }

/** A table with a caption for screen readers. On narrow pages the table itself scrolls, also by keyboard. */
export const Table = <T,>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  caption: string
  columns: Column<T>[]
  rows: T[]
  keyOf(row: T): string
}) => (
  <div class="table" role="region" aria-label={caption} tabIndex={0}>
    <table>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, number }) => (
            <th scope="col" key={title} class={number ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, cell, number }) => (
              <td key={title} class={number ? 'number' : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

type PagedProps<T> = {
  pages: Pages<T>
  what: string
  columns: Column<T>[]
  keyOf(row: T): string
  empty: ComponentChildren
}

/** A list of the API as a table, with loading, empty and failed states and a button for the next page. */
export const PagedTable = <T,>({ pages, what, columns, keyOf, empty }: PagedProps<T>) => (
  <>
    {pages.problem && <ProblemBox problem={pages.problem} retry={pages.reload} />}
    {pages.items.length > 0 && <Table caption={what} columns={columns} rows={pages.items} keyOf={keyOf} />}
    {pages.loading && <Loading what={what.toLowerCase()} />}
    {!pages.loading && !pages.problem && pages.items.length === 0 && empty}
    {pages.hasMore && !pages.loading && <Button onClick={pages.loadMore}>Show more</Button>}
  </>
)
