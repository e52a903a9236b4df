/** Takes something away from a program that somebody let in. Nothing can be added here. */
import { useState } from 'preact/hooks'
import type { Grant, GrantChanges } from '../../../../api/resources/grant.ts'
import { call, integrationTitle, manifests, stepNameOf, titleOf, useConnections } from '../../api/index.ts'
import type { Problem } from '../../api/index.ts'
import { Button, Checks, errorAt, FormDialog, ProblemBox, TextField } from '../../ui/index.ts'
import { aboutScope, nameOf } from './words.ts'

type Option = { value: string; label: string }
/** What is taken away, and the limit as it is written. */
type Draft = { scopes: string[]; steps: string[]; connections: string[]; credits: string }
type ListName = 'steps' | 'connections'

/** Where tools of one integration alone are reached, no others can be used. */
const isReached = ({ resource }: Grant, integration: string) =>
  !resource.startsWith('/mcp/') || resource === `/mcp/${integration}`

const stepOptions = (grant: Grant): Option[] => {
  const names =
    grant.steps ??
    manifests.value
      .filter(({ id }) => isReached(grant, id))
      .flatMap(({ id, steps }) => steps.map((step) => `${id}/${step.id}`))
  return names.map((name) => ({ value: name, label: stepNameOf(name) }))
}

/** Those that the grant names, whether or not they are still there; or all that it may use. */
const useConnectionOptions = (grant: Grant) => {
  const { items, problem, loading, hasMore } = useConnections()
  // Who does not see all of them cannot say which ones are kept.
  const isPart = grant.connections === null && hasMore
  const { connections, person } = grant
  const rows = items.filter(
    (row) =>
      connections?.includes(row.id) ??
      (isReached(grant, row.integration) && (person === null || row.person === null || row.person === person)),
  )
  const lost = (connections ?? []).filter((id) => !rows.some((row) => row.id === id))
  const options: Option[] = [
    ...rows.map((row) => ({ value: row.id, label: `${titleOf(row)} (${integrationTitle(row.integration)})` })),
    ...lost.map((id) => ({ value: id, label: 'A connection that is gone' })),
  ]
  return { options: loading || isPart ? [] : options, problem, isPart }
}

const changesOf = (grant: Grant, options: Record<ListName, Option[]>, draft: Draft): GrantChanges => {
  const keep = (all: string[], taken: string[]) => all.filter((value) => !taken.includes(value))
  const kept = (name: ListName) =>
    keep(
      options[name].map(({ value }) => value),
      draft[name],
    )
  const credits = draft.credits.trim() === '' ? undefined : Number(draft.credits)
  return {
    ...(draft.scopes.length > 0 ? { scopes: keep(grant.scopes, draft.scopes) } : {}),
    ...(draft.steps.length > 0 ? { steps: kept('steps') } : {}),
    ...(draft.connections.length > 0 ? { connections: kept('connections') } : {}),
    ...(credits !== undefined && credits !== grant.monthlyCredits ? { monthlyCredits: credits } : {}),
  }
}

type KeptProps = {
  legend: string
  hint?: string | undefined
  options: Option[]
  taken: string[]
  change(taken: string[]): void
  error: string | undefined
}

/** So many are seen at once, without a search. */
const fewOptions = 8

/** A list of any length, of which what is unchecked is taken away. */
const Kept = ({ legend, hint, options, taken, change, error }: KeptProps) => {
  const [search, setSearch] = useState('')
  const words = search.toLowerCase().split(/\s+/)
  const matches = options.filter(({ value, label }) =>
    words.every((word) => `${value} ${label}`.toLowerCase().includes(word)),
  )
  const all = options.map(({ value }) => value)
  const noun = legend.toLowerCase()
  return (
    <details open={error !== undefined}>
      <summary>{`${legend}: keeps ${all.length - taken.length} of ${all.length}`}</summary>
      {all.length > fewOptions && <TextField label={`Find ${noun}`} type="search" value={search} change={setSearch} />}
      <Checks
        legend={legend}
        hint={hint}
        chosen={all.filter((value) => !taken.includes(value))}
        change={(chosen) => change(all.filter((value) => !chosen.includes(value)))}
        options={matches}
        error={error}
      />
      <p class="row">
        <Button
          onClick={() => change([...new Set([...taken, ...matches.map(({ value }) => value)])])}
        >{`Uncheck the ${noun} shown`}</Button>
        {taken.length > 0 && (
          <Button kind="quiet" onClick={() => change([])}>
            {`Keep all ${noun}`}
          </Button>
        )}
      </p>
    </details>
  )
}

