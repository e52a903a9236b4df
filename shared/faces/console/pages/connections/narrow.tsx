import { useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import type { OptionPage } from '../../../../api/resources/form.ts'
import { manifestOf, post, useAction } from '../../api/index.ts'
import type { Manifest } from '../../api/index.ts'
import { Button, Checks, ProblemBox, SubmitForm, TextField, TextInput } from '../../ui/index.ts'
import { patch } from './actions.tsx'
import type { Changed } from './actions.tsx'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
type Choice = OptionPage['options'][number]
type ScopeField = { step: string; field: string; title: string }

/** The first field of any step that lists the containers a connection can be narrowed to. */
const scopeFieldOf = (manifest: Manifest | undefined): ScopeField | undefined => {
  for (const { id, fields, layout } of manifest?.steps ?? [])
    for (const [field, spec] of Object.entries(fields))
      if (spec.scope && spec.options && !spec.dependsOn)
        return { step: id, field, title: layout.fields.find(({ name }) => name === field)?.title ?? field }
  return undefined
}

const Containers = ({
  row,
  scope,
  chosen,
  choose,
}: {
  row: Connection
  scope: ScopeField
  chosen: string[]
  choose(ids: string[]): void
}) => {
  const [query, setQuery] = useState('')
  const [foundChoices, setFound] = useState<{ options: Choice[]; next?: string | undefined }>()
  const { run, busy, problem } = useAction(async (cursor?: string) => {
    const request = { connection: row.id, field: scope.field, query: query || undefined, cursor }
    const page = await post<OptionPage>(
      `steps/${encodeURIComponent(row.integration)}/${encodeURIComponent(scope.step)}/options`,
      request,
    )
    setFound({
      options: [...(cursor === undefined ? [] : (foundChoices?.options ?? [])), ...page.options],
      next: page.next,
    })
  })
  const labelled = new Map(foundChoices?.options.map(({ value, label }) => [value, label]))
  const shown = [
    ...chosen.filter((id) => !labelled.has(id)).map((id) => ({ value: id, label: id })),
    ...(foundChoices?.options ?? []),
  ]
  return (
    <Checks
      legend={`Only within (${scope.title.toLowerCase()})`}
      hint="If you choose none, the whole account may be used."
      chosen={chosen}
      change={choose}
      options={shown}
      search={
        <>
          <div class="row">
            <label class="hidden" for="scope-query">
              Search: {scope.title}
            </label>
            <TextInput
              id="scope-query"
              class="cn-short"
              type="search"
              placeholder="Search"
              value={query}
              change={setQuery}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return
                event.preventDefault()
                void run()
              }}
            />
            <Button busy={busy} onClick={() => void run()}>
              {foundChoices ? 'Search' : 'Load choices'}
            </Button>
          </div>
          <ProblemBox problem={problem} />
          {foundChoices && foundChoices.options.length === 0 && <p role="status">Nothing found.</p>}
        </>
      }
      more={
        foundChoices?.next !== undefined && (
          <Button busy={busy} onClick={() => void run(foundChoices.next)}>
            Show more
          </Button>
        )
      }
    />
  )
}

/** Limits what a connection may be used for. */
export const Narrow = ({ row, changed }: { row: Connection; changed: Changed }) => {
  const [chosen, setChosen] = useState<string[]>(row.policy?.methods ?? methods)
  const [paths, setPaths] = useState(row.policy?.paths?.join('\n') ?? '')
  const [scopes, setScopes] = useState(row.policy?.scopes ?? [])
  const scope = scopeFieldOf(manifestOf(row.integration))
  const lines = paths.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const save = async () => {
    const policy = {
      ...(chosen.length < methods.length ? { methods: chosen } : {}),
      ...(lines.length > 0 ? { paths: lines } : {}),
      ...(scopes.length > 0 ? { scopes } : {}),
    }
    await patch(row, { policy: Object.keys(policy).length === 0 ? null : policy })
    changed('Saved. The limits apply at once.')
  }
  return (
    <details class="panel cn-narrow" open={row.policy !== null}>
      <summary>
        <h2>What it may do</h2>{' '}
        <span class="muted">{row.policy === null ? 'Everything that its integration allows' : 'Limited'}</span>
      </summary>
      <SubmitForm submit="Save" act={save}>
        {() => (
          <>
            <Checks
              legend="Only these methods"
              chosen={chosen}
              change={setChosen}
              options={methods.map((method) => ({ value: method, label: method }))}
            />
            <TextField
              label="Only these paths"
              rows={3}
              spellcheck={false}
              value={paths}
              change={setPaths}
              hint="One per line. “*” matches one segment, a trailing “/**” everything below. Empty: every path."
            />
            {scope && <Containers row={row} scope={scope} chosen={scopes} choose={setScopes} />}
          </>
        )}
      </SubmitForm>
    </details>
  )
}
