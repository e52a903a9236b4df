import { useLocation, useRoute } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import type { Hook } from '../../../../api/resources/hook.ts'
import type {
  Recovered,
  Subscription as Row,
  SubscriptionDetail,
  SubscriptionSample,
} from '../../../../api/resources/subscription.ts'
import { call, get, post } from '../../api/client.ts'
import { pathTo } from '../../api/root.ts'
import { triggerOf } from '../../api/server.ts'
import { may } from '../../api/session.ts'
import { useAction, useApi } from '../../api/use-api.ts'
import { Button, Facts } from '../../ui/basics.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Page } from '../../ui/page.tsx'
import { Loading, ProblemBox } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { AgentSecret } from './attach.tsx'
import { EditDialog } from './edit.tsx'
import { Listen } from './listen.tsx'
import { TestAgent } from './test-agent.tsx'
import { HookBadge, meaningOf, StateBadge } from './words.tsx'

const hookColumns: Column<Hook>[] = [
  { title: 'Watches', cell: ({ model }) => model || 'the whole app' },
  { title: 'State', cell: ({ state }) => <HookBadge state={state} /> },
  { title: 'Last delivery', cell: ({ lastDeliveryAt }) => <Time at={lastDeliveryAt} relative /> },
  { title: 'Failures', cell: ({ failures }) => failures, number: true },
  { title: 'Reason', cell: ({ stateReason }) => stateReason ?? '–' },
]

const Delivery = ({
  subscription: { delivery, hooks, gaps, lastEventAt, lastStartAt, connection },
  reload,
}: {
  subscription: SubscriptionDetail
  reload(): void
}) => (
  <section class="panel" aria-label="Delivery">
    <h2>Delivery</h2>
    <Facts
      facts={[
        ['Method', delivery === 'webhook' ? 'Instant, by webhook' : 'By polling'],
        ['Last event', <Time key="event" at={lastEventAt} />],
        ['Last start', <Time key="start" at={lastStartAt} />],
        [
          'Gaps',
          gaps === 0 ? (
            'none'
          ) : (
            <a key="gaps" href={`${pathTo('events')}?connection=${encodeURIComponent(connection)}`}>
              {gaps} (view events)
            </a>
          ),
        ],
      ]}
    />
    {hooks.length > 0 && <Table caption="Webhooks" columns={hookColumns} rows={hooks} keyOf={({ id }) => id} />}
    <p class="row">
      <Button onClick={reload}>Refresh</Button>
    </p>
  </section>
)

/** What the agent would receive; read only on request, because it may take a request to the provider. */
const Sample = ({ path }: { path: string }) => {
  const [sample, setSample] = useState<SubscriptionSample>()
  const { run, busy, problem } = useAction(async () => setSample(await get(`${path}/sample`)))
  return (
    <section class="panel" aria-label="Sample">
      <h2>Sample</h2>
      <p class="row">
        <Button busy={busy} onClick={() => void run()}>
          Show what the agent would receive
        </Button>
      </p>
      {problem && <ProblemBox problem={problem} />}
      {sample && (
        <>
          <p class="muted">
            {sample.from === 'history'
              ? 'From the newest event that matches.'
              : 'From the example: no event in the history matches yet.'}
          </p>
          <JsonView value={sample.start} name="start" />
        </>
      )}
    </section>
  )
}

type ActionsProps = { subscription: SubscriptionDetail; path: string; reload(): void }

