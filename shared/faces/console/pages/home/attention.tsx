import type { ComponentChildren } from 'preact'
import { integrationTitle, pathTo, triggerTitle } from '../../api/index.ts'
import { StateBadge, stateTexts } from '../connections/state.tsx'
import { meaningOf, StateBadge as SubscriptionBadge } from '../triggers/words.tsx'
import { Badge, Time } from '../../ui/index.ts'
import type { Overview } from './use-overview.ts'

type Item = { key: string; what: ComponentChildren; about: ComponentChildren }

export const itemsOf = ({
  connections,
  hooks,
  unhealthy,
  dead,
}: Pick<Overview, 'connections' | 'hooks' | 'unhealthy' | 'dead'>): Item[] => [
  ...connections
    .filter(({ state }) => state !== 'connected' && state !== 'unverified')
    .map(({ id, name, state }) => ({
      key: id,
      what: (
        <>
          <a href={pathTo('connections', id)}>{name}</a> <StateBadge state={state} />
        </>
      ),
      about: stateTexts[state].todo,
    })),
  ...hooks
    .filter(({ state }) => state === 'failing' || state === 'broken')
    .map(({ id, integration, connection, state, stateReason }) => ({
      key: id,
      what: (
        <>
          <a href={pathTo('connections', connection)}>Webhook at {integrationTitle(integration)}</a>{' '}
          <Badge tone="bad">{state}</Badge>
        </>
      ),
      about: stateReason ?? 'Its deliveries do not arrive. Missed events are read from the provider’s history.',
    })),
  ...unhealthy.map(({ id, integration, trigger, state, stateReason }) => ({
    key: id,
    what: (
      <>
        <a href={pathTo('subscriptions', id)}>{triggerTitle({ integration, trigger })}</a>{' '}
        <SubscriptionBadge state={state} />
      </>
    ),
    about: stateReason ?? meaningOf(state),
  })),
  ...dead.map((start) => ({
    key: start.id,
    what: (
      <>
        <a href={pathTo('starts', start.id)}>{triggerTitle(start)}</a> <Badge tone="bad">dead letter</Badge>
      </>
    ),
    about: (
      <>
        Given up <Time at={start.endedAt ?? start.createdAt} relative />
        {start.answer?.message ? `: ${start.answer.message}` : ''}. Replay it when the agent works again.
      </>
    ),
  })),
]

export const needsAttention = (overview: Overview) => itemsOf(overview).length > 0

/** What needs attention, the most fundamental problem first. */
export const Attention = ({ overview }: { overview: Overview }) => {
  const items = itemsOf(overview)
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {items.length === 0 ? (
        <p class="muted">Nothing: connections, webhooks and agents work, and there are no dead letters.</p>
      ) : (
        <ul class="attention">
          {items.map(({ key, what, about }) => (
            <li key={key}>
              <div class="row">{what}</div>
              <p>{about}</p>
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
