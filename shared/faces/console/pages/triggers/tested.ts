import type { AgentTested } from '../../../../api/resources/agent.ts'

/** What a test of an agent says, in a sentence or two. */
export const saidOf = ({ status, message, remedy, durationMs }: AgentTested): string => {
  const answer =
    status === null ? (message ?? 'There was no answer.') : `The agent answered ${status} in ${durationMs} ms.`
  return remedy === null ? answer : `${answer} ${remedy}`
}
