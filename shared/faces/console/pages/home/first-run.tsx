/** The shortest way to a first success. A stage counts as done when the API's data shows it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { manifests, pathTo, server, triggerOf } from '../../api/index.ts'
import { badgeOf, ButtonLink, OutsideLink } from '../../ui/index.ts'
import { AttachTrigger } from './attach-trigger.tsx'
import { firstStep, firstTriggers, isUsable, placeOf } from './choose.ts'
import type { Place } from './choose.ts'
import { LatestStarts } from './latest.tsx'
import { RunStep } from './run-step.tsx'
import type { Overview } from './use-overview.ts'

/** `stays`: the body remains visible when the stage is done. */
type Stage = { title: string; isDone: boolean; stays?: boolean; said: ComponentChildren; body(): ComponentChildren }

const NoStep = ({ connections }: Pick<Overview, 'connections'>) =>
  connections.some(isUsable) ? (
    <p>
      Every step for your connections needs input. <a href={pathTo('steps')}>Choose a step</a>
    </p>
  ) : (
    <p>
      No connection works at the moment. <a href={pathTo('connections')}>View connections</a>
    </p>
  )

const PlaceLink = ({ place: { page, title } }: { place: Place }) => (
  <OutsideLink href={page!}>Open “{title}” in another window</OutsideLink>
)

const stagesOf = (overview: Overview, hasRunHere: boolean, ran: () => void): Stage[] => {
  const { connections, subscriptions, starts } = overview
  const { places = [], agent = null } = server.value?.sandbox ?? {}
  const step = firstStep(manifests.value, places, connections)
  const triggers = firstTriggers(manifests.value, places, connections)
  const attachedPlace = placeOf(subscriptions, places)
  const newest = attachedPlace?.subscription ?? subscriptions[0]
  const trigger = newest && triggerOf(newest.integration, newest.trigger)
  return [
    ...(server.value?.sandbox
      ? []
      : [
          {
            title: 'Connect an account',
            isDone: connections.length > 0,
            said: `${connections.length} connected`,
            body: () => (
              <p class="row">
                <ButtonLink to={['connections']}>Connect an account</ButtonLink>
                Agents never see its secrets.
              </p>
            ),
          },
        ]),
    {
      title: 'Run a step',
      isDone: overview.hasRun,
      stays: hasRunHere,
      said: <a href={pathTo('runs')}>Runs</a>,
      body: () => (step ? <RunStep chosen={step} ran={ran} /> : <NoStep connections={connections} />),
    },
    {
      title: 'Attach a trigger to an agent',
      isDone: subscriptions.length > 0,
      said: newest && <a href={pathTo('subscriptions', newest.id)}>{trigger?.title ?? newest.trigger} is attached</a>,
      body: () =>
        agent !== null && triggers.length > 0 ? (
          <AttachTrigger triggers={triggers} agent={agent} attached={overview.attached} />
        ) : (
          <p>
            A trigger starts your agent when something happens.{' '}
            <ButtonLink to={['triggers']}>Choose a trigger</ButtonLink>
          </p>
        ),
    },
    {
      title: 'Make something happen',
      isDone: overview.hasEvent,
      said: <a href={pathTo('events')}>Events</a>,
      body: () => (
        <>
          {trigger && (
            <p>
              {trigger.title}: {trigger.purpose}
            </p>
          )}
          <p>{attachedPlace ? <PlaceLink place={attachedPlace.place} /> : 'Make the change at the provider.'}</p>
        </>
      ),
    },
    {
      title: 'See the agent start',
      isDone: overview.hasStart,
      said: 'The agent has accepted a start.',
      body: () => (
        <>
          <p role="status">
            {starts.length > 0
              ? 'A start is on its way.'
              : 'The start appears here automatically. Changes made by your own runs do not start agents.'}
          </p>
          {attachedPlace && starts.length === 0 && (
            <p>
              <PlaceLink place={attachedPlace.place} />
            </p>
          )}
        </>
      ),
    },
  ]
}

const StageBadge = badgeOf({
  done: { title: 'Done', tone: 'good' },
  next: { title: 'Next', tone: 'info' },
  later: { title: 'Later', tone: 'neutral' },
})

export const FirstRun = ({ overview }: { overview: Overview }) => {
  const [hasRunHere, setRunHere] = useState(false)
  const stages = stagesOf(overview, hasRunHere, () => {
    setRunHere(true)
    overview.ran()
  })
  const next = stages.findIndex(({ isDone }) => !isDone)
  const list = useRef<HTMLOListElement>(null)
  const before = useRef(next)
  useEffect(() => {
    if (before.current === next) return
    before.current = next
    // The element that had the focus may have disappeared with the finished stage.
    if (document.activeElement === document.body)
      list.current?.querySelectorAll('h3')[next < 0 ? stages.length - 1 : next]?.focus()
  }, [next])
  return (
    <section class="panel" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <ol class="stages" ref={list}>
        {stages.map(({ title, isDone, stays, said, body }, index) => (
          <li key={title} aria-current={index === next ? 'step' : undefined}>
            <h3 tabIndex={-1}>
              {title} <StageBadge state={isDone ? 'done' : index === next ? 'next' : 'later'} />
            </h3>
            {isDone && <p>{said}</p>}
            {(isDone ? stays : index === next) && body()}
          </li>
        ))}
      </ol>
      {overview.starts.length > 0 && <LatestStarts starts={overview.starts} />}
      {next < 0 && (
        <p class="row">
          <strong>That is all it takes.</strong> <a href={pathTo('agents')}>Build an agent of your own</a>{' '}
          <a href={pathTo('steps')}>All steps</a> <a href={pathTo('triggers')}>All triggers</a>
        </p>
      )}
    </section>
  )
}
