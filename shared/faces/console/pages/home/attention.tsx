import type { ComponentChildren } from 'preact'
import { integrationTitle, may, pathTo, stepTitle, triggerTitle } from '../../api/index.ts'
import { agentTitle } from '../agents/words.tsx'
import { stateTexts } from '../connections/state.tsx'
import { Resume } from '../triggers/resume.tsx'
import { reasonOf } from '../triggers/words.tsx'
import { ButtonLink, Sentence, Time } from '../../ui/index.ts'
import type { Overview } from './use-overview.ts'

type Item = { key: string; says: ComponentChildren; button: ComponentChildren }

type Attended = Pick<Overview, 'connections' | 'hooks' | 'unhealthy' | 'dead' | 'approvals' | 'reload'>

const ofApprovals = ({ approvals }: Attended): Item[] =>
  approvals.map(({ id, integration, step }) => ({
    key: id,
    says: (
      <>
        A run of <b>{stepTitle(integration, step)}</b> waits for a decision.
      </>
    ),
    button: <ButtonLink to={['approvals', id]}>Decide</ButtonLink>,
  }))

const ofConnections = ({ connections }: Attended): Item[] =>
  connections
    .filter(({ state }) => state !== 'connected' && state !== 'unverified')
    .map(({ id, name, state }) => ({
      key: id,
      says: (
        <>
          The account <b>{name}</b> does not work. {stateTexts[state].todo}
        </>
      ),
      button: <ButtonLink to={['connections', id]}>Open the connection</ButtonLink>,
    }))

const ofHooks = ({ hooks }: Attended): Item[] =>
  hooks
    .filter(({ state }) => state === 'failing' || state === 'broken')
    .map(({ id, integration, connection, stateReason }) => ({
      key: id,
      says: (
        <>
          Deliveries of <b>{integrationTitle(integration)}</b> do not arrive.{' '}
          {stateReason ?? 'Missed events are read from the provider’s history.'}
        </>
      ),
      button: <ButtonLink to={['connections', connection]}>Open the connection</ButtonLink>,
    }))

const ofSubscriptions = ({ unhealthy, reload }: Attended): Item[] =>
  unhealthy.map((subscription) => {
    const { id, state, stateAt, agent } = subscription
    const link = (
      <a href={pathTo('subscriptions', id)}>
        <Sentence of={subscription.summary} otherwise={triggerTitle(subscription)} />
      </a>
    )
    const isOfAgent = state === 'failing' || state === 'paused_agent'
    return {
      key: id,
      says: (
        <>
          {isOfAgent ? (
            <>
              The agent <b>{agentTitle(agent)}</b> {state === 'failing' ? 'refuses starts' : 'is switched off'} since{' '}
              <Time at={stateAt} />.
            </>
          ) : (
            'A trigger has nothing to watch.'
          )}{' '}
          {reasonOf(subscription)} {link}
        </>
      ),
      button:
        state === 'paused_agent' && may('subscriptions') ? (
          <Resume subscription={subscription} onResumed={reload} />
        ) : (
          <ButtonLink to={['subscriptions', id]}>{isOfAgent ? 'Test it' : 'Open the trigger'}</ButtonLink>
        ),
    }
  })

const ofDead = ({ dead }: Attended): Item[] =>
  dead.map((start) => ({
    key: start.id,
    says: (
      <>
        A start was given up <Time at={start.endedAt ?? start.createdAt} relative />:{' '}
        <Sentence of={start.summary} otherwise={triggerTitle(start)} />.{' '}
        {start.answer?.status ? `Its agent answered ${start.answer.status}.` : 'Its agent did not answer.'}
      </>
    ),
    button: <ButtonLink to={['starts', start.id]}>Replay it</ButtonLink>,
  }))

/** The most fundamental problem first. */
export const itemsOf = (overview: Attended): Item[] => [
  ...ofConnections(overview),
  ...ofHooks(overview),
  ...ofSubscriptions(overview),
  ...ofDead(overview),
  ...ofApprovals(overview),
]

export const needsAttention = (overview: Overview) => itemsOf(overview).length > 0

export const Attention = ({ overview }: { overview: Overview }) => {
  const items = itemsOf(overview)
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {items.length === 0 ? (
        <p class="muted">Nothing: connections, webhooks and agents work, and there are no dead letters.</p>
      ) : (
        <ul class="attention">
          {items.map(({ key, says, button }) => (
            <li key={key}>
              <p>{says}</p>
              {button}
            </li>
          ))}
        </ul>
      )}
      {overview.dead.length > 0 && (
        <p>
          <a href={`${pathTo('starts')}?state=dead`}>All dead letters</a>
        </p>
      )}
    </section>
  )
}
