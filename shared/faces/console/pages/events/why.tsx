/** Every subscription of an event's connection: what the event started, and why it did not start the others. */
import type { ComponentChildren } from 'preact'
import type { EventDetail } from '../../../../api/resources/event.ts'
import type { Subscription } from '../../../../api/resources/subscription.ts'
import { call, may, pathTo, triggerOf, triggerTitle } from '../../api/index.ts'
import { badgeOf, ButtonLink, ConfirmButton, DialogButton, Panel, Sentence } from '../../ui/index.ts'
import { AgentLink } from '../agents/words.tsx'
import { EditDialog } from '../triggers/edit.tsx'
import { Resume } from '../triggers/resume.tsx'
import { StartBadge } from './words.tsx'

type Verdict = EventDetail['subscriptions'][number]
type Start = EventDetail['starts'][number]
type Reload = () => void

const VerdictBadge = badgeOf({
  true: { title: 'started', tone: 'good' },
  false: { title: 'not started', tone: 'neutral' },
  unknown: { title: 'not known', tone: 'warn' },
})

const titleOfField = (subscription: Subscription, name: string) =>
  triggerOf(subscription.integration, subscription.trigger)?.layout.fields.find((field) => field.name === name)
    ?.title ?? name

const quoted = (subscription: Subscription, fields: readonly string[]) =>
  fields.map((field) => `“${titleOfField(subscription, field)}”`).join(' and ')

/** Why an event did not start a subscription, in a sentence. The API's own reason may contain ids. */
export const whySentence = (
  { why, fields, reason }: Pick<Verdict, 'why' | 'fields' | 'reason'>,
  subscription: Subscription,
): string => {
  const title = triggerTitle(subscription)
  const filters = fields.length > 0 ? quoted(subscription, fields) : 'its settings'
  switch (why) {
    case 'type':
      return `“${title}” does not look for events of this kind.`
    case 'model':
      return `It watches something else: ${filters} does not include where this happened.`
    case 'config':
      return fields.length > 0
        ? `Its filter ${filters} does not let this event through.`
        : `“${title}” starts nothing for an event like this one.`
    case 'polled':
      return 'It does not use deliveries: its events are found by polling.'
    case 'paused':
      return subscription.state === 'paused'
        ? 'It is paused.'
        : 'It was paused when this happened, and was resumed later.'
    case 'before_start':
      return 'It was attached after this happened.'
    case 'own_event':
      return 'A run of ours caused the event, and our own changes do not start it.'
    case 'started':
      return 'Another event with the same key had started its agent.'
    case 'changed':
      return 'As it is now it would start: it, or what it depends on, has changed since the event arrived.'
    default:
      return reason ?? ''
  }
}

const EditFilter = ({ subscription, reload }: { subscription: Subscription; reload: Reload }) => {
  const trigger = triggerOf(subscription.integration, subscription.trigger)
  return trigger ? (
    <p class="row">
      <DialogButton label="Edit the filter">
        {(close) => <EditDialog subscription={subscription} trigger={trigger} onClose={close} onSaved={reload} />}
      </DialogButton>
    </p>
  ) : null
}

const OwnEvents = ({ subscription: { id, options }, reload }: { subscription: Subscription; reload: Reload }) => (
  <p class="row">
    <ConfirmButton
      label="Start it for our own changes too"
      danger={false}
      act={async () => {
        await call('PATCH', `subscriptions/${encodeURIComponent(id)}`, {
          body: { options: { ...options, ownEvents: true } },
        })
        reload()
      }}
    >
      <p>From now on, changes that our runs make start it like those of people. A chain ends after three starts.</p>
    </ConfirmButton>
  </p>
)

/** What to do so that the next event starts it, or this one does. */
const Remedy = ({
  verdict,
  subscription,
  reload,
}: {
  verdict: Verdict
  subscription: Subscription
  reload: Reload
}) => {
  if (!may('subscriptions')) return null
  switch (verdict.why) {
    case 'paused':
      return <Resume subscription={subscription} onResumed={reload} />
    case 'model':
    case 'config':
      return <EditFilter subscription={subscription} reload={reload} />
    case 'own_event':
      return subscription.options.ownEvents === true ? null : <OwnEvents subscription={subscription} reload={reload} />
    case 'before_start':
    case 'changed':
      return <p class="muted">To start it for this event now, replay the event.</p>
    default:
      return null
  }
}

const Item = ({
  verdict,
  subscription,
  start,
  reload,
}: {
  verdict: Verdict
  subscription: Subscription | undefined
  start: Start | undefined
  reload: Reload
}) => (
  <li>
    <p class="row">
      <VerdictBadge state={`${verdict.starts}`} />
      {subscription && (
        <>
          <a href={pathTo('subscriptions', subscription.id)}>
            <Sentence of={subscription.summary} otherwise={triggerTitle(subscription)} />
          </a>
          <span class="muted">
            starts <AgentLink agent={subscription.agent} />
          </span>
        </>
      )}
    </p>
    {verdict.starts === true && start ? (
      <p>
        <a href={pathTo('starts', start.id)}>View the start</a> <StartBadge state={start.state} /> {verdict.reason}
      </p>
    ) : (
      subscription && (
        <>
          <p>
            {whySentence(verdict, subscription)}{' '}
            {verdict.start !== null && <a href={pathTo('starts', verdict.start)}>View that start</a>}
          </p>
          <Remedy verdict={verdict} subscription={subscription} reload={reload} />
        </>
      )
    )}
  </li>
)

const Nothing = ({ children }: { children: ComponentChildren }) => (
  <>
    <p>{children}</p>
    <p class="row">
      <ButtonLink to={['triggers']}>Attach a trigger</ButtonLink>
    </p>
  </>
)

export const Why = ({
  event: { subscriptions, moreSubscriptions, starts, integration, connection },
  find,
  reload,
}: {
  event: EventDetail
  find(id: string): Subscription | undefined
  reload: Reload
}) => (
  <Panel title="What it started, and why not">
    {subscriptions.length === 0 ? (
      <Nothing>Nothing: no trigger is attached to this connection.</Nothing>
    ) : (
      <ul class="why">
        {subscriptions.map((verdict) => (
          <Item
            key={verdict.subscription}
            verdict={verdict}
            subscription={find(verdict.subscription)}
            start={starts.find(({ id }) => id === verdict.start)}
            reload={reload}
          />
        ))}
      </ul>
    )}
    {moreSubscriptions > 0 && <p class="muted">{moreSubscriptions} more triggers are attached to this connection.</p>}
    <p>
      Did something happen that is not among the events?{' '}
      <a
        href={`${pathTo('events', 'paste')}?integration=${encodeURIComponent(integration)}&connection=${encodeURIComponent(connection)}`}
      >
        Paste a delivery
      </a>{' '}
      to see what it would start.
    </p>
  </Panel>
)
