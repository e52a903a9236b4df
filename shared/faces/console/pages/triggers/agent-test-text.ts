import type { AgentTested } from '../../../../api/resources/agent.ts'

/** The result of an agent test, in one or two sentences. */
export const agentTestText = ({ status, message, remedy, durationMs }: AgentTested): string => {
  const answer =
    status === null ? (message ?? 'There was no answer.') : `The agent answered ${status} in ${durationMs} ms.`
  return remedy === null ? answer : `${answer} ${remedy}`
}
