/** Filters of a list; their values are stored in the address. */
import type { ComponentChildren } from 'preact'
import { useAddress } from './address.ts'
import { Button } from './basics.tsx'
import { ChoiceField, TextField } from './field.tsx'
import type { Choice } from './input.tsx'

type Query = Record<string, string | undefined>

export type Filter = {
  /** The name in the address. */
  name: string
  label: string
  /** The values to choose from; without them a text is entered. */
  options?: Choice[]
  /** The option that does not filter. */
  any?: string
  /** Values to suggest. */
  suggest?: string[]
  /** Filters with every key, not only when the text is finished. */
  live?: true
  type?: 'search' | 'datetime-local'
  /** The control's value where it is not the address's. */
  value?: string
  /** What a value changes in the address beside, or in place of, `name`. */
  changes?(value: string): Query
}

type Props = {
  label?: string
  filters: Filter[]
  /** More names of the address that filter the list. */
  also?: string[]
  children?: ComponentChildren
}

export const Filters = ({ label = 'Filters', filters, also = [], children }: Props) => {
  const { query, change } = useAddress()
  const names = [...filters.map(({ name }) => name), ...also]
  const isFiltered = names.some((name) => query[name])
  return (
    <form class="filters" role="search" aria-label={label} onSubmit={(event) => event.preventDefault()}>
      {filters.map(({ name, options, any = 'All', live, changes, type = 'search', ...field }) => {
        const set = (value: string) => change({ [name]: value, ...changes?.(value) })
        const controlProps = { value: query[name] ?? '', ...field }
        return options ? (
          <ChoiceField key={name} {...controlProps} change={set} options={[['', any], ...options]} />
        ) : (
          <TextField key={name} {...controlProps} type={type} {...(live ? { change: set } : { finish: set })} />
        )
      })}
      {(children || isFiltered) && (
        <p class="row">
          {children}
          {isFiltered && (
            <Button onClick={() => change(Object.fromEntries(names.map((name) => [name, undefined])))}>
              Clear filters
            </Button>
          )}
        </p>
      )}
    </form>
  )
}

/** The part of the address's query that filters the list. */
export const chosen = <N extends string>(query: Query, names: readonly N[]): { [K in N]?: string } =>
  Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : []))) as { [K in N]?: string }

/** The values of a field among the first rows, to suggest. */
export const valuesOf = <T, K extends keyof T>(rows: T[], name: K) => [
  ...new Set(rows.slice(0, 500).map((row) => row[name])),
]
