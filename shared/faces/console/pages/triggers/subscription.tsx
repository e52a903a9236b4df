import { useLocation, useRoute } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import type { Hook } from '../../../../api/resources/hook.ts'
import type {
  Recovered,
  Subscription as Row,
  SubscriptionDetail,
  SubscriptionSample,
} from '../../../../api/resources/subscription.ts'
import {
  call,
  get,
  may,
  pathTo,
  post,
  triggerOf,
  triggerTitle,
  useAction,
  useApi,
  useConnections,
} from '../../api/index.ts'
import {
  Button,
  ConfirmButton,
  CopiedId,
  DialogButton,
  Facts,
  JsonView,
  WhenLoaded,
  Page,
  Panel,
  ProblemBox,
  Sentence,
  Table,
  Time,
} from '../../ui/index.ts'
import type { Column } from '../../ui/index.ts'
import { SendSample } from '../agents/send-sample.tsx'
import { AgentLink } from '../agents/words.tsx'
import { AgentSecret } from './agent-secret.tsx'
import { EditDialog } from './edit.tsx'
import { SubscriptionHealth } from './health.tsx'
import { Listen } from './listen.tsx'
import { Resume } from './resume.tsx'
import { TestAgent } from './test-agent.tsx'
import { HookBadge, StateBadge } from './words.tsx'

const hookColumns: Column<Hook>[] = [
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

/** What is seldom needed: the agent's address and secret, missed events, the end. */
const MoreActions = ({ subscription, path, reload }: ActionsProps) => {
  const { route } = useLocation()
  const [secret, setSecret] = useState<string>()
  const [said, setSaid] = useState('')
  const recovering = useAction(async () => {
    setSaid('')
    const { events, starts, gaps } = await post<Recovered>(`${path}/recover`)
    setSaid(`Recovered. Events: ${events}, starts: ${starts}, gaps: ${gaps}.`)
    reload()
  })
  const rotate = async () => {
    setSecret((await post<Row>(`${path}/rotate-secret`, {})).agent.secret)
    reload()
  }
  const remove = async () => {
    await call('DELETE', path)
    route(pathTo('triggers'))
  }
  const hasAddress = subscription.agent.url !== null
  return (
    <details class="details" open={secret !== undefined || undefined}>
      <summary>More</summary>
      {hasAddress && <TestAgent body={{ subscription: subscription.id }} />}
      <p class="row">
        <Button action={recovering}>Recover missed events</Button>
        {hasAddress && (
          <ConfirmButton label="Rotate the secret" danger={false} act={rotate}>
            <p>The agent gets a new signing secret. For one day, starts are also signed with the previous one.</p>
          </ConfirmButton>
        )}
        <ConfirmButton label="Delete" title="Delete this subscription?" act={remove}>
          <p>Its agent is not started again, and open starts are cancelled. This cannot be undone.</p>
        </ConfirmButton>
        <span role="status">{said}</span>
      </p>
      <ProblemBox problem={recovering.problem} connection={subscription.connection} />
      {secret !== undefined && <AgentSecret secret={secret} />}
    </details>
  )
}

const Actions = ({ subscription, path, reload }: ActionsProps) => {
  const pausing = useAction(async () => {
    await post(`${path}/pause`)
    reload()
  })
  const trigger = triggerOf(subscription.integration, subscription.trigger)
  const isPaused = subscription.state === 'paused' || subscription.state === 'paused_agent'
  return (
    <Panel label="Actions">
      <Resume subscription={subscription} onResumed={reload} />
      <SendSample subscription={subscription.id} kind={isPaused ? 'plain' : 'primary'} onSent={reload} />
      <p class="row">
        {trigger && trigger.layout.fields.length > 0 && (
          <DialogButton label="Edit the filter">
            {(close) => <EditDialog subscription={subscription} trigger={trigger} onClose={close} onSaved={reload} />}
          </DialogButton>
        )}
        {!isPaused && <Button action={pausing}>Pause</Button>}
      </p>
      <ProblemBox problem={pausing.problem} connection={subscription.connection} />
      <MoreActions subscription={subscription} path={path} reload={reload} />
    </Panel>
  )
}

/** What it waits for, and whether it is well: a sentence each. */
const Waits = ({ subscription }: { subscription: SubscriptionDetail }) => (
  <Panel label="What it waits for">
    <p class="waits">
      {subscription.summary && 'It waits for '}
      <Sentence
        of={subscription.summary}
        otherwise={triggerOf(subscription.integration, subscription.trigger)?.purpose ?? triggerTitle(subscription)}
      />
      {subscription.summary && '.'}
    </p>
    <p>
      <StateBadge state={subscription.state} /> <SubscriptionHealth subscription={subscription} />
    </p>
    <p class="muted">
      It starts <AgentLink agent={subscription.agent} />.
    </p>
  </Panel>
)

type SettingsProps = { subscription: SubscriptionDetail; nameOf(connection: string): string }

const Settings = ({
  subscription: { id, agent, connection, startsFrom, config, options, person, externalId },
  nameOf,
}: SettingsProps) => (
  <details class="details">
    <summary>Details</summary>
    <Facts
      facts={[
        [
          'Connection',
          <a key="connection" href={pathTo('connections', connection)}>
            {nameOf(connection)}
          </a>,
        ],
        ['Id', <CopiedId key="id" id={id} />],
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
  </details>
)

const Subscription = () => {
  const { id = '' } = useRoute().params
  const path = `subscriptions/${encodeURIComponent(id)}`
  const loaded = useApi<SubscriptionDetail>(path)
  const { data, reload } = loaded
  const mayWrite = may('subscriptions')
  const { nameOf } = useConnections()
  return (
    <Page
      title={data ? triggerTitle(data) : 'Subscription'}
      list="triggers"
      actions={<a href={`${pathTo('starts')}?subscription=${encodeURIComponent(id)}`}>Its starts</a>}
    >
      <WhenLoaded of={loaded} what="the subscription">
        {(subscription) => (
          <>
            <Waits subscription={subscription} />
            {mayWrite && <Actions subscription={subscription} path={path} reload={reload} />}
            <div class="columns tr-columns">
              <div>
                <Listen subscription={subscription} onStart={reload} />
                {mayWrite && <Sample path={path} />}
              </div>
              <Delivery subscription={subscription} reload={reload} />
            </div>
            <Settings subscription={subscription} nameOf={nameOf} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default Subscription
