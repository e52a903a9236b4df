import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import type { StartDetail } from '../../../../api/resources/start.ts'
import { pathTo } from '../../api/root.ts'
import { may } from '../../api/session.ts'
import { useApi } from '../../api/use-api.ts'
import { Badge, Button, CopyButton, Facts } from '../../ui/basics.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Page } from '../../ui/page.tsx'
import { Loading, ProblemBox } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Attempts } from './attempts.tsx'
import { useConnections } from './filters.tsx'
import { ReplayDialog } from './replay.tsx'
import { useChanges } from './use-changes.ts'
import { StartBadge, eventPath, triggerTitle, viaWord } from './words.tsx'

const linkTo = (id: string | null) => (id === null ? undefined : <a href={pathTo('starts', id)}>{id}</a>)

const About = ({ start, nameOf }: { start: StartDetail; nameOf(connection: string): string }) => (
  <section class="panel">
    <h2>Details</h2>
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
        ['Ended', start.endedAt === null ? undefined : <Time at={start.endedAt} />],
        ['Via', viaWord[start.via]],
        ['Merged into', linkTo(start.mergedInto)],
        ['Replay of', linkTo(start.replayOf)],
        ['Key', <code>{start.id}</code>],
      ]}
    />
  </section>
)

const Start = () => {
  const { params } = useRoute()
  const id = params['id']!
  const { data: start, problem, loading, reload } = useApi<StartDetail>(`starts/${encodeURIComponent(id)}`)
  const { nameOf } = useConnections()
  const [isReplaying, setReplaying] = useState(false)
  const [said, setSaid] = useState('')
  useChanges(({ kind, row }) => kind === 'start' && (row.id === id || row['replayOf'] === id), reload)
  return (
    <Page
      title={start ? triggerTitle(start) : 'Start'}
      actions={start && may('subscriptions') && <Button onClick={() => setReplaying(true)}>Replay</Button>}
    >
      <p role="status">{said}</p>
      {problem && <ProblemBox problem={problem} retry={reload} />}
      {!start && loading && <Loading what="the start" />}
      {start && (
        <>
          <div class="columns">
            <section class="panel">
              <h2>Attempts</h2>
              <Attempts start={start} />
            </section>
            <About start={start} nameOf={nameOf} />
          </div>
          <section class="panel">
            <h2>Data</h2>
            <p class="muted">
              What the agent gets as <code>data.event</code>. It is untrusted.
            </p>
            {start.data === null ? (
              <p>It was deleted after the retention period, so this start cannot be replayed.</p>
            ) : (
              <>
                <JsonView value={start.data} name="event" />
                <CopyButton text={() => JSON.stringify(start.data, null, 2)} label="Copy as JSON" />
              </>
            )}
          </section>
        </>
      )}
      {isReplaying && (
        <ReplayDialog
          ids={[id]}
          onClose={() => setReplaying(false)}
          onSent={(count) => {
            if (count > 0) setSaid('Replayed.')
            reload()
          }}
        />
      )}
    </Page>
  )
}

export default Start
