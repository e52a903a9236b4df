/** Starts an agent once with sample data, and shows what it answers. */
import { useState } from 'preact/hooks'
import type { StartDetail } from '../../../../api/resources/start.ts'
import { pathTo, post, useAction, useApi, useReloads } from '../../api/index.ts'
import { Badge, Button, ProblemBox } from '../../ui/index.ts'

const isUnderWay = ({ state, answer }: StartDetail) => (state === 'pending' || state === 'leased') && answer === null

const Outcome = ({ start }: { start: StartDetail }) => {
  const { state, answer } = start
  if (isUnderWay(start)) return <>The agent is being called…</>
  if (state === 'done')
    return (
      <>
        <Badge tone="good">taken</Badge> The agent answered {answer?.status} in {Math.round(answer?.durationMs ?? 0)}{' '}
        ms.
      </>
    )
  return (
    <>
      <Badge tone="bad">not taken</Badge>{' '}
      {answer === null
        ? 'The agent was not called.'
        : answer.status === null
          ? (answer.message ?? 'The agent did not answer.')
          : `The agent answered ${answer.status}${answer.message ? `: ${answer.message}` : '.'}`}
    </>
  )
}

/** `onSent`: called once the agent has answered, so that other parts of the page reload. */
export const SendSample = ({
  subscription,
  kind = 'plain',
  label = 'Send a sample',
  onSent = () => {},
}: {
  subscription: string
  kind?: 'primary' | 'plain'
  label?: string
  onSent?(): void
}) => {
  const [sent, setSent] = useState<string>()
  const sending = useAction(async () => {
    setSent(undefined)
    const { start } = await post<{ start: string }>(`subscriptions/${encodeURIComponent(subscription)}/test`)
    setSent(start)
  })
  const loaded = useApi<StartDetail>(sent === undefined ? undefined : `starts/${encodeURIComponent(sent)}`)
  useReloads(loaded, (start) => {
    if (isUnderWay(start)) return true
    onSent()
    return false
  })
  return (
    <>
      <p class="row">
        <Button kind={kind} action={sending}>
          {label}
        </Button>
        <span role="status">
          {sent !== undefined && loaded.data === undefined && 'The agent is being called…'}
          {loaded.data && (
            <>
              <Outcome start={loaded.data} /> <a href={pathTo('starts', loaded.data.id)}>View the start</a>
            </>
          )}
        </span>
      </p>
      <ProblemBox problem={sending.problem ?? loaded.problem} />
    </>
  )
}
