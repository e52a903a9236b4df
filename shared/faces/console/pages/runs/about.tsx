/** The facts of a run, in names: when, what it cost, whose account, what it touched and what it belongs to. */
import { useState } from 'preact/hooks'
import type { Connection } from '../../../../api/resources/connection.ts'
import type { RunDetail } from '../../../../api/resources/run.ts'
import type { Start } from '../../../../api/resources/start.ts'
import { integrationTitle, pathTo, stepOf, stepTitle, titleOf, triggerTitle, useApi } from '../../api/index.ts'
import { CopiedId, Facts, formatDuration, OutsideLink, plural, Sentence, Time } from '../../ui/index.ts'
import { useNames } from '../approvals/use-names.ts'
import { creditsOf, isUnderWay } from './words.tsx'

const StartLink = ({ id }: { id: string }) => {
  const { data } = useApi<Start>(`starts/${encodeURIComponent(id)}`)
  return (
    <>
      {data ? (
        <a href={pathTo('starts', id)}>
          <Sentence of={data.summary} otherwise={triggerTitle(data)} />
        </a>
      ) : (
        'A start that this server does not have, or not any more'
      )}
      {' · '}
      <a href={`${pathTo('runs')}?startId=${encodeURIComponent(id)}`}>other runs of this start</a>
    </>
  )
}

type Part = NonNullable<RunDetail['summary']>['parts'][number]
const thingsOf = ({ summary }: RunDetail): Part[] => [
  ...new Map(
    summary?.parts.flatMap((part) => (part.ref && !part.unnamed ? [[part.ref.kind + part.ref.id, part] as const] : [])),
  ).values(),
]

/** The things at the provider that the run is about, by name, with links where they have a page. */
const Touched = ({ run }: { run: RunDetail }) => (
  <ul class="touched">
    {thingsOf(run).map(({ text, ref }) => (
      <li key={ref!.kind + ref!.id}>
        {ref!.url === undefined ? text : <OutsideLink href={ref!.url}>{text}</OutsideLink>}{' '}
        <span class="muted">{ref!.kind}</span>
      </li>
    ))}
  </ul>
)

const waitsOf = ({ waitedMs, refused }: RunDetail) =>
  (waitedMs > 0 || refused > 0) &&
  [
    waitedMs > 0 && `${formatDuration(waitedMs)} for rate limits and between attempts`,
    refused > 0 && `refused ${plural(refused, 'time')} because the rate limit was used up`,
  ]
    .filter(Boolean)
    .join('; ')

export const About = ({ run }: { run: RunDetail }) => {
  const { connection, startId, parentId, jobId, token, person, integration, step } = run
  const { data } = useApi<Connection>(connection === null ? undefined : `connections/${encodeURIComponent(connection)}`)
  const nameOfToken = useNames()
  const tokenName = token === null ? undefined : nameOfToken(token)
  return (
    <Facts
      facts={[
        [
          'Step',
          <>
            {stepOf(integration, step) ? (
              <a href={pathTo('steps', integration, step)}>{stepTitle(integration, step)}</a>
            ) : (
              stepTitle(integration, step)
            )}
            , {integrationTitle(integration)}
          </>,
        ],
        ['Began', <Time at={run.createdAt} />],
        [isUnderWay(run) ? 'Running for' : 'Took', formatDuration(run.durationMs)],
        ['Waited', waitsOf(run)],
        ['Cost', creditsOf(run) === undefined ? 'Nothing' : `${creditsOf(run)} credits`],
        ['Touched', thingsOf(run).length > 0 && <Touched run={run} />],
        [
          'Connection',
          connection && (
            <a href={pathTo('connections', connection)}>{data ? titleOf(data) : 'A connection that is gone'}</a>
          ),
        ],
        ['Person', person],
        [
          'Token',
          token && (tokenName === undefined || tokenName === token ? 'One that is not listed to you' : tokenName),
        ],
        ['Started by', startId && <StartLink id={startId} />],
        ['Job', jobId && <a href={pathTo('jobs', jobId)}>The job that looked up this row</a>],
        ['Part of', parentId && <a href={pathTo('runs', parentId)}>A lookup at several providers</a>],
      ]}
    />
  )
}

/** The ids of a run and of what it names, to copy. */
export const Details = ({ run }: { run: RunDetail }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="panel" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Details</summary>
      {isOpen && (
        <Facts
          facts={[
            ['Run', <CopiedId id={run.id} />],
            ['Connection', run.connection && <CopiedId id={run.connection} />],
            ['Token', run.token && <CopiedId id={run.token} />],
            ['Start', run.startId && <CopiedId id={run.startId} />],
            ...thingsOf(run).map(({ text, ref }): [string, preact.ComponentChildren] => [
              text,
              <CopiedId id={ref!.id} />,
            ]),
          ]}
        />
      )}
    </details>
  )
}
