/** Filters of a list; their values are stored in the address. */
import { useId } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../ui/basics.tsx'

type Item = { id: string; title: string }
export type Filter =
  | { name: string; title: string; options: Item[]; any: string }
  | { name: string; title: string; /** Values to suggest. */ suggest?: string[] }

type Props = {
  filters: Filter[]
  query: Record<string, string | undefined>
  change(changes: Record<string, string | undefined>): void
}

const One = ({ filter, value, set }: { filter: Filter; value: string; set(value: string): void }) => {
  const id = useId()
  return (
    <div class="filter">
      <label for={id}>{filter.title}</label>
      {'options' in filter ? (
        <select id={id} value={value} onChange={(event) => set(event.currentTarget.value)}>
          <option value="">{filter.any}</option>
          {value !== '' && !filter.options.some((option) => option.id === value) && (
            <option value={value}>{value}</option>
          )}
          {filter.options.map((option) => (
            <option key={option.id} value={option.id}>
              {option.title}
            </option>
          ))}
        </select>
      ) : (
        <>
          <input
            id={id}
            type="search"
            autocomplete="off"
            spellcheck={false}
            value={value}
            list={filter.suggest && `${id}-list`}
            onChange={(event) => set(event.currentTarget.value.trim())}
          />
          {filter.suggest && (
            <datalist id={`${id}-list`}>
              {filter.suggest.map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
            </datalist>
          )}
        </>
      )}
    </div>
  )
}

export const Filters = ({ filters, query, change }: Props) => {
  const isFiltered = filters.some(({ name }) => query[name])
  return (
    <form class="list-filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      {filters.map((filter) => (
        <One
          key={filter.name}
          filter={filter}
          value={query[filter.name] ?? ''}
          set={(value) => change({ [filter.name]: value || undefined })}
        />
      ))}
      {isFiltered && (
        <Button onClick={() => change(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}>
          Clear filters
        </Button>
      )}
    </form>
  )
}

/** The part of the address's query that filters the list. */
export const chosen = <N extends string>(
  query: Record<string, string | undefined>,
  names: readonly N[],
): { [K in N]?: string } =>
  Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : []))) as { [K in N]?: string }

/** The tenant's connections, for a select and to show their names. */
export const useConnections = () => {
  const { data } = useApi<{ items: Connection[] }>('connections', { limit: 200 })
  const items = (data?.items ?? []).map(({ id, name, integration }) => ({ id, title: name, integration }))
  return { items, nameOf: (id: string) => items.find((item) => item.id === id)?.title ?? id }
}
