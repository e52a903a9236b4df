import { useState } from 'preact/hooks'
import {
  get,
  integrationTitle,
  pathTo,
  session,
  useAction,
  useConnections,
  useItems,
  usePages,
} from '../../api/index.ts'
import {
  Badge,
  Button,
  ChoiceField,
  CodeBlock,
  CopiedId,
  Empty,
  Facts,
  List,
  ProblemBox,
  SubmitForm,
  TextField,
  Time,
  useAddress,
  withoutOwnIds,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import type { AuditRow, AuditVerdict } from '../../../../api/resources/audit.ts'
import type { Token } from '../../../../api/resources/token.ts'
import type { SectionProps } from './section-props.ts'

/** Ids in a path: what is called by prefix and uuid here, and the long ids of providers. */
const idPattern = /\b[a-z]{2,6}_[\w-]{8,}|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{16,}\b/gi

const What = ({ row: { method, path, integration, runId } }: { row: AuditRow }) => {
  const shownPath = path.replace(idPattern, '…')
  return (
    <>
      <code>{method === 'verb' ? shownPath : `${method} ${shownPath}`}</code>
      {integration !== null && <span class="muted"> {integrationTitle(integration)}</span>}
      {runId !== null && (
        <>
          {' '}
          <a href={pathTo('runs', runId)}>run</a>
        </>
      )}
    </>
  )
}

const Details = ({ row: { actor, path, connection, runId } }: { row: AuditRow }) => (
  <details>
    <summary>Details</summary>
    <Facts
      facts={[
        ['Who', <CopiedId id={actor} />],
        ['Path', <code>{path}</code>],
        ['Connection', connection !== null && <CopiedId id={connection} />],
        ['Run', runId !== null && <CopiedId id={runId} />],
      ]}
    />
  </details>
)

/** Actors that are no tokens. */
const others: [string, string][] = [
  ['library', 'The library'],
  ['process', 'The server itself'],
]

/**
 * Names of the tenant's tokens and connections, as options. Those of operators' tokens, and the connections of another
 * tenant, are not known here.
 */
const useNames = (tenant: string) => {
  const { items } = useItems<Token>('admin/tokens', { tenant })
  const { choices: connections } = useConnections(undefined, tenant === session.value?.tenant.id)
  const actors = [...items.map(({ id, name }): [string, string] => [id, name]), ...others]
  return { actors, connections }
}
type Names = ReturnType<typeof useNames>

const nameIn = (choices: [string, string][], id: string) => choices.find(([value]) => value === id)?.[1]

const columnsOf = (tenant: string, { actors, connections }: Names): Column<AuditRow>[] => [
  { title: 'Row', number: true, cell: ({ seq }) => seq },
  { title: 'Time', cell: ({ at }) => <Time at={at} /> },
  {
    title: 'Who',
    cell: ({ actor }) => (
      <a href={`${pathTo('operator', 'audit')}?${new URLSearchParams({ tenant, actor })}`}>
        {nameIn(actors, actor) ?? (actor.includes('_') ? 'A token of the operator, or one that is gone' : actor)}
      </a>
    ),
  },
  { title: 'What', cell: (row) => <What row={row} /> },
  {
    title: 'Connection',
    cell: ({ connection }) => connection !== null && (nameIn(connections, connection) ?? 'a connection'),
  },
  {
    title: 'Outcome',
    cell: ({ outcome, providerStatus }) => (
      <>
        <Badge tone={outcome === 'ok' ? 'good' : 'bad'}>{outcome}</Badge> {providerStatus}
      </>
    ),
  },
  { title: 'Decision', cell: ({ decision }) => decision !== null && withoutOwnIds(decision) },
  { title: 'Details', cell: (row) => <Details row={row} /> },
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

type FilterName = 'actor' | 'outcome' | 'connection'

const Filters = ({ actors, connections }: Names) => {
  const { query, change } = useAddress()
  const [draft, setDraft] = useState(query)
  const set = (name: FilterName) => (text: string) => setDraft({ ...draft, [name]: text })
  const submit = (event: Event) => {
    event.preventDefault()
    const names: FilterName[] = ['actor', 'outcome', 'connection']
    change(Object.fromEntries(names.map((name) => [name, draft[name]?.trim()])), false)
  }
  return (
    <form class="filters" role="search" aria-label="Audit trail" onSubmit={submit}>
      <ChoiceField
        label="Who"
        value={draft['actor'] ?? ''}
        change={set('actor')}
        options={[['', 'Anybody'], ...actors]}
      />
      <TextField
        label="Outcome"
        placeholder="ok or a failure code"
        value={draft['outcome'] ?? ''}
        change={set('outcome')}
      />
      <ChoiceField
        label="Connection"
        value={draft['connection'] ?? ''}
        change={set('connection')}
        options={[['', 'Any'], ...connections]}
      />
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
      <Filters key={JSON.stringify([actor, outcome, connection])} {...names} />
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
