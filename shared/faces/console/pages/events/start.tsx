import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import type { StartDetail } from '../../../../api/resources/start.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { may, pathTo, triggerTitle, useApi, useConnections } from '../../api/index.ts'
import {
  Badge,
  CopiedId,
  CopyButton,
  DialogButton,
  Facts,
  JsonView,
  Page,
  Panel,
  Time,
  WhenLoaded,
} from '../../ui/index.ts'
import { AgentLink } from '../agents/words.tsx'
import { useSubscriptions } from '../triggers/use-subscriptions.ts'
import { Attempts } from './attempts.tsx'
import { ReplayDialog } from './replay.tsx'
import { useChanges } from './use-changes.ts'
import { StartBadge, eventPath, viaWord } from './words.tsx'

const LinkTo = ({ id, children }: { id: string; children: ComponentChildren }) => (
  <a href={pathTo('starts', id)}>{children}</a>
)

type AboutProps = { start: StartDetail; subscription: Subscription | undefined; nameOf(connection: string): string }

const About = ({ start, subscription, nameOf }: AboutProps) => (
  <Panel title="What started">
    <Facts
      facts={[
        [
          'State',
          <>
            <StartBadge state={start.state} /> {start.test && <Badge tone="info">sample</Badge>}{' '}
            {start.late && <Badge tone="warn">late</Badge>}
          </>,
        ],
        ['Agent', subscription && <AgentLink key="agent" agent={subscription.agent} />],
        [
          'Trigger',
          <a key="trigger" href={pathTo('subscriptions', start.subscription)}>
            {triggerTitle(start)}
          </a>,
        ],
        [
          'Event',
          !start.test && (
            <a key="event" href={eventPath({ id: start.event, connection: start.connection })}>
              What happened
            </a>
          ),
        ],
        [
          'Account',
          <a key="account" href={pathTo('connections', start.connection)}>
            {nameOf(start.connection)}
          </a>,
        ],
        ['Happened', <Time key="at" at={start.at} />],
        ['Ended', start.endedAt && <Time key="ended" at={start.endedAt} />],
        ['Merged into', start.mergedInto && <LinkTo id={start.mergedInto}>an earlier start</LinkTo>],
        ['Repeats', start.replayOf && <LinkTo id={start.replayOf}>an earlier start</LinkTo>],
      ]}
    />
  </Panel>
)

const Machinery = ({ start }: { start: StartDetail }) => (
  <details class="details">
    <summary>Details</summary>
    <Facts
      facts={[
        ['Key', <CopiedId key="key" id={start.id} />],
        ['Subscription', <CopiedId key="subscription" id={start.subscription} />],
        ['Event', <CopiedId key="event" id={start.event} />],
        ['Subject', start.subject && <CopiedId key="subject" id={start.subject} />],
        ['Received', viaWord[start.via]],
        ['Created', <Time key="created" at={start.createdAt} />],
      ]}
    />
  </details>
)

const Start = () => {
  const id = useRoute().params['id']!
  const loaded = useApi<StartDetail>(`starts/${encodeURIComponent(id)}`)
  const { data: start, reload } = loaded
  const { nameOf } = useConnections()
  const { find } = useSubscriptions({ connection: start?.connection }, start !== undefined)
  const [said, setSaid] = useState('')
  useChanges(({ kind, row }) => kind === 'start' && (row.id === id || row['replayOf'] === id), reload)
  const sent = (count: number) => {
    if (count > 0) setSaid('Replayed.')
    reload()
  }
  return (
    <Page
      title={start ? (start.summary?.text ?? triggerTitle(start)) : 'Start'}
      list="starts"
      actions={
        start &&
        may('subscriptions') && (
          <DialogButton label="Replay">
            {(close) => <ReplayDialog ids={[id]} onClose={close} onSent={sent} />}
          </DialogButton>
        )
      }
    >
      <p role="status">{said}</p>
      <WhenLoaded of={loaded} what="the start">
        {(data) => (
          <>
            <div class="columns">
              <Panel title="Attempts">
                <Attempts start={data} />
              </Panel>
              <About start={data} subscription={find(data.subscription)} nameOf={nameOf} />
            </div>
            <Panel title="Data">
              <p class="muted">
                What the agent gets as <code>data.event</code>. It is untrusted.
              </p>
              {data.data === null ? (
                <p>It was deleted after the retention period, so this start cannot be replayed.</p>
              ) : (
                <>
                  <JsonView value={data.data} name="event" />
                  <CopyButton text={() => JSON.stringify(data.data, null, 2)} label="Copy as JSON" />
                </>
              )}
            </Panel>
            <Machinery start={data} />
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default Start
