import { useState } from 'preact/hooks'
import { Checks, TextField } from './field.tsx'

type Props = {
  /** What is chosen, such as `Steps`. */
  legend: string
  /** What it means that none is chosen. */
  none: string
  options: { value: string; label: string }[]
  chosen: string[]
  change(chosen: string[]): void
  error?: string | undefined
}

/** So many are seen at once, without a search. */
const fewOptions = 8

/** Chooses things by their names; folded until somebody wants to. */
export const NamePicker = ({ legend, none, options, chosen, change, error }: Props) => {
  const [search, setSearch] = useState('')
  const words = search.toLowerCase().split(/\s+/)
  const noun = legend.toLowerCase()
  const isShown = ({ value, label }: Props['options'][number]) =>
    chosen.includes(value) || words.every((word) => label.toLowerCase().includes(word))
  if (options.length === 0) return null
  return (
    <details open={error !== undefined}>
      <summary>
        Only some {noun}
        {chosen.length > 0 && `: ${chosen.length} chosen`}
      </summary>
      {options.length > fewOptions && (
        <TextField label={`Find among the ${noun}`} type="search" value={search} change={setSearch} />
      )}
      <Checks
        legend={legend}
        hint={`None chosen: ${none}`}
        chosen={chosen}
        change={change}
        options={options.filter(isShown)}
        error={error}
      />
    </details>
  )
}
