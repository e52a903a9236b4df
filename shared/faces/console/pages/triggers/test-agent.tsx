/** Calls an address once, to check that an agent accepts starts there. */
import { useEffect, useState } from 'preact/hooks'
import type { AgentTested } from '../../../../api/resources/agent.ts'
import { post, useAction } from '../../api/index.ts'
import { Badge, Button, ProblemBox } from '../../ui/index.ts'
import { agentTestText } from './agent-test-text.ts'

/** `body`: an address that is not attached yet, or a subscription. */
export const TestAgent = ({
  body,
  disabled = false,
  now = false,
}: {
  body: { url: string } | { subscription: string }
  disabled?: boolean
  /** Tests at once, without being asked. */
  now?: boolean
}) => {
  const [tested, setTested] = useState<AgentTested>()
  const testing = useAction(async () => {
    setTested(undefined)
    setTested(await post<AgentTested>('agents/test', body))
  })
  useEffect(() => {
    if (now) void testing.run()
  }, [])
  return (
    <>
      <p class="row">
        <Button action={testing} disabled={disabled}>
          Test the address
        </Button>
        <span role="status">
          {tested && (
            <>
              <Badge tone={tested.ok ? 'good' : 'bad'}>{tested.ok ? 'works' : 'fails'}</Badge> {agentTestText(tested)}
            </>
          )}
        </span>
      </p>
      <ProblemBox problem={testing.problem} />
    </>
  )
}
