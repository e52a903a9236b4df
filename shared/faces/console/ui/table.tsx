import type { ComponentChildren } from 'preact'

/** `id`: names the cells of a live list for its layout. `silent`: the title is for screen readers only. */
export type Column<T> = {
  title: string
  cell(row: T): ComponentChildren
  number?: boolean
  id?: string
  silent?: boolean
}

export type TableProps<T> = {
  caption: string
  columns: Column<T>[]
  rows: T[]
  /** Without it, rows are told apart by their `id`. */
  keyOf?(row: T): string
  /** On a phone each row becomes a block with a line for each column: for tables whose cells are words. */
  stacks?: true
}

export const idOf = (row: unknown) => (row as { id: string }).id

/** A table with a caption for screen readers. On narrow pages the table itself scrolls, also by keyboard, or its rows stack. */
export const Table = <T,>({ caption, columns, rows, keyOf = idOf, stacks }: TableProps<T>) => (
  <div class={stacks ? 'table stacks' : 'table'} role="region" aria-label={caption} tabIndex={0}>
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
              <td key={title} data-title={stacks && title} class={number ? 'number' : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
