/** The subscriptions of the stories, and the account that two of them connect themselves. */
import { setTimeout as wait } from 'node:timers/promises'
import { agentSecret } from '../nodes/agent.ts'
import { must } from '../nodes/place.ts'
import { attached } from '../support/board-events.ts'

export const subscribe = (origin: string, trigger: string, boards: string[], url: string) =>
  must(origin, '/v1/subscriptions', {
    body: { integration: 'work-board', trigger, config: { boards }, agent: { url, secret: agentSecret } },
  })

/** Subscribes an agent to every kind of event that the stories have. */
export const subscribeToAll = async (origin: string, boards: string[], agentOrigin: string): Promise<void> => {
  for (const { path, trigger } of attached) await subscribe(origin, trigger, boards, agentOrigin + path)
  // Ids of actions count in seconds.
  await wait(1_100)
}

type Credentials = { key: string; token: string; appSecret: string }

/** Connects the account of a board with its app, and subscribes an agent. */
export const attach = async (
  { board, agent, origin }: { board: { credentials: Credentials }; agent: { origin: string }; origin: string },
  boards: string[],
): Promise<void> => {
  const { key, token, appSecret } = board.credentials
  await must(origin, '/v1/apps/work-board', { method: 'PUT', body: { key, secret: appSecret } })
  await must(origin, '/v1/connections', {
    body: { integration: 'work-board', type: 'key-token', name: 'Board', secrets: { key, token } },
  })
  await subscribeToAll(origin, boards, agent.origin)
}
