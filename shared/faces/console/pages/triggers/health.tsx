import type { SubscriptionDetail } from '../../../../api/resources/subscription.ts'
import { Time } from '../../ui/index.ts'
import { reasonOf } from './words.tsx'

/** Whether a subscription is well, in a sentence. */
export const SubscriptionHealth = ({ subscription }: { subscription: SubscriptionDetail }) => {
  const { state, stateAt, stateReason, lastStartAt, hooks } = subscription
  const reason = reasonOf(subscription)
  const since = <Time at={stateAt} />
  const broken = hooks.find((hook) => hook.state === 'failing' || hook.state === 'broken')
  switch (state) {
    case 'active':
      if (broken)
        return (
          <>Its deliveries do not arrive. {broken.stateReason} Missed events are read from the provider’s history.</>
        )
      if (stateReason !== null) return <>{reason}</>
      return lastStartAt === null ? (
        <>Well: it waits for its first event.</>
      ) : (
        <>
          Well: last start <Time at={lastStartAt} relative />.
        </>
      )
    case 'failing':
      return (
        <>
          Its agent refuses starts since {since}: {reason} Send a sample to try it again.
        </>
      )
    case 'paused':
      return <>Paused since {since}. Events start nothing until it is resumed.</>
    case 'paused_agent':
      return (
        <>
          Its agent is switched off since {since}. {reason}
        </>
      )
    default:
      return <>{reason}</>
  }
}
