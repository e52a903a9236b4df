/**
 * A provider of signals, in memory: one subscription for each person or company, a secret of the account, deliveries
 * that are repeated three times before their subscription is switched off, and a charge for each signal.
 */
import { isReceipt, signedHeaders } from '../../support/signal-deliveries.ts'
import type { DeliveryReply } from '../../support/signal-deliveries.ts'

const retryMs = [60_000, 120_000, 240_000]
const credits = 1

export type VendorSubscription = {
  id: string
  entityType: string
  entityId: string
  signalTypes: string[]
  url: string
  isActive: boolean
  blockReason: string | null
}
/**
 * `isCharged`: a subscription reported it. `isAcknowledged`: a receipt was given for it, whether or not it was heard.
 */
export type VendorSignal = {
  id: string
  type: string
  entityType: string
  entityId: string
  at: number
  isCharged: boolean
  isAcknowledged: boolean
}
type Queued = { signal: VendorSignal; subscription: VendorSubscription; body: string; dueAt: number; failures: number }
type Asked = { method: string; path: string; query?: Record<string, unknown> | undefined; body?: unknown }
type Item = Pick<VendorSubscription, 'entityType' | 'entityId' | 'signalTypes'>
/** undefined: nobody listens, or it died over the delivery. */
export type Listener = (
  url: string,
  headers: Record<string, string>,
  body: string,
) => Promise<DeliveryReply | undefined>

export const createVendor = (now: () => number, listen: Listener) => {
  let made = 0
  const state = { secret: undefined as string | undefined, isUnheard: false }
  const subscriptions = new Map<string, VendorSubscription>()
  const signals: VendorSignal[] = []
  /** What was delivered, by the id of its signal. */
  const bodies = new Map<string, string>()
  /** Deliveries that failed for good, newest first. */
  const failed: { payloadId: string; subscriptionId: string; deliveredAt: string; error: string }[] = []
  const queue: Queued[] = []

  const renewSecret = () => (state.secret = `whsec_${String((made += 1)).padStart(32, '0')}`)
  const find = (entityType: string, entityId: string) =>
    [...subscriptions.values()].find((row) => row.entityType === entityType && row.entityId === entityId)

  const add = (url: string, { entityType, entityId, signalTypes }: Item) => {
    if (find(entityType, entityId)) return { error: { code: 'DUPLICATE_SUBSCRIPTION', message: 'It exists.' } }
    const id = `sub_${(made += 1)}`
    const subscription = { id, entityType, entityId, signalTypes, url, isActive: true, blockReason: null }
    subscriptions.set(id, subscription)
    return { subscription }
  }
  const remove = (id: string) =>
    subscriptions.delete(id) ? { subscription: { id } } : { error: { code: 'NOT_FOUND', message: 'Unknown.' } }
  const patch = (id: string, changes: Partial<VendorSubscription>) => {
    const subscription = subscriptions.get(id)
    if (!subscription) return { status: 404, body: { message: 'Unknown.' } }
    Object.assign(subscription, changes, changes.isActive ? { blockReason: null } : {})
    return { status: 200, body: subscription }
  }
  const page = (rows: unknown[], { offset = 0, limit = 10 }: Record<string, unknown>) => {
    const end = Number(offset) + Number(limit)
    return { data: rows.slice(Number(offset), end), pagination: { hasMore: end < rows.length } }
  }

  const numbered = (results: object[]) => results.map((result, index) => ({ index, ...result }))

  const answer = async ({ method, path, query = {}, body }: Asked): Promise<{ status: number; body: unknown }> => {
    const [, , kind, id] = path.split('/')
    if (kind === 'account' && method === 'POST') return { status: 200, body: { secret: renewSecret() } }
    if (kind === 'account')
      return state.secret === undefined
        ? { status: 404, body: { message: 'There is none.' } }
        : { status: 200, body: { secret: state.secret } }
    if (method === 'GET') {
      const rows = kind === 'audit-logs' ? failed : [...subscriptions.values()]
      return { status: 200, body: page(rows, query) }
    }
    if (method === 'PATCH') return patch(id!, body as Partial<VendorSubscription>)
    if (id === 'delete')
      return { status: 200, body: { results: numbered((body as { ids: string[] }).ids.map(remove)) } }
    const { defaults, subscriptions: items } = body as { defaults: { url: string }; subscriptions: Item[] }
    return { status: 201, body: { results: numbered(items.map((item) => add(defaults.url, item))) } }
  }

  const attempt = async (queued: Queued): Promise<void> => {
    const { signal, subscription, body } = queued
    const isThere = subscriptions.get(subscription.id) === subscription && subscription.isActive
    if (!isThere || state.secret === undefined) return
    const reply = await listen(subscription.url, signedHeaders(state.secret, body, now()), body)
    const isRight = reply !== undefined && isReceipt(reply, signal.id)
    signal.isAcknowledged ||= isRight
    if (isRight && !state.isUnheard) return
    const wait = retryMs[queued.failures]
    if (wait === undefined) {
      const deliveredAt = new Date(now()).toISOString()
      failed.unshift({ payloadId: signal.id, subscriptionId: subscription.id, deliveredAt, error: 'No receipt' })
      Object.assign(subscription, { isActive: false, blockReason: 'Max retries exceeded' })
    } else queue.push({ ...queued, failures: queued.failures + 1, dueAt: now() + wait })
  }

  return {
    state,
    subscriptions,
    signals,
    bodies,
    queue,
    renewSecret,
    find,
    answer,
    /** Lets a signal happen: charged and delivered where a subscription reports it. */
    happen(entityType: string, entityId: string, type: string): VendorSignal {
      const subscription = find(entityType, entityId)
      const isCharged = subscription?.isActive === true && subscription.signalTypes.includes(type)
      const id = `signal_${(made += 1)}`
      const signal = { id, type, entityType, entityId, at: now(), isCharged, isAcknowledged: false }
      signals.push(signal)
      if (!isCharged) return signal
      const timestamp = new Date(signal.at).toISOString()
      const said = { id, type, entityType, entityId }
      const body = JSON.stringify({
        ...said,
        subscriptionId: subscription.id,
        data: {},
        timestamp,
        billing: { creditsCharged: credits },
      })
      bodies.set(id, body)
      queue.push({ signal, subscription, body, dueAt: now(), failures: 0 })
      return signal
    },
    /** Makes the attempts that are due; gives when the next one is. */
    async pump(order: (due: Queued[]) => Queued[] = (due) => due): Promise<void> {
      const due = order(queue.filter(({ dueAt }) => dueAt <= now()))
      for (const queued of due) {
        queue.splice(queue.indexOf(queued), 1)
        await attempt(queued)
      }
    },
    nextDueAt: () => Math.min(Infinity, ...queue.map(({ dueAt }) => dueAt)),
    /** Sends a copy of what waits, with other headers or another body. */
    deliver: (url: string, headers: Record<string, string>, body: string) => listen(url, headers, body),
  }
}
export type Vendor = ReturnType<typeof createVendor>
