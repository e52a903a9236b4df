/** The containers at the provider, such as projects, that something is limited to. */
import { useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import type { OptionPage } from '../../../../api/resources/form.ts'
import { manifestOf, post, useAction } from '../../api/index.ts'
import { Button, Checks, ProblemBox, TextInput } from '../../ui/index.ts'
import { useThingNames } from '../steps/use-thing-names.ts'

type Choice = OptionPage['options'][number]
type ScopeField = { step: string; field: string; title: string }

/** The first field of any step that lists the containers a connection can be narrowed to. */
export const scopeFieldOf = (integration: string): ScopeField | undefined => {
  for (const { id, fields, layout } of manifestOf(integration)?.steps ?? [])
    for (const [field, spec] of Object.entries(fields))
      if (spec.scope && spec.options && !spec.dependsOn)
        return { step: id, field, title: layout.fields.find(({ name }) => name === field)?.title ?? field }
  return undefined
}

/** `none`: what it means that none is chosen. */
export const Containers = ({
  row,
  scope,
  none,
  chosen,
  choose,
}: {
  row: Connection
  scope: ScopeField
  none: string
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
  const names = useThingNames(row.id)
  const loaded = new Set(foundChoices?.options.map(({ value }) => value))
  const shown = [
    ...chosen
      .filter((id) => !loaded.has(id))
      .map((id, at) => ({ value: id, label: names.get(id) ?? `Chosen ${at + 1}` })),
    ...(foundChoices?.options ?? []),
  ]
  return (
    <Checks
      legend={`Only within (${scope.title.toLowerCase()})`}
      hint={`None chosen: ${none}`}
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
