/** The result of a run: as a table, a tree or raw JSON, with its duration and cost. */
import { useState } from 'preact/hooks'
import { apiRoot, pathTo } from '../../api/index.ts'
import {
  Badge,
  Button,
  CodeBlock,
  Facts,
  formatDuration,
  JsonView,
  Panel,
  plural,
  Table,
  Tabs,
  Time,
} from '../../ui/index.ts'
import { cellOf, columnsOf, fieldsOf, filesIn, recordsOf } from './records.ts'
import type { Meta, Result } from './use-run.ts'

const page = 100
type Row = Record<string, unknown>

const Records = ({ name, rows }: { name: string; rows: Row[] }) => {
  const [shown, setShown] = useState(page)
  const columns = columnsOf(rows).map((title) => ({
    title,
    number: rows.every((row) => typeof row[title] === 'number'),
    cell: (row: Row) => cellOf(row[title]),
  }))
  const numbered = rows.slice(0, shown)
  return (
    <>
      <Table
        caption={`${name}: ${rows.length}`}
        columns={columns}
        rows={numbered}
        keyOf={(row) => String(numbered.indexOf(row))}
      />
      {rows.length > shown && <Button onClick={() => setShown(shown + page)}>Show more of {rows.length}</Button>}
    </>
  )
}

const Fields = ({ output }: { output: Row }) => (
  <Table
    caption="Fields"
    columns={[
      { title: 'Field', cell: ([field]: [string, unknown]) => <code>{field}</code> },
      { title: 'Value', cell: ([, value]) => cellOf(value) },
    ]}
    rows={fieldsOf(output)}
    keyOf={([field]) => field}
  />
)

const TableView = ({ output }: { output: unknown }) => {
  const records = recordsOf(output)
  if (records) return <Records {...records} />
  if (typeof output === 'object' && output !== null && Object.keys(output).length > 0)
    return <Fields output={output as Row} />
  return <p>There are no records in this output.</p>
}

/** The output in several views to choose from. */
export const OutputViews = ({ output }: { output: unknown }) => (
  <Tabs
    label="Views of the output"
    tabs={[
      { id: 'table', title: 'Table', content: () => <TableView output={output} /> },
      { id: 'tree', title: 'Tree', content: () => <JsonView value={output} name="output" /> },
      {
        id: 'raw',
        title: 'Raw',
        content: () => <CodeBlock label="Output as JSON" text={JSON.stringify(output, null, 2) ?? 'null'} />,
      },
    ]}
  />
)

const creditsOf = ({ credits, cached }: Meta) =>
  credits &&
  `${plural(credits.charged, 'credit')}${credits.estimated ? ', estimated' : ''}${cached ? ', by an earlier run' : ''}`

const MetaFacts = ({ meta }: { meta: Meta }) => (
  <Facts
    facts={[
      ['Run', <a href={pathTo('runs', meta.runId)}>{meta.runId}</a>],
      ['Time', meta.durationMs !== undefined && formatDuration(meta.durationMs)],
      ['Requests', meta.attempts],
      ['Credits', creditsOf(meta)],
      ['Connection', meta.connection?.name],
      ['Repeated', meta.cached && 'This is the stored outcome of an earlier run; nothing was sent again.'],
      ['Not listed', meta.unlisted && 'This endpoint is not in the catalogue, so its parameters were not checked.'],
    ]}
  />
)

const Files = ({ output }: { output: unknown }) => {
  const files = filesIn(output)
  if (files.length === 0) return null
  return (
    <>
      <h3>Files</h3>
      <ul>
        {files.map(({ id, name }) => (
          <li key={id}>
            <a href={`${apiRoot}files/${encodeURIComponent(id)}`} download={name}>
              Download {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

type ResultProps = {
  result: Result
  /** The time at which this result was saved as a sample; absent for a fresh run. */
  savedAt?: string | undefined
  /** Reads the next page with this cursor. */
  readNext?: ((cursor: string) => void) | undefined
  save?: (() => void) | undefined
  isSaving: boolean
}

export const ResultPanel = ({ result: { output, meta }, savedAt, readNext, save, isSaving }: ResultProps) => {
  const next = (output as { next?: unknown } | null)?.next
  return (
    <Panel label="Result">
      <header class="row">
        <h2>Result</h2>
        {savedAt === undefined ? (
          <Badge tone="good">Done</Badge>
        ) : (
          <>
            <Badge>Sample</Badge>
            <span class="muted">
              saved <Time at={savedAt} />; nothing was sent
            </span>
          </>
        )}
      </header>
      {meta && <MetaFacts meta={meta} />}
      {meta?.warnings?.map((warning) => (
        <p key={warning} class="note">
          {warning}
        </p>
      ))}
      <OutputViews key={meta?.runId} output={output} />
      <Files output={output} />
      <p class="row">
        {readNext && typeof next === 'string' && <Button onClick={() => readNext(next)}>Next page</Button>}
        {save && (
          <Button busy={isSaving} onClick={save}>
            Save as sample
          </Button>
        )}
      </p>
    </Panel>
  )
}
