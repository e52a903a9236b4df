/** Filters of a list; their values are stored in the address. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useAddress } from './address.ts'
import { Button } from './basics.tsx'
import { ChoiceField, TextField } from './field.tsx'
import { ThingField } from './thing-field.tsx'
import type { Named } from './thing-field.tsx'
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
  /** Too many values for a list: they are found by a part of their label, which is shown in place of the value. */
  named?: [value: string, label: string][]
  /** Values to suggest. */
  suggest?: string[]
  /** Finds values by name: the name is typed and shown, the value is in the address. */
  find?(text: string): Promise<Named[]>
  /** What the chosen value is called, where it is found by name. */
  title?: string
  /** Filters with every key, not only when the text is finished. */
  live?: true
  type?: 'search' | 'datetime-local'
  /** The control's value where it is not the address's. */
  value?: string
  /** What a value changes in the address beside, or in place of, `name`. */
  changes?(value: string): Query
}

/** The value of a label, or of the only label that contains the text; '' for no text, undefined for an unknown one. */
export const valueNamed = (named: [value: string, label: string][], text: string): string | undefined => {
  const sought = text.trim().toLowerCase()
  if (sought === '') return ''
  const exact = named.find(([, label]) => label.toLowerCase() === sought)
  const similar = named.filter(([, label]) => label.toLowerCase().includes(sought))
  return exact?.[0] ?? (similar.length === 1 ? similar[0]![0] : undefined)
}

type NamedProps = { label: string; named: [string, string][]; value: string; set(value: string): void }

/** A text field that suggests labels and filters by the value of the label. */
const NamedField = ({ label, named, value, set }: NamedProps) => {
  const shown = named.find(([of]) => of === value)?.[1] ?? ''
  const [wrong, setWrong] = useState<string>()
  const choose = (text: string) => {
    const chosenValue = valueNamed(named, text)
    setWrong(chosenValue === undefined ? text : undefined)
    if (chosenValue !== undefined && chosenValue !== value) set(chosenValue)
  }
  return (
    <TextField
      key={value}
      label={label}
      type="search"
      value={wrong ?? shown}
      placeholder="All"
      suggest={named.map(([, name]) => name)}
      finish={choose}
      error={wrong === undefined ? undefined : `Several or none match “${wrong}”. Choose one of the list.`}
    />
  )
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
      {filters.map(({ name, options, named, any = 'All', live, changes, type = 'search', find, title, ...field }) => {
        const set = (value: string) => change({ [name]: value, ...changes?.(value) })
        const value = query[name] ?? ''
        if (find)
          return (
            <ThingField key={name} label={field.label} value={value} title={title ?? value} find={find} pick={set} />
          )
        const controlProps = { value, ...field }
        if (named) return <NamedField key={name} {...controlProps} named={named} set={set} />
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
