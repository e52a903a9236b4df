/** Stores a list from rows, a file, an earlier search, or a step that is run for it. */
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { pathTo, post, session, useKey } from '../../api/index.ts'
import type { Problem } from '../../api/index.ts'
import { ChoiceField, errorAt, Page, Panel, ProblemBox, SubmitForm, TextField } from '../../ui/index.ts'
import { fileOf, FirstRows, RowsField, upload, usePreview } from '../jobs/rows-field.tsx'
import type { PastedRows } from '../jobs/rows-field.tsx'
import { FromStep } from './from-step.tsx'
import { SearchField, useSearches } from './search-field.tsx'
import { listSteps } from './sources.ts'
import type { MadeList } from '../../../../api/resources/people-list.ts'

/** `source`: `rows`, `run`, or the id of a step. */
type Draft = { name: string; kind: 'person' | 'company'; person: string; days: string; source: string; run: string }
type FieldsProps = { draft: Draft; change(some: Partial<Draft>): void; problem: Problem | undefined }

const NameFields = ({ draft, change, problem }: FieldsProps) => (
  <>
    <TextField
      label="Name"
      required
      maxLength={100}
      value={draft.name}
      change={(name) => change({ name })}
      hint="Jobs and triggers use the list by this name."
      error={errorAt(problem, 'name')}
    />
    <ChoiceField
      label="What the rows name"
      value={draft.kind}
      change={(kind) => change({ kind: kind as Draft['kind'] })}
      options={[
        ['person', 'People'],
        ['company', 'Companies'],
      ]}
      error={errorAt(problem, 'kind')}
    />
    <ChoiceField
      label="Made from"
      value={draft.source}
      change={(source) => change({ source })}
      options={[
        ['rows', 'A file or pasted rows'],
        ['run', 'A search that was run'],
        ...listSteps().map(({ id, label }): [string, string] => [id, label]),
      ]}
    />
  </>
)

const RareFields = ({ draft, change, problem }: FieldsProps) => (
  <details>
    <summary>Person and how long it is stored</summary>
    {session.value?.token.person == null && (
      <TextField
        label="Person (optional)"
        spellcheck={false}
        value={draft.person}
        change={(person) => change({ person })}
        hint="The end user of your platform that the list is for. Empty: everybody in the workspace."
        error={errorAt(problem, 'person')}
      />
    )}
    <TextField
      label="Days"
      type="number"
      min={1}
      value={draft.days}
      change={(days) => change({ days })}
      hint="The list is deleted after this many days. Empty: 365."
      error={errorAt(problem, 'expiresInDays')}
    />
  </details>
)

const bodyOf = ({ name, kind, person, days }: Draft) => ({
  name,
  kind,
  person: person.trim() || undefined,
  expiresInDays: days === '' ? undefined : Number(days),
})

const noRows: PastedRows = { file: undefined, pasted: '' }

/** Uploads the file once, so that a repeated request has the same file id. */
const useStoredFile = () => {
  const [stored, setStored] = useState<{ rows: PastedRows; id: string }>()
  return async (rows: PastedRows) => {
    if (stored?.rows === rows) return stored.id
    const id = await upload(fileOf(rows)!)
    setStored({ rows, id })
    return id
  }
}

const useStoreList = () => {
  const { route } = useLocation()
  const key = useKey()
  return async (body: object) => {
    const { id } = await post<MadeList>('people-lists', body, { headers: key.of(body) })
    route(pathTo('lists', id))
  }
}

const NewPeopleList = () => {
  const [draft, setDraft] = useState<Draft>({
    name: '',
    kind: 'person',
    person: '',
    days: '',
    source: 'rows',
    run: '',
  })
  const [rows, setRows] = useState(noRows)
  const [stepProblem, setStepProblem] = useState<Problem>()
  const change = (some: Partial<Draft>) => setDraft((currentDraft) => ({ ...currentDraft, ...some }))
  const storedFile = useStoredFile()
  const store = useStoreList()
  const preview = usePreview(rows)
  const searches = useSearches()
  const step = listSteps().find(({ id }) => id === draft.source)
  const run = draft.run || searches.items[0]?.id
  const act = async () =>
    store({ ...bodyOf(draft), ...(draft.source === 'run' ? { run } : { file: await storedFile(rows) }) })
  return (
    <Page title="Store a list" list="lists">
      {step ? (
        <Panel label="New list">
          <NameFields draft={draft} change={change} problem={stepProblem} />
          <FromStep
            key={step.id}
            source={step}
            refuse={setStepProblem}
            act={(listStep) => store({ ...bodyOf(draft), step: listStep })}
          >
            <RareFields draft={draft} change={change} problem={stepProblem} />
            <ProblemBox problem={stepProblem} />
          </FromStep>
        </Panel>
      ) : (
        <SubmitForm class="panel" submit="Store the list" act={act}>
          {(problem) => (
            <>
              <NameFields draft={draft} change={change} problem={problem} />
              {draft.source === 'run' ? (
                <SearchField
                  searches={searches}
                  value={run}
                  change={(id) => change({ run: id })}
                  error={errorAt(problem, 'run')}
                />
              ) : (
                <>
                  <RowsField rows={rows} change={(some) => setRows({ ...rows, ...some })} />
                  {preview && <FirstRows preview={preview} />}
                </>
              )}
              <RareFields draft={draft} change={change} problem={problem} />
            </>
          )}
        </SubmitForm>
      )}
    </Page>
  )
}

export default NewPeopleList
