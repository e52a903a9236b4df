/** Runs that wait for a decision, then those that were decided, and the rules that hold them. */
import type { Approval } from '../../../../api/resources/approval.ts'
import { isForWorkspace, may, pathTo, usePages } from '../../api/index.ts'
import { Button, Empty, List, Loading, Page, Panel, ProblemBox, Sentence, Time } from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { Decide } from './decide.tsx'
import { Rules } from './rules.tsx'
import { costOf, nameOf, StateBadge } from './words.tsx'

const SentenceLink = ({ approval }: { approval: Approval }) => (
  <a href={pathTo('approvals', approval.id)}>
    <Sentence of={approval.summary} otherwise={nameOf(approval)} />
  </a>
)

const Waiting = ({ approval, reload }: { approval: Approval; reload(): void }) => (
  <li>
    <p>
      <SentenceLink approval={approval} />
    </p>
    <p class="muted">
      Nothing was sent. {costOf(approval)} Asked <Time at={approval.createdAt} relative />; it expires{' '}
      <Time at={approval.expiresAt} relative />.
    </p>
    <Decide approval={approval} reload={reload} />
  </li>
)

const Inbox = ({ list, reload }: { list: ReturnType<typeof usePages<Approval>>; reload(): void }) => (
  <Panel title="Waiting for a decision">
    <ProblemBox problem={list.problem} retry={list.reload} />
    <ul class="inbox" aria-label="Waiting runs">
      {list.items.map((approval) => (
        <Waiting key={approval.id} approval={approval} reload={reload} />
      ))}
    </ul>
    {list.loading && list.items.length === 0 && <Loading what="waiting runs" />}
    {!list.loading && !list.problem && list.items.length === 0 && <p>Nothing waits for a decision.</p>}
    {list.hasMore && !list.loading && <Button onClick={list.loadMore}>Show more</Button>}
  </Panel>
)

const columns: Column<Approval>[] = [
  { title: 'What', cell: (approval) => <SentenceLink approval={approval} /> },
  {
    title: 'Outcome',
    cell: (approval) => (
      <>
        <StateBadge approval={approval} />
        {approval.state === 'done' && approval.code !== null && <div class="said">{approval.code}</div>}
      </>
    ),
  },
  { title: 'Decided by', cell: ({ decidedBy, names }) => (decidedBy === null ? '–' : (names[decidedBy] ?? decidedBy)) },
  {
    title: 'Ended',
    cell: ({ endedAt, expiresAt, state }) => <Time at={endedAt ?? (state === 'expired' ? expiresAt : null)} />,
  },
]

const Approvals = () => {
  const open = usePages<Approval>('approvals', { state: 'open' })
  const all = usePages<Approval>('approvals')
  const maySeeRules = isForWorkspace() && (['approvals', 'connections', 'read', 'admin'] as const).some(may)
  // The API filters by one state, and these are the others.
  const others = { ...all, items: all.items.filter(({ state }) => state !== 'open') }
  const refresh = () => {
    open.reload()
    all.reload()
  }
  return (
    <Page title="Approvals" actions={<Button onClick={refresh}>Refresh</Button>}>
      <Inbox list={open} reload={refresh} />
      <Panel title="Decided or expired">
        <List
          list={others}
          what="Other runs"
          columns={columns}
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