const Credits = ({ grant, draft, set, problem }: FieldsProps) => {
  const { monthlyCredits } = grant
  return (
    <TextField
      label={monthlyCredits === null ? 'Credits a month (optional)' : 'Credits a month'}
      hint={monthlyCredits === null ? 'It has no limit of its own.' : `At most ${monthlyCredits}, as now.`}
      type="number"
      min={0}
      step="any"
      required={monthlyCredits !== null}
      value={draft.credits}
      change={(credits) => set({ credits })}
      error={errorAt(problem, 'monthlyCredits')}
    />
  )
}

type FieldsProps = { grant: Grant; draft: Draft; set(changes: Partial<Draft>): void; problem: Problem | undefined }

const Fields = (props: FieldsProps & { options: Record<ListName, Option[]> }) => {
  const { grant, draft, set, problem, options } = props
  return (
    <>
      <p>Uncheck what it should lose. It loses that at once; to give it more, somebody has to sign in again.</p>
      <Checks
        legend="Scopes"
        hint="A scope takes along the steps that no other one opens. One has to stay; to take all away, end the access."
        chosen={grant.scopes.filter((scope) => !draft.scopes.includes(scope))}
        change={(chosen) => set({ scopes: grant.scopes.filter((scope) => !chosen.includes(scope)) })}
        options={grant.scopes.map((scope) => ({
          value: scope,
          label: aboutScope(scope) ?? scope,
        }))}
        error={errorAt(problem, 'scopes')}
      />
      {options.steps.length > 0 && (
        <Kept
          legend="Steps"
          hint={grant.steps === null ? 'It may run every step. Unchecking one leaves out later ones, too.' : undefined}
          options={options.steps}
          taken={draft.steps}
          change={(steps) => set({ steps })}
          error={errorAt(problem, 'steps')}
        />
      )}
      {options.connections.length > 0 && (
        <Kept
          legend="Connections"
          hint={
            grant.connections === null
              ? 'It may use every connection. Unchecking one leaves out later ones, too.'
              : undefined
          }
          options={options.connections}
          taken={draft.connections}
          change={(connections) => set({ connections })}
          error={errorAt(problem, 'connections')}
        />
      )}
      <Credits {...props} />
    </>
  )
}

export const NarrowGrant = ({ grant, close, reload }: { grant: Grant; close(): void; reload(): void }) => {
  const [draft, setDraft] = useState<Draft>({
    scopes: [],
    steps: [],
    connections: [],
    credits: grant.monthlyCredits === null ? '' : String(grant.monthlyCredits),
  })
  const connections = useConnectionOptions(grant)
  const options = { steps: stepOptions(grant), connections: connections.options }
  const save = async () => {
    const changes = changesOf(grant, options, draft)
    if (Object.keys(changes).length > 0) {
      await call('PATCH', `grants/${encodeURIComponent(grant.id)}`, { body: changes })
      reload()
    }
    close()
  }
  return (
    <FormDialog title={`Narrow the access of “${nameOf(grant)}”`} submit="Save" act={save} onClose={close}>
      {(problem) => (
        <>
          <Fields
            grant={grant}
            draft={draft}
            set={(changes) => setDraft((currentDraft) => ({ ...currentDraft, ...changes }))}
            problem={problem}
            options={options}
          />
          {connections.isPart && (
            <p>
              It may use more connections than fit here. Narrow them with <code>toolyard grants narrow</code>.
            </p>
          )}
          <ProblemBox problem={connections.problem} />
        </>
      )}
    </FormDialog>
  )
}
