import { useLocation, useRoute } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import type { Hook } from '../../../../api/resources/hook.ts'
import type {
  Recovered,
  Subscription as Row,
  SubscriptionDetail,
  SubscriptionSample,
} from '../../../../api/resources/subscription.ts'
import { call, get, may, pathTo, post, triggerOf, triggerTitle, useAction, useApi } from '../../api/index.ts'
import {
  Button,
  ConfirmButton,
  DialogButton,
  Facts,
  JsonView,
  WhenLoaded,
  Page,
  Panel,
  ProblemBox,
  Table,
  Time,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
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
  <Panel title="Delivery" label="Delivery">
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
    {hooks.length > 0 && <Table caption="Webhooks" columns={hookColumns} rows={hooks} />}
    <p class="row">
      <Button onClick={reload}>Refresh</Button>
    </p>
  </Panel>
)

/** What the agent would receive; read only on request, because it may take a request to the provider. */
const Sample = ({ path }: { path: string }) => {
  const [sample, setSample] = useState<SubscriptionSample>()
  const reading = useAction(async () => setSample(await get(`${path}/sample`)))
  return (
    <Panel title="Sample" label="Sample">
      <p class="row">
        <Button action={reading}>Show what the agent would receive</Button>
      </p>
      <ProblemBox problem={reading.problem} />
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
    </Panel>
  )
}

type ActionsProps = { subscription: SubscriptionDetail; path: string; reload(): void }

const Actions = ({ subscription, path, reload }: ActionsProps) => {
  const { route } = useLocation()
  const [said, setSaid] = useState('')
  const [secret, setSecret] = useState<string>()
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
    <Panel label="Actions">
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
          <DialogButton label="Edit the config">
            {(close) => <EditDialog subscription={subscription} trigger={trigger} onClose={close} onSaved={reload} />}
          </DialogButton>
        )}
        {subscription.agent.url !== null && (
          <ConfirmButton label="Rotate the secret" danger={false} act={rotate}>
            <p>The agent gets a new signing secret. For one day, starts are also signed with the previous one.</p>
          </ConfirmButton>
        )}
        <ConfirmButton label="Delete" title="Delete this subscription?" act={remove}>
          <p>Its agent is not started again, and open starts are cancelled. This cannot be undone.</p>
        </ConfirmButton>
      </p>
      {subscription.agent.url !== null && <TestAgent body={{ subscription: subscription.id }} />}
      <p role="status">{said}</p>
      <ProblemBox problem={problem} connection={subscription.connection} />
      {secret !== undefined && <AgentSecret secret={secret} />}
    </Panel>
  )
}

const About = ({
  subscription: { state, stateReason, agent, connection, startsFrom, config, options, person, externalId },
}: {
  subscription: SubscriptionDetail
}) => (
  <Panel title="Settings" label="Settings">
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
        ['Person', person],
        ['External id', externalId],
      ]}
    />
    <JsonView value={config} name="config" />
    {Object.keys(options).length > 0 && <JsonView value={options} name="options" />}
  </Panel>
)

const Subscription = () => {
  const { id = '' } = useRoute().params
  const path = `subscriptions/${encodeURIComponent(id)}`
  const loaded = useApi<SubscriptionDetail>(path)
  const { data, reload } = loaded
  const mayWrite = may('subscriptions')
  return (
    <Page
      title={data ? triggerTitle(data) : 'Subscription'}
      list="triggers"
      actions={<a href={`${pathTo('starts')}?subscription=${encodeURIComponent(id)}`}>Its starts</a>}
    >
      <WhenLoaded of={loaded} what="the subscription">
        {(subscription) => (
          <>
            {mayWrite && <Actions subscription={subscription} path={path} reload={reload} />}
            <div class="columns tr-columns">
              <div>
                <Listen subscription={subscription} onStart={reload} />
                <Delivery subscription={subscription} reload={reload} />
              </div>
              <div>
                <About subscription={subscription} />
                {mayWrite && <Sample path={path} />}
              </div>
            </div>
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default Subscription
