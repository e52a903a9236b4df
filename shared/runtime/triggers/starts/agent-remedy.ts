import { isAccepted } from './retry-schedule.ts'
import type { AgentReply } from './signed-post.ts'

/** What to do about a status; the first range that contains it applies. */
const remedies: [from: number, to: number, remedy: string][] = [
  [300, 399, 'Redirects are not followed: give the final address.'],
  [401, 403, 'Check that the agent verifies the signature with the secret of its subscription.'],
  [404, 405, 'No agent takes a POST at this address: correct the address.'],
  [410, 410, 'The agent wants no more starts: give another address, or remove the subscription.'],
  [429, 429, 'It is sent again later: let the agent take more starts, or answer before it works on them.'],
  [400, 499, 'See the log of the agent for why it does not take the start, and repair it.'],
  [500, 599, 'See the log of the agent, and repair it.'],
]
const anyStatus = 'Let the agent answer 2xx once it has the start.'
const noAnswer = 'Check that the agent is running and that its address is right.'
const callback = 'Repair the onStart callback.'

/**
 * Describes a reply that does not accept a start, and what to do about it; undefined for one that accepts it. Of what
 * an agent answered it contains only the status: a reader of it may not be allowed to read answers.
 */
export const refusalOf = (reply: AgentReply, url: string | null): { answer: string; remedy: string } | undefined => {
  if (isAccepted(reply)) return undefined
  const { status, message } = reply
  if (status === null) {
    const answer = message ?? 'The agent did not answer.'
    return url === null ? { answer: `onStart: ${answer}`, remedy: callback } : { answer, remedy: noAnswer }
  }
  const remedyRange = remedies.find(([from, to]) => status >= from && status <= to)
  return { answer: `The agent answered ${status}.`, remedy: remedyRange?.[2] ?? anyStatus }
}
