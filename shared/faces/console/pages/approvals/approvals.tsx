/** Runs that wait for a decision, then those that were decided, and the rules that hold them. */
import type { Approval } from '../../../../api/resources/approval.ts'
import { isForWorkspace, may, pathTo, usePages } from '../../api/index.ts'
import { Button, Empty, List, Page, Panel, personColumns, Time } from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { Rules } from './rules.tsx'
import { useNames } from './use-names.ts'
import { creditsOf, nameOf, StateBadge } from './words.tsx'

const columnsOf = (rows: Approval[], nameOfToken: (id: string) => string): Column<Approval>[] => [
  { title: 'What', cell: (approval) => <a href={pathTo('approvals', approval.id)}>{nameOf(approval)}</a> },
  {
    title: 'State',
    cell: (approval) => (
      <>
        <StateBadge approval={approval} />
        {approval.state === 'done' && approval.code !== null && <div class="said">{approval.code}</div>}
      </>
    ),
  },
  { title: 'Credits', number: true, cell: (approval) => creditsOf(approval) ?? '–' },
  ...personColumns(rows),
  { title: 'Token', cell: ({ token }) => (token === null ? '–' : nameOfToken(token)) },
  { title: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

const untilColumn: Column<Approval> = { title: 'Until', cell: ({ expiresAt }) => <Time at={expiresAt} /> }
const endColumn: Column<Approval> = { title: 'Ended', cell: ({ endedAt }) => <Time at={endedAt} /> }

const Approvals = () => {
  const open = usePages<Approval>('approvals', { state: 'open' })
  const all = usePages<Approval>('approvals')
  const nameOfToken = useNames()
  const maySeeRules = isForWorkspace() && (['approvals', 'connections', 'read', 'admin'] as const).some(may)
  // The API filters by one state, and these are the others.
  const others = { ...all, items: all.items.filter(({ state }) => state !== 'open') }
  const refresh = () => {
    open.reload()
    all.reload()
  }
  return (
    <Page title="Approvals" actions={<Button onClick={refresh}>Refresh</Button>}>
      <Panel title="Waiting for a decision">
        <List
          list={open}
          what="Waiting runs"
          columns={[...columnsOf(open.items, nameOfToken), untilColumn]}
          empty={<p>Nothing waits for a decision.</p>}
        />
      </Panel>
      <Panel title="Decided or expired">
        <List
          list={others}
          what="Other runs"
          columns={[...columnsOf(others.items, nameOfToken), endColumn]}
          empty={
            <Empty title="Nothing was decided yet">
              <p>Runs that a rule holds are shown here, and what became of them.</p>
            </Empty>
          }
        />
      </Panel>
      {maySeeRules && <Rules />}
    </Page>
  )
}

export default Approvals
