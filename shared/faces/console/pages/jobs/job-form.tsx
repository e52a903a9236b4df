/** Looks up a list: a file, or rows pasted from a spreadsheet. */
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import type { Job } from '../../../../api/resources/job.ts'
import { manifests, pathTo, post, useConnections, useKey } from '../../api/index.ts'
import type { Problem } from '../../api/index.ts'
import { ChoiceField, Empty, errorAt, SubmitForm, TextField } from '../../ui/index.ts'
import type { Preview } from './rows.ts'
import { fileOf, FirstRows, RowsField, upload, usePreview } from './rows-field.tsx'
import type { PastedRows } from './rows-field.tsx'

type Property = { title?: string; type?: string }
type Choice = {
  id: string
  integration: string
  kind: 'person' | 'company'
  label: string
  fields: [name: string, title: string][]
}

/** The steps that can be run for every row of a list. */
export const choices = (): Choice[] =>
  manifests.value.flatMap(({ id, title, steps }) =>
    steps.flatMap(({ lookup, ready, input, ...step }) => {
      if (lookup === null || !ready) return []
      const properties = Object.entries((input['properties'] ?? {}) as Record<string, Property>)
      const fields = properties
        .filter(([, { type }]) => type === 'string')
        .map(([name, property]): [string, string] => [name, property.title ?? name])
      return [
        {
          id: `${id}/${step.id}`,
          integration: id,
          kind: lookup,
          label: `${lookup === 'person' ? 'People' : 'Companies'}: ${title}`,
          fields,
        },
      ]
    }),
  )

type Draft = {
  choice: string
  connection: string
  columns: Record<string, string>
  sample: string
} & PastedRows

const orderOf = ({ connection, columns, sample }: Draft, { integration, kind }: Choice) => {
  const map = Object.fromEntries(Object.entries(columns).filter(([, column]) => column.trim() !== ''))
  return {
    kind,
    integration,
    connection: connection || undefined,
    map: Object.keys(map).length > 0 ? map : undefined,
    sample: sample === '' ? undefined : Number(sample),
  }
}

type FieldsProps = { draft: Draft; change(some: Partial<Draft>): void; problem: Problem | undefined }

const Columns = ({
  draft,
  change,
  problem,
  chosen,
  preview,
}: FieldsProps & { chosen: Choice; preview: Preview | undefined }) => {
  const set = (name: string) => (column: string) => change({ columns: { ...draft.columns, [name]: column } })
  const control = (name: string, title: string) => {
    const props = {
      key: name,
      label: `Column with: ${title}`,
      value: draft.columns[name] ?? '',
      change: set(name),
      error: errorAt(problem, `map/${name}`),
    }
    return preview ? (
      <ChoiceField
        {...props}
        options={[['', 'Found by its name'], ...preview.columns.map((column): [string, string] => [column, column])]}
      />
    ) : (
      <TextField {...props} />
    )
  }
  return (
    <details>
      <summary>Columns of the file</summary>
      <p class="muted">
        Columns are found by their names. Choose them here where that finds others than you mean; then only those chosen
        here are used.
      </p>
      {chosen.fields.map(([name, title]) => control(name, title))}
    </details>
  )
}

const RareFields = ({ draft, change, problem, chosen }: FieldsProps & { chosen: Choice }) => {
  const connections = useConnections(chosen.integration)
  return (
    <details>
      <summary>Connection and sample</summary>
      <ChoiceField
        label="Connection"
        value={draft.connection}
        change={(connection) => change({ connection })}
        options={[['', 'The default one'], ...connections.choices]}
        error={errorAt(problem, 'connection')}
      />
      <TextField
        label="Sample rows"
        type="number"
        min={0}
        value={draft.sample}
        change={(sample) => change({ sample })}
        error={errorAt(problem, 'sample')}
        hint="Looks up and pays this many rows (at most 100) before it asks for a budget, so that you see how many are found. Empty: none."
      />
    </details>
  )
}

const JobFields = ({ all, ...fields }: FieldsProps & { all: Choice[] }) => {
  const { draft, change } = fields
  const chosen = all.find(({ id }) => id === draft.choice)!
  const preview = usePreview(draft)
  return (
    <>
      <ChoiceField
        label="What the rows name"
        value={draft.choice}
        change={(choice) => change({ choice, connection: '', columns: {} })}
        options={all.map(({ id, label }) => [id, label])}
      />
      <RowsField rows={draft} change={(rows) => change({ ...rows, columns: {} })} />
      {preview && <FirstRows preview={preview} />}
      <Columns {...fields} chosen={chosen} preview={preview} />
      <RareFields {...fields} chosen={chosen} />
    </>
  )
}

const Form = ({ all }: { all: Choice[] }) => {
  const { route } = useLocation()
  const key = useKey()
  const [isUploading, setUploading] = useState(false)
  const [draft, setDraft] = useState<Draft>({
    choice: all[0]!.id,
    connection: '',
    file: undefined,
    pasted: '',
    columns: {},
    sample: '',
  })
  const create = async (file: File) => {
    const order = orderOf(
      draft,
      all.find(({ id }) => id === draft.choice)!,
    )
    const stored = await upload(file)
    const about = { order, name: file.name, size: file.size, file: stored }
    const job = await post<Job>('jobs', { ...order, file: stored }, { headers: key.of(about) })
    route(pathTo('jobs', job.id))
  }
  const act = async () => {
    const file = fileOf(draft)
    if (!file) return
    setUploading(true)
    await create(file).finally(() => setUploading(false))
  }
  return (
    <SubmitForm
      class="panel"
      submit="Read the file and quote its price"
      act={act}
      aside={<span role="status">{isUploading && 'Uploading…'}</span>}
    >
      {(problem) => (
        <>
          <h2>Look up a list</h2>
          <JobFields
            all={all}
            draft={draft}
            change={(some) => setDraft((currentDraft) => ({ ...currentDraft, ...some }))}
            problem={problem}
          />
        </>
      )}
    </SubmitForm>
  )
}

export const JobForm = () => {
  const all = choices()
  return all.length > 0 ? (
    <Form all={all} />
  ) : (
    <Empty title="Nothing that can be looked up">
      <p>No installed integration looks up a person or company.</p>
    </Empty>
  )
}
