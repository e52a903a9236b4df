import type { Subscription } from '../../../../api/resources/subscription.ts'
import { post, useAction } from '../../api/index.ts'
import { Button, ButtonLink, ProblemBox } from '../../ui/index.ts'

/** The button that mends a subscription which does not wait for events, if there is one. */
export const Resume = ({
  subscription: { id, state, connection },
  onResumed,
}: {
  subscription: Pick<Subscription, 'id' | 'state' | 'connection'>
  onResumed(): void
}) => {
  const resuming = useAction(async () => {
    await post(`subscriptions/${encodeURIComponent(id)}/resume`)
    onResumed()
  })
  if (state === 'paused_auth')
    return (
      <p class="row">
        <ButtonLink to={['connections', connection]}>Reconnect the account</ButtonLink>
      </p>
    )
  if (state !== 'paused' && state !== 'paused_agent') return null
  return (
    <>
      <p class="row">
        <Button kind="primary" action={resuming}>
          Resume
        </Button>
      </p>
      <ProblemBox problem={resuming.problem} connection={connection} />
    </>
  )
}
