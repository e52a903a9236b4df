import { useLocation, useRoute } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import type { Connection as Row } from '../../../../api/resources/connection.ts'
import type { ConnectionUsage } from '../../../../api/resources/connection-report.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { integrationTitle, manifestOf, may, pathTo, useApi, usePages } from '../../api/index.ts'
import { Badge, CopiedId, Facts, WhenLoaded, Page, Panel, Time } from '../../ui/index.ts'
import { Actions, Dangers } from './actions.tsx'
import { DefaultContainer } from './default-container.tsx'
import { Limits } from './limits.tsx'
import { Narrow } from './narrow.tsx'
import { ConnectOutcome } from './connect-outcome.tsx'
import { accountOf, hasExpired, healthOf, StateBadge, stateTexts } from './state.tsx'
import { UsedBy } from './used-by.tsx'
import { hasEndpoints, WireCheck } from './wire-check.tsx'

const Expiry = ({ row }: { row: Row }) =>
  hasExpired(row) ? (
    <>
      Expired <Time at={row.expiresAt} relative />. The next use or test tries to renew it; if that fails, reconnect it.
    </>
  ) : (
    <>
      <Time at={row.expiresAt} />, renewed before then
    </>
  )

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

const Health = ({ row }: { row: Row }) => {
  const { todo, tone } = stateTexts[row.state]
  const type = manifestOf(row.integration)?.connections.find(({ id }) => id === row.type)
  return (
    <>
      {todo !== '' && (
        <div class={`cn-note ${tone}`} role="status">
          <p>
            {row.stateReason !== null && <strong>{sentence(row.stateReason)} </strong>}
            {row.state === 'unverified' && row.stateReason !== null ? '' : todo}
          </p>
        </div>
      )}
      <Facts
        facts={[
          [
            'Health',
            <>
              <StateBadge state={row.state} /> {todo === '' && healthOf(row)}
            </>,
          ],
          ['Since', <Time at={row.stateAt} relative />],
          ['Integration', integrationTitle(row.integration)],
          ['Connected by', type?.title ?? row.type],
          ['Account', accountOf(row)],
          ['Access ends', row.expiresAt && <Expiry row={row} />],
          ['Person', row.person],
          [
            'Labels',
            Object.entries(row.labels)
              .map(([name, value]) => `${name}: ${value}`)
              .join(', '),
          ],
          ['Last used', <Time at={row.lastUsedAt} relative />],
        ]}
      />
      <details>
        <summary>Details</summary>
        <Facts
          facts={[
            ['Connection', <CopiedId id={row.id} />],
            ['Account at the provider', row.account?.id && <CopiedId id={row.account.id} />],
            ['External id', row.externalId && <CopiedId id={row.externalId} />],
            ['Wire profile', row.profile],
            ['Provider scopes', type?.oauthScopes.join(', ')],
            [
              'Secrets',
              Object.entries(row.secrets)
                .map(([name, hint]) => `${name} ${hint}`)
                .join(', '),
            ],
          ]}
        />
      </details>
    </>
  )
}

const ConnectionDetail = ({ row, reread }: { row: Row; reread(): void }) => {
  const { route } = useLocation()
  const [said, setSaid] = useState('')
  const uses = {
    subscriptions: usePages<Subscription>('subscriptions', { connection: row.id }),
    usage: useApi<ConnectionUsage>(`connections/${encodeURIComponent(row.id)}/usage`),
  }
  const changed = (text: string) => {
    setSaid(text)
    uses.subscriptions.reload()
    reread()
  }
  const mayChange = may('connections')
  return (
    <>
      <ConnectOutcome />
      <p role="status">{said}</p>
      {mayChange && <Actions row={row} changed={changed} />}
      <div class="columns">
        <Panel title="Health" label="Health">
          <Health row={row} />
        </Panel>
        <div>
          <Limits id={row.id} />
          <UsedBy {...uses} integration={row.integration} />
        </div>
      </div>
      {mayChange && (
        <>
          <DefaultContainer row={row} changed={changed} />
          <Narrow key={row.updatedAt} row={row} changed={changed} />
          {hasEndpoints(manifestOf(row.integration)) && <WireCheck row={row} />}
          <Dangers row={row} changed={changed} gone={() => route(pathTo('connections'))} uses={uses} />
        </>
      )}
    </>
  )
}

const Connection = () => {
  const id = useRoute().params['id'] ?? ''
  const loaded = useApi<Row>(`connections/${encodeURIComponent(id)}`)
  const { data, reload } = loaded
  return (
    <Page
      title={data?.name ?? 'Connection'}
      list="connections"
      actions={data?.isDefault && <Badge tone="info">Default</Badge>}
    >
      <WhenLoaded of={loaded} what="the connection">
        {(row) => <ConnectionDetail key={id} row={row} reread={reload} />}
      </WhenLoaded>
    </Page>
  )
}

export default Connection
