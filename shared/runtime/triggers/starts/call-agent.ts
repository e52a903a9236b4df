import { describeDefect, isFailure } from '#kit'
import type { Json, WebhookSource } from '#kit'
import type { Start, Subscription } from '../../ports/index.ts'
import type { TriggerParts } from '../parts.ts'
import type { Wording } from '../../sentences/worded.ts'
import type { ProviderSessions } from '../provider-session.ts'
import { readEvent } from '../stored-events.ts'
import { agentStart } from './agent-call.ts'
import type { AgentStart, SettledSubject } from './agent-call.ts'
import { createSignedPost, describeFailedPost, signingSecrets } from './signed-post.ts'
import type { AgentReply } from './signed-post.ts'

type AgentCallerDependencies = Pick<
  TriggerParts,
  'registry' | 'store' | 'vault' | 'wire' | 'clock' | 'log' | 'onStart' | 'agentAnswers'
> & {
  sessions: ProviderSessions
  wording: Pick<Wording, 'text'>
}

/** Calls an agent with one start, by HTTP or by the callback of the library. Never throws. */
export const createAgentCaller = (parts: AgentCallerDependencies) => {
  const { registry, store, vault, clock, log, sessions, wording, onStart } = parts
  const post = createSignedPost(parts)

  /** The subject as it is now, under its kind; empty when the integration cannot read it. */
  const subjectNow = async ({
    tenant,
    connection,
    integration,
    event: id,
  }: Start): Promise<{ [kind: string]: Json }> => {
    const source: WebhookSource = registry.integration(integration).integration.webhooks!
    const row = await store.events.get(tenant, connection, id)
    const event = row && readEvent(source, row)
    if (!event?.subject || !source.current) return {}
    const { value } = await sessions.use({ tenant, connection, integration }, 'read', (ctx) =>
      source.current!(ctx, event),
    )
    return { [event.subject.kind]: value }
  }

  /** The later events that joined the settle period, and the subject as it is now. */
  const settle = async (start: Start): Promise<SettledSubject> => {
    const events = await store.starts.merged(start)
    try {
      return { events, ...(await subjectNow(start)) }
    } catch (thrown) {
      // The agent can read the subject itself; a start must not wait for the provider.
      log('warn', 'start.subject_not_read', {
        start: start.id,
        reason: isFailure(thrown) ? thrown.code : describeDefect(thrown).message,
      })
      return { events }
    }
  }

  /** The secrets of each row that was read: many starts may share one, and opening secrets costs more than signing. */
  const opened = new WeakMap<Subscription, string[]>()

  const call = async (start: Start, subscription: Subscription, body: AgentStart): Promise<AgentReply> => {
    const { url } = subscription.agent
    if (url === null) {
      if (!onStart) return { status: null, message: 'There is no onStart callback in this process.' }
      await onStart(body)
      return { status: 200, message: null }
    }
    const secrets = opened.get(subscription) ?? signingSecrets(vault, subscription, subscription.id, clock.now())
    opened.set(subscription, secrets)
    return post({ url, secrets, id: start.id, text: JSON.stringify(body), timeoutMs: subscription.options.timeoutMs })
  }

  return async (start: Start, subscription: Subscription): Promise<AgentReply> => {
    try {
      const settled = start.settleMs === null || start.subject === null ? undefined : await settle(start)
      return await call(start, subscription, agentStart(start, subscription, settled, await wording.text(start)))
    } catch (thrown) {
      return describeFailedPost(thrown)
    }
  }
}
export type CallAgent = ReturnType<typeof createAgentCaller>
