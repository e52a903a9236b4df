import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import type { StartDetail } from '../../../../api/resources/start.ts'
import { may, pathTo, triggerTitle, useApi, useConnections } from '../../api/index.ts'
import { Badge, CopyButton, DialogButton, Facts, JsonView, WhenLoaded, Page, Panel, Time } from '../../ui/index.ts'
import { Attempts } from './attempts.tsx'
import { ReplayDialog } from './replay.tsx'
import { useChanges } from './use-changes.ts'
import { StartBadge, eventPath, viaWord } from './words.tsx'

const linkTo = (id: string | null) => id && <a href={pathTo('starts', id)}>{id}</a>

const About = ({ start, nameOf }: { start: StartDetail; nameOf(connection: string): string }) => (
  <Panel title="Details">
    <Facts
      facts={[
        [
          'State',
          <>
            <StartBadge state={start.state} /> {start.test && <Badge tone="info">test</Badge>}{' '}
            {start.late && <Badge tone="warn">late</Badge>}
          </>,
        ],
        ['Subscription', <a href={pathTo('subscriptions', start.subscription)}>{start.subscription}</a>],
        ['Event', <a href={eventPath({ id: start.event, connection: start.connection })}>{start.event}</a>],
        ['Connection', <a href={pathTo('connections', start.connection)}>{nameOf(start.connection)}</a>],
        ['Subject', start.subject],
        ['Happened', <Time at={start.at} />],
        ['Created', <Time at={start.createdAt} />],
        ['Ended', start.endedAt && <Time at={start.endedAt} />],
        ['Via', viaWord[start.via]],
        ['Merged into', linkTo(start.mergedInto)],
        ['Replay of', linkTo(start.replayOf)],
        ['Key', <code>{start.id}</code>],
      ]}
    />
  </Panel>
)

const Start = () => {
  const id = useRoute().params['id']!
  const loaded = useApi<StartDetail>(`starts/${encodeURIComponent(id)}`)
  const { data: start, reload } = loaded
  const { nameOf } = useConnections()
  const [said, setSaid] = useState('')
  useChanges(({ kind, row }) => kind === 'start' && (row.id === id || row['replayOf'] === id), reload)
  const sent = (count: number) => {
    if (count > 0) setSaid('Replayed.')
    reload()
  }
  return (
    <Page
      title={start ? triggerTitle(start) : 'Start'}
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
              <About start={data} nameOf={nameOf} />
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
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}

export default Start
