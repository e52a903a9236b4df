/** Chooses one of the latest searches. */
import type { Run } from '../../../../api/resources/run.ts'
import { pathTo, useItems } from '../../api/index.ts'
import { ChoiceField, Loading, ProblemBox } from '../../ui/index.ts'
import { otherwiseOf } from '../runs/words.tsx'
import { isSearch } from './sources.ts'

export const useSearches = () => {
  const { items, ...loaded } = useItems<Run>('runs', { state: 'done' })
  return { ...loaded, items: items.filter(({ integration, step }) => isSearch(integration, step)) }
}

const labelOf = (run: Run) =>
  `${run.summary?.text ?? otherwiseOf(run)}, ${new Date(run.createdAt).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })}`

type Props = {
  searches: ReturnType<typeof useSearches>
  value: string | undefined
  change(run: string): void
  error: string | undefined
}

export const SearchField = ({ searches: { items, loading, problem, reload }, value, change, error }: Props) => {
  if (loading) return <Loading what="the searches" />
  if (problem) return <ProblemBox problem={problem} retry={reload} />
  if (items.length === 0)
    return (
      <p class="note">
        No search has been run yet. <a href={pathTo('steps')}>Run a search step</a>, then make the list from what it
        found.
      </p>
    )
  return (
    <ChoiceField
      label="Search"
      value={value ?? ''}
      change={change}
      options={items.map((run): [string, string] => [run.id, labelOf(run)])}
      hint="Its output must still be stored; the operator of the server decides for how long."
      error={error}
    />
  )
}
