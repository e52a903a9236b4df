import { useEffect, useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import { pathTo } from '../../api/root.ts'
import { manifestOf, manifests } from '../../api/server.ts'
import { may, session } from '../../api/session.ts'
import { usePages } from '../../api/use-api.ts'
import { useAddress } from '../../ui/address.ts'
import { Badge, Button } from '../../ui/basics.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { PagedTable } from '../../ui/table.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { AppDialog } from './apps.tsx'
import { ConnectDialog } from './connect.tsx'
import { ConnectOutcome } from './connect-outcome.tsx'
import { accountOf, StateBadge, stateTexts } from './state.tsx'

const columns: Column<Connection>[] = [
  {
    title: 'Name',
    cell: ({ id, name, isDefault }) => (
      <span class="cn-name">
        <a href={pathTo('connections', id)}>{name}</a> {isDefault && <Badge tone="info">Default</Badge>}
      </span>
    ),
  },
  { title: 'Integration', cell: ({ integration }) => manifestOf(integration)?.title ?? integration },
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { title: 'Account', cell: (row) => accountOf(row) ?? '–' },
  { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} relative /> },
]

const matches = (row: Connection, state: string | undefined, text = '') => {
  const words = text.toLowerCase().split(/\s+/)
  const all = [row.name, accountOf(row), row.externalId, ...Object.values(row.labels)].join(' ').toLowerCase()
  return (state === undefined || row.state === state) && words.every((word) => all.includes(word))
}

const Filters = () => {
  const { query, change } = useAddress()
  return (
    <form class="cn-filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        Search
        <input type="search" value={query['q'] ?? ''} onInput={(event) => change({ q: event.currentTarget.value })} />
      </label>
      <label>
        Integration
        <select
          value={query['integration'] ?? ''}
          onChange={(event) => change({ integration: event.currentTarget.value })}
        >
          <option value="">All</option>
          {manifests.value.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        State
        <select value={query['state'] ?? ''} onChange={(event) => change({ state: event.currentTarget.value })}>
          <option value="">All</option>
          {Object.entries(stateTexts).map(([id, { title }]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
    </form>
  )
}

const Nothing = ({
  isFiltered,
  clear,
  connect,
}: {
  isFiltered: boolean
  clear(): void
  connect: (() => void) | undefined
}) =>
  isFiltered ? (
    <Empty title="No connection matches the filters">
      <Button onClick={clear}>Clear filters</Button>
    </Empty>
  ) : (
    <Empty title="No account is connected yet">
      <p>Steps and triggers work with the accounts that you connect here. Agents never see their secrets.</p>
      {connect && (
        <Button kind="primary" onClick={connect}>
          Connect an account
        </Button>
      )}
    </Empty>
  )

/** A token bound to certain connections cannot create new ones. */
const mayConnect = () => may('connections') && session.value?.token.connections == null

const Connections = () => {
  const { query, change } = useAddress()
  // The connection select of a step links here with the type to connect.
  const type = query['connect']
  const [dialog, setDialog] = useState<'connect' | 'apps' | undefined>(
    type !== undefined && mayConnect() ? 'connect' : undefined,
  )
  const pages = usePages<Connection>('connections', { limit: 200, integration: query['integration'] })
  // The filters below apply to all connections, so every page is read.
  useEffect(() => {
    if (pages.hasMore && !pages.loading) pages.loadMore()
  }, [pages.hasMore, pages.loading])
  const items = pages.items.filter((row) => matches(row, query['state'], query['q']))
  const isFiltered = ['integration', 'state', 'q'].some((name) => query[name] !== undefined)
  const connect = mayConnect() ? () => setDialog('connect') : undefined
  const actions = connect && (
    <>
      <Button onClick={() => setDialog('apps')}>Apps</Button>
      <Button kind="primary" onClick={connect}>
        Connect an account
      </Button>
    </>
  )
  return (
    <Page title="Connections" actions={actions}>
      <ConnectOutcome />
      <Filters />
      <PagedTable
        pages={{ ...pages, items, hasMore: false }}
        what="Connections"
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Nothing
            isFiltered={isFiltered}
            clear={() => change({ integration: undefined, state: undefined, q: undefined })}
            connect={connect}
          />
        }
      />
      {dialog === 'connect' && (
        <ConnectDialog integration={query['integration']} type={type} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'apps' && <AppDialog onClose={() => setDialog(undefined)} />}
    </Page>
  )
}

export default Connections
