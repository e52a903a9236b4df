import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import type { Job } from '../../../../api/resources/job.ts'
import { manifests, pathTo, post, request, useConnections, useKey } from '../../api/index.ts'
import { ChoiceField, Empty, errorAt, Page, SubmitForm, TextField } from '../../ui/index.ts'

type Property = { title?: string; type?: string }
type Choice = {
  id: string
  integration: string
  kind: 'person' | 'company'
  label: string
  fields: [name: string, title: string][]
}

/** The steps that can be run for every row of a list. */
const choices = (): Choice[] =>
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
  file: File | undefined
  columns: Record<string, string>
  sample: string
}

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

type ColumnsProps = {
  fields: Choice['fields']
  columns: Draft['columns']
  change(columns: Draft['columns']): void
  problem: (name: string) => string | undefined
}
const Columns = ({ fields, columns, change, problem }: ColumnsProps) => (
  <details>
    <summary>Columns of the file</summary>
    <p class="muted">
      Columns are found by their names. Name them here where that finds others than you mean; then only those named here
      are used.
    </p>
    {fields.map(([name, title]) => (
      <TextField
        key={name}
        label={`Column with: ${title}`}
        value={columns[name] ?? ''}
        change={(column) => change({ ...columns, [name]: column })}
        error={problem(`map/${name}`)}
      />
    ))}
  </details>
)

const NewJobForm = ({ all }: { all: Choice[] }) => {
  const { route } = useLocation()
  const key = useKey()
  const [isUploading, setUploading] = useState(false)
  const [draft, setDraft] = useState<Draft>({
    choice: all[0]!.id,
    connection: '',
    file: undefined,
    columns: {},
    sample: '',
  })
  const chosen = all.find(({ id }) => id === draft.choice)!
  const { choices: connections } = useConnections(chosen.integration)
  const create = async (file: File) => {
    const headers = { 'file-name': encodeURIComponent(file.name), 'content-type': 'application/octet-stream' }
    const about = { order: orderOf(draft, chosen), name: file.name, size: file.size, at: file.lastModified }
    const stored = (await (await request('POST', 'files', { body: file, headers })).json()) as { id: string }
    const job = await post<Job>(
      'jobs',
      { ...about.order, file: stored.id },
      { headers: key.of({ ...about, file: stored.id }) },
    )
    route(pathTo('jobs', job.id))
  }
  const act = async () => {
    if (!draft.file) return
    setUploading(true)
    await create(draft.file).finally(() => setUploading(false))
  }
  const change = (some: Partial<Draft>) => setDraft((currentDraft) => ({ ...currentDraft, ...some }))
  return (
    <SubmitForm
      class="panel"
      submit="Read the file and quote its price"
      act={act}
      aside={<span role="status">{isUploading && 'Uploading…'}</span>}
    >
      {(problem) => (
        <>
          <ChoiceField
            label="What the rows name"
            value={draft.choice}
            change={(choice) => change({ choice, connection: '', columns: {} })}
            options={all.map(({ id, label }) => [id, label])}
          />
          <ChoiceField
            label="Connection"
            value={draft.connection}
            change={(connection) => change({ connection })}
            options={[['', 'The default one'], ...connections]}
            error={errorAt(problem, 'connection')}
          />
          <div class="field">
            <label for="job-file">File</label>
            <input
              id="job-file"
              type="file"
              accept=".csv,.tsv,.txt,.jsonl,.ndjson"
              required
              onChange={({ currentTarget: { files } }) => change({ file: files?.[0] })}
            />
            <p class="muted">CSV with a header line, or JSONL. The server deletes it after 7 days.</p>
          </div>
          <TextField
            label="Sample rows"
            type="number"
            min={0}
            value={draft.sample}
            change={(sample) => change({ sample })}
            error={errorAt(problem, 'sample')}
            hint="Looks up and pays this many rows (at most 100) before it asks for a budget, so that you see how many are found. Empty: none."
          />
          <Columns
            fields={chosen.fields}
            columns={draft.columns}
            change={(columns) => change({ columns })}
            problem={(name) => errorAt(problem, name)}
          />
        </>
      )}
    </SubmitForm>
  )
}

const NewJob = () => {
  const all = choices()
  return (
    <Page title="Look up a file" list="jobs">
      {all.length > 0 ? (
        <NewJobForm all={all} />
      ) : (
        <Empty title="Nothing that can be looked up">
          <p>No installed integration looks up a person or company.</p>
        </Empty>
      )}
    </Page>
  )
}

export default NewJob
