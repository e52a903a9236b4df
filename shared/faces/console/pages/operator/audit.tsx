import { useState } from 'preact/hooks'
import { get, pathTo, useAction, useItems, usePages } from '../../api/index.ts'
import {
  Badge,
  Button,
  CodeBlock,
  Empty,
  List,
  ProblemBox,
  SubmitForm,
  TextField,
  Time,
  useAddress,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import type { AuditRow, AuditVerdict } from '../../../../api/resources/audit.ts'
import type { Token } from '../../../../api/resources/token.ts'
import type { SectionProps } from './section-props.ts'

const What = ({ row: { method, path, integration, runId } }: { row: AuditRow }) => (
  <>
    <code>{method === 'verb' ? path : `${method} ${path}`}</code>
    {integration !== null && <span class="muted"> {integration}</span>}
    {runId !== null && (
      <>
        {' '}
        <a href={pathTo('runs', runId)}>run</a>
      </>
    )}
  </>
)

/**
 * Names of the tenant's tokens by id. An actor may also be an operator's token, the library or the process; those have
 * no name here.
 */
const useNames = (tenant: string) => {
  const { items } = useItems<Token>('admin/tokens', { tenant })
  return new Map(items.map(({ id, name }) => [id, name]))
}

const columnsOf = (tenant: string, names: Map<string, string>): Column<AuditRow>[] => [
  { title: 'Row', number: true, cell: ({ seq }) => seq },
  { title: 'Time', cell: ({ at }) => <Time at={at} /> },
  {
    title: 'Who',
    cell: ({ actor }) => (
      <a href={`${pathTo('operator', 'audit')}?${new URLSearchParams({ tenant, actor })}`} title={actor}>
        {names.get(actor) ?? actor}
      </a>
    ),
  },
  { title: 'What', cell: (row) => <What row={row} /> },
  { title: 'Connection', cell: ({ connection }) => connection !== null && <code>{connection}</code> },
  {
    title: 'Outcome',
    cell: ({ outcome, providerStatus }) => (
      <>
        <Badge tone={outcome === 'ok' ? 'good' : 'bad'}>{outcome}</Badge> {providerStatus}
      </>
    ),
  },
  { title: 'Decision', cell: ({ decision }) => decision },
]

const Verdict = ({ verdict: { ok, rows, keyedFrom, seq, reason } }: { verdict: AuditVerdict }) =>
  ok ? (
    <p class="panel">
      <Badge tone="good">intact</Badge> None of the {rows} rows was changed, reordered or removed.
      {keyedFrom !== undefined && ` Rows before number ${keyedFrom} were written by a version that did not sign them.`}
    </p>
  ) : (
    <div class="problem">
      <p>
        <strong>The audit trail was changed{seq !== undefined && ` at row ${seq}`}.</strong> {reason}
      </p>
      <p>Keep the database file and compare it with a backup. What was written after that row cannot be trusted.</p>
    </div>
  )

/** Verifies the chain of audit rows, optionally against a row exported earlier, and exports the newest row. */
const Chain = ({ tenant }: SectionProps) => {
  const [head, setHead] = useState('')
  const [verdict, setVerdict] = useState<AuditVerdict>()
  const [newest, setNewest] = useState<string>()
  const verify = async () =>
    setVerdict(await get<AuditVerdict>('admin/audit/verify', { tenant, head: head.trim() || undefined }))
  const exporting = useAction(async () => setNewest((await get<{ head: string }>('admin/audit/head', { tenant })).head))
  return (
    <details class="panel">
      <summary>Check that no row was changed or removed</summary>
      <SubmitForm
        submit="Check the trail"
        act={verify}
        aside={<Button action={exporting}>Export the newest row</Button>}
      >
        {() => (
          <TextField
            label="Earlier newest row (optional)"
            hint="As exported before, such as 120:9f86…; that row must still exist."
            value={head}
            change={setHead}
          />
        )}
      </SubmitForm>
      <ProblemBox problem={exporting.problem} />
      <div role="status">
        {verdict && <Verdict verdict={verdict} />}
        {newest !== undefined && <CodeBlock label="Number and hash of the newest row" text={newest} />}
      </div>
    </details>
  )
}

const filters: [name: 'actor' | 'outcome' | 'connection', label: string, placeholder: string][] = [
  ['actor', 'Who', 'tok_…, library or process'],
  ['outcome', 'Outcome', 'ok or a failure code'],
  ['connection', 'Connection', 'con_…'],
]

const Filters = () => {
  const { query, change } = useAddress()
  const [draft, setDraft] = useState(query)
  const submit = (event: Event) => {
    event.preventDefault()
    change(Object.fromEntries(filters.map(([name]) => [name, draft[name]?.trim()])), false)
  }
  return (
    <form class="filters" role="search" aria-label="Audit trail" onSubmit={submit}>
      {filters.map(([name, label, placeholder]) => (
        <TextField
          key={name}
          label={label}
          placeholder={placeholder}
          value={draft[name] ?? ''}
          change={(text) => setDraft({ ...draft, [name]: text })}
        />
      ))}
      <Button type="submit">Filter</Button>
    </form>
  )
}

export const Audit = ({ tenant }: SectionProps) => {
  const { query } = useAddress()
  const { actor, outcome, connection } = query
  const names = useNames(tenant)
  const list = usePages<AuditRow>('admin/audit', { tenant, actor, outcome, connection })
  return (
    <>
      <Chain tenant={tenant} />
      <Filters key={JSON.stringify([actor, outcome, connection])} />
      <List
        list={list}
        what="Audit trail"
        columns={columnsOf(tenant, names)}
        keyOf={({ seq }) => String(seq)}
        empty={
          <Empty
            title={actor || outcome || connection ? 'No row matches the filters' : 'Nothing has been recorded yet'}
          >
            <p>Writes, paid lookups, refusals and changes to connections, tokens and keys are recorded here.</p>
          </Empty>
        }
      />
    </>
  )
}