const Actions = ({ subscription, path, reload }: ActionsProps) => {
  const { route } = useLocation()
  const [said, setSaid] = useState('')
  const [secret, setSecret] = useState<string>()
  const [isEditing, setEditing] = useState(false)
  const { run, busy, problem } = useAction(async (verb: string) => {
    setSaid('')
    const done = await post<Partial<Recovered>>(`${path}/${verb}`)
    if (verb === 'test') setSaid('The agent is being called with a sample, marked as a test.')
    if (verb === 'recover') setSaid(`Recovered. Events: ${done.events}, starts: ${done.starts}, gaps: ${done.gaps}.`)
    reload()
  })
  const trigger = triggerOf(subscription.integration, subscription.trigger)
  const isPaused = subscription.state === 'paused' || subscription.state === 'paused_agent'
  const rotate = async () => {
    setSecret((await post<Row>(`${path}/rotate-secret`, {})).agent.secret)
    reload()
  }
  const remove = async () => {
    await call('DELETE', path)
    route(pathTo('triggers'))
  }
  return (
    <section class="panel" aria-label="Actions">
      <p class="row">
        <Button busy={busy} onClick={() => void run(isPaused ? 'resume' : 'pause')}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button busy={busy} onClick={() => void run('test')}>
          Send a test
        </Button>
        <Button busy={busy} onClick={() => void run('recover')}>
          Recover
        </Button>
        {trigger && trigger.layout.fields.length > 0 && (
          <Button onClick={() => setEditing(true)}>Edit the config</Button>
        )}
        {subscription.agent.url !== null && (
          <ConfirmButton
            label="Rotate the secret"
            kind="plain"
            danger={false}
            title="Rotate the secret?"
            confirm="Rotate the secret"
            act={rotate}
          >
            <p>The agent gets a new signing secret. For one day, starts are also signed with the previous one.</p>
          </ConfirmButton>
        )}
        <ConfirmButton label="Delete" title="Delete this subscription?" confirm="Delete" act={remove}>
          <p>Its agent is not started again, and open starts are cancelled. This cannot be undone.</p>
        </ConfirmButton>
      </p>
      {subscription.agent.url !== null && <TestAgent body={{ subscription: subscription.id }} />}
      <p role="status">{said}</p>
      {problem && <ProblemBox problem={problem} connection={subscription.connection} />}
      {secret !== undefined && <AgentSecret secret={secret} />}
      {isEditing && trigger && (
        <EditDialog subscription={subscription} trigger={trigger} onClose={() => setEditing(false)} onSaved={reload} />
      )}
    </section>
  )
}

const About = ({
  subscription: { state, stateReason, agent, connection, startsFrom, config, options, externalId },
}: {
  subscription: SubscriptionDetail
}) => (
  <section class="panel" aria-label="Settings">
    <h2>Settings</h2>
    <Facts
      facts={[
        ['State', <StateBadge key="state" state={state} />],
        ['Meaning', stateReason ?? meaningOf(state)],
        [
          'Connection',
          <a key="connection" href={pathTo('connections', connection)}>
            {connection}
          </a>,
        ],
        ['Agent', agent.id],
        ['Address', agent.url ?? 'the platform'],
        [
          'Previous secret valid until',
          agent.previousSecretUntil && <Time key="until" at={agent.previousSecretUntil} />,
        ],
        ['Starts from', <Time key="from" at={startsFrom} />],
        ['External id', externalId],
      ]}
    />
    <JsonView value={config} name="config" />
    {Object.keys(options).length > 0 && <JsonView value={options} name="options" />}
  </section>
)

const Subscription = () => {
  const { id = '' } = useRoute().params
  const path = `subscriptions/${encodeURIComponent(id)}`
  const { data, problem, loading, reload } = useApi<SubscriptionDetail>(path)
  const trigger = data && triggerOf(data.integration, data.trigger)
  const mayWrite = may('subscriptions')
  return (
    <Page
      title={trigger?.title ?? data?.trigger ?? 'Subscription'}
      actions={
        <>
          <a href={`${pathTo('starts')}?subscription=${encodeURIComponent(id)}`}>Its starts</a>
          <a href={pathTo('triggers')}>All triggers</a>
        </>
      }
    >
      {problem && <ProblemBox problem={problem} retry={reload} />}
      {!data && loading && <Loading what="the subscription" />}
      {data && (
        <>
          {mayWrite && <Actions subscription={data} path={path} reload={reload} />}
          <div class="columns tr-columns">
            <div>
              <Listen id={id} integration={data.integration} purpose={trigger?.purpose ?? ''} onStart={reload} />
              <Delivery subscription={data} reload={reload} />
            </div>
            <div>
              <About subscription={data} />
              {mayWrite && <Sample path={path} />}
            </div>
          </div>
        </>
      )}
    </Page>
  )
}

export default Subscription
