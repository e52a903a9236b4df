import { visibleJson } from '#kit'
import type { Json } from '#kit'
import type { NotificationType, Start } from '../../ports/index.ts'
import { isUsable } from '../connection-cache.ts'
import type { TriggerParts } from '../parts.ts'
import { notificationsOwner } from './notification.ts'
import type { PlatformNotification } from './notification.ts'
import { createSignedPost, describeFailedPost, signingSecrets } from './signed-post.ts'
import type { AgentReply } from './signed-post.ts'

type PlatformCallerDependencies = Pick<
  TriggerParts,
  'store' | 'vault' | 'wire' | 'clock' | 'agentAnswers' | 'onNotification'
>
type Data = PlatformNotification['data'] & { connection?: string; subscription?: string }

/** Sends a notification; undefined when there is no target, or when what it reports is over. Never throws. */
export const createPlatformCaller = (parts: PlatformCallerDependencies) => {
  const { store, vault, clock, onNotification } = parts
  const post = createSignedPost(parts)

  /** Whether the reported problem is over: a notification may have waited until the end of a window. */
  const isOver = async (
    { tenant, trigger }: Start,
    { since, connection = '', subscription = '' }: Data,
  ): Promise<boolean> => {
    if (since === undefined) return false
    if (trigger === 'connection.needs_reconnect') {
      const row = await store.connections.get(tenant, connection)
      return !row || isUsable(row)
    }
    if (trigger !== 'subscription.unhealthy') return false
    const row = await store.subscriptions.get(tenant, subscription)
    return !row || (row.state === 'active' && row.stateReason === null)
  }

  const send = async (start: Start): Promise<AgentReply | undefined> => {
    const target = await store.notifications.get(start.tenant)
    const data = { ...(start.data as unknown as Data), id: start.id, tenant: start.tenant }
    if (!target || start.data === null || (await isOver(start, data))) return undefined
    const timestamp = new Date(start.eventAt).toISOString()
    const body: PlatformNotification = {
      type: start.trigger as NotificationType,
      timestamp,
      data: visibleJson(data as Json) as PlatformNotification['data'],
    }
    if (target.url === null) {
      if (!onNotification) return { status: null, message: 'There is no onNotification callback in this process.' }
      await onNotification(body)
      return { status: 200, message: null }
    }
    const secrets = signingSecrets(vault, target, notificationsOwner, clock.now())
    return post({ url: target.url, secrets, id: start.id, text: JSON.stringify(body) })
  }

  return (start: Start): Promise<AgentReply | undefined> =>
    send(start).catch((thrown: unknown) => describeFailedPost(thrown))
}
export type CallPlatform = ReturnType<typeof createPlatformCaller>
