import { randomUUID } from 'node:crypto'
import { fail, failField } from '#kit'
import type { Caller, Subscription } from '../../ports/index.ts'
import { isUsable } from '../connection-cache.ts'
import type { TriggerParts } from '../parts.ts'
import type { AgentStart } from '../starts/agent-call.ts'
import { refusalOf } from '../starts/agent-remedy.ts'
import { createSignedPost, describeFailedPost, signingSecrets } from '../starts/signed-post.ts'
import type { AgentReply } from '../starts/signed-post.ts'
import { readSecret } from './input.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { AgentTested, NewAgentTest } from '../../../api/resources/agent.ts'

export type { AgentTested, NewAgentTest }

type AgentTestsDependencies = Pick<
  TriggerParts,
  'registry' | 'store' | 'vault' | 'wire' | 'clock' | 'log' | 'agentAnswers' | 'admitSubscription'
> & {
  subscriptions: Pick<Subscriptions, 'mustGet'>
}
type Target = { url: string; secrets: string[]; signedWith: AgentTested['signedWith']; row?: Subscription }

/** Timeout in ms: a person waits for the test, and the agent has nothing to do before it answers. */
const answerMs = 30_000
/** Maximum concurrent tests of a tenant. */
const maxAtOnce = 4
const unknownSecret =
  'The call was signed with a secret made for this test, which the agent does not know. Give its secret, or attach the trigger and test that.'

/** Has the shape of a start, so that an agent can parse it; `type` and `test` tell the two apart. */
const testBody = (id: string, tenant: string, at: number, row: Subscription | undefined): AgentStart => {
  const time = new Date(at).toISOString()
  const { id: subscription = '', trigger = '', connection = '', agent } = row ?? {}
  const of = { tenant, subscription, trigger, agent: agent?.id ?? null, connection }
  const cause = { via: 'webhook', causedByUs: false, depth: 0 } as const
  return {
    type: 'agent.test',
    timestamp: time,
    data: {
      id,
      start: id,
      source: '/agents/test',
      subject: null,
      time,
      ...of,
      ...cause,
      test: true,
      summary: null,
      untrusted: [],
      event: null,
    },
  }
}

/** Calls the address of an agent once, without an event, to check whether it would accept a start. Stores nothing. */
export const createAgentTests = (parts: AgentTestsDependencies) => {
  const { registry, store, vault, wire, clock, log, admitSubscription, subscriptions } = parts
  const post = createSignedPost(parts)
  const running = new Map<string, number>()

  /** A caller that could attach no trigger must not learn which addresses answer. */
  const requireAttachable = async ({ tenant, connections }: Caller) => {
    await admitSubscription?.(tenant)
    if (!connections) return
    for (const id of connections) {
      const row = await store.connections.get(tenant, id)
      const integration = registry.all.find((loaded) => loaded.integration.id === row?.integration)?.integration
      if (row && isUsable(row) && (integration?.triggers ?? []).length > 0) return
    }
    throw fail(
      'not_allowed',
      'This token is bound to accounts to which no trigger can be attached, so it tests no addresses.',
    )
  }

  const ofSubscription = async (caller: Caller, id: string): Promise<Target> => {
    const row = await subscriptions.mustGet(caller, id)
    const { url } = row.agent
    if (url === null)
      throw failField(
        'subscription',
        'The agent of this subscription has no address: its starts go to the onStart callback.',
      )
    return { url, secrets: signingSecrets(vault, row, row.id, clock.now()), signedWith: 'subscription', row }
  }

  const targetOf = async (caller: Caller, { url, secret, subscription }: NewAgentTest): Promise<Target> => {
    if (subscription !== undefined) {
      if (url !== undefined) throw failField('subscription', 'Give either the address ("url") or a subscription.')
      if (secret !== undefined)
        throw failField('secret', 'A subscription is tested with its own secret. Leave "secret" out.')
      return ofSubscription(caller, subscription)
    }
    if (url === undefined) throw failField('url', 'Give the address to test, or the id of a subscription.')
    const testSecret = readSecret(secret, '/secret')
    await requireAttachable(caller)
    return { url, secrets: [testSecret.secret], signedWith: testSecret.isGenerated ? 'made' : 'given' }
  }

  const alone = async <T>(tenant: string, work: () => Promise<T>): Promise<T> => {
    const runningTests = running.get(tenant) ?? 0
    if (runningTests >= maxAtOnce) {
      throw fail(
        'rate_limited',
        `${maxAtOnce} tests of agents are under way, which is the most of a tenant. Repeat when they have ended.`,
        {
          retryAfterMs: 1_000,
        },
      )
    }
    running.set(tenant, runningTests + 1)
    try {
      return await work()
    } finally {
      const left = running.get(tenant)! - 1
      if (left > 0) running.set(tenant, left)
      else running.delete(tenant)
    }
  }

  const remedyOf = ({ signedWith, url }: Target, reply: AgentReply): string | null => {
    const isUnknown = signedWith === 'made' && reply.status !== null && (reply.status === 401 || reply.status === 403)
    return isUnknown ? unknownSecret : (refusalOf(reply, url)?.remedy ?? null)
  }

  /**
   * @throws Failure for an address to which no trigger could be attached, `rate_limited`, `unavailable` when this
   * process ends meanwhile
   */
  return async (caller: Caller, asked: NewAgentTest): Promise<AgentTested> => {
    const { tenant } = caller
    return alone(tenant, async () => {
      const target = await targetOf(caller, asked)
      wire.checkTarget(target.url)
      const id = `test_${randomUUID()}`
      const text = JSON.stringify(testBody(id, tenant, clock.now(), target.row))
      const timeoutMs = Math.min(target.row?.options.timeoutMs ?? answerMs, answerMs)
      const began = clock.monotonic()
      const reply = await post({ url: target.url, secrets: target.secrets, id, text, timeoutMs }).catch(
        describeFailedPost,
      )
      if (reply.isOurs) throw fail('unavailable', reply.message ?? 'This process ends.')
      const { status, message } = reply
      log('info', 'agent.tested', { subscription: target.row?.id ?? null, status })
      const remedy = remedyOf(target, reply)
      return {
        id,
        ok: remedy === null,
        status,
        message,
        remedy,
        signedWith: target.signedWith,
        durationMs: Math.round(clock.monotonic() - began),
      }
    })
  }
}
