import { useEffect, useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import { integrationChoices, integrationTitle, may, pathTo, session, useAction, usePages } from '../../api/index.ts'
import {
  Badge,
  Button,
  DialogButton,
  Empty,
  Filters,
  List,
  Page,
  personColumns,
  personFilter,
  ProblemBox,
  Time,
  useAddress,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { AppDialog } from './apps.tsx'
import { ConnectDialog } from './connect.tsx'
import { ConnectOutcome } from './connect-outcome.tsx'
import { goConnect } from './go-connect.ts'
import { accountOf, healthOf, isBroken, StateBadge, stateTexts } from './state.tsx'

const columnsOf = (rows: Connection[]): Column<Connection>[] => [
  {
    title: 'Name',
    cell: ({ id, name, isDefault }) => (
      <span class="cn-name">
        <a href={pathTo('connections', id)}>{name}</a> {isDefault && <Badge tone="info">Default</Badge>}
      </span>
    ),
  },
  { title: 'Integration', cell: ({ integration }) => integrationTitle(integration) },
  {
    title: 'Health',
    cell: (row) => (
      <>
        {row.state !== 'connected' && <StateBadge state={row.state} />} {healthOf(row)}
        {isBroken(row) && may('connections') && <Reconnect row={row} />}
      </>
    ),
  },
  { title: 'Account', cell: (row) => accountOf(row) ?? '–' },
  ...personColumns(rows),
  { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} relative /> },
]

const Reconnect = ({ row: { id, name } }: { row: Connection }) => {
  const reconnect = useAction(() => goConnect({ connection: id }, pathTo('connections', id)))
  return (
    <>
      <p>
        <Button action={reconnect} aria-label={`Reconnect “${name}”`}>
          Reconnect
        </Button>
      </p>
      <ProblemBox problem={reconnect.problem} />
    </>
  )
}

const matches = (row: Connection, state: string | undefined, text = '') => {
  const words = text.toLowerCase().split(/\s+/)
  const all = [row.name, accountOf(row), row.account?.id, row.person, row.externalId, ...Object.values(row.labels)]
    .join(' ')
    .toLowerCase()
  return (state === undefined || row.state === state) && words.every((word) => all.includes(word))
}

/** A token bound to certain connections cannot create new ones. */
const mayConnect = () => may('connections') && session.value?.token.connections == null

const Connections = () => {
  const { query } = useAddress()
  // The connection select of a step links here with the type to connect.
  const type = query['connect']
  const [isConnecting, setConnecting] = useState(type !== undefined && mayConnect())
  const pages = usePages<Connection>('connections', {
    limit: 200,
    integration: query['integration'],
    person: query['person'],
  })
  // The filters below apply to all connections, so every page is read.
  useEffect(() => {
    if (pages.hasMore && !pages.loading) pages.loadMore()
  }, [pages.hasMore, pages.loading])
  const items = pages.items.filter((row) => matches(row, query['state'], query['q']))
  const isFiltered = ['integration', 'person', 'state', 'q'].some((name) => query[name] !== undefined)
  const connect = mayConnect() && (
    <Button kind="primary" onClick={() => setConnecting(true)}>
      Connect an account
    </Button>
  )
  return (
    <Page
      title="Connections"
      actions={
        connect && (
          <>
            <DialogButton label="Apps">{(close) => <AppDialog onClose={close} />}</DialogButton>
            {connect}
          </>
        )
      }
    >
      <ConnectOutcome />
      <Filters
        label="Connections"
        filters={[
          { name: 'q', label: 'Search', live: true },
          { name: 'integration', label: 'Integration', options: integrationChoices() },
          personFilter,
          {
            name: 'state',
            label: 'State',
            options: Object.entries(stateTexts).map(([id, { title }]) => [id, title]),
          },
        ]}
      />
      <List
        list={{ ...pages, items, hasMore: false }}
        what="Connections"
        columns={columnsOf(items)}
        empty={
          isFiltered ? (
            <Empty picture="search" title="No connection matches the filters" />
          ) : (
            <Empty picture="plug" title="No account is connected yet">
              <p>Steps and triggers work with the accounts that you connect here. Agents never see their secrets.</p>
              {connect}
            </Empty>
          )
        }
      />
      {isConnecting && (
        <ConnectDialog integration={query['integration']} type={type} onClose={() => setConnecting(false)} />
      )}
    </Page>
  )
}

export default Connections
