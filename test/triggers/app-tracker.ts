/** A tracker whose one webhook serves a whole app: each delivery names the account that it is for. */
import { createHmac } from 'node:crypto'
import type { Event, Json } from '#kit'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { openTracker, readFact } from './tracker.ts'
import { connectionRow, tenant } from './world.ts'

export const secret = 'the secret of the app'

type Options = {
  /** Whose app a tenant uses; '' for the operator's. */
  ownerOf?(tenant: string): string
  store?: Store
}
type Sent = { key?: string; /** Whose address it is sent to. */ to?: string }

const withAccount = (event: Event, account: string | undefined): Event => ({
  ...event,
  ...(account === undefined ? {} : { account }),
})

export const openAppTracker = async ({ ownerOf, store }: Options = {}) => {
  const tracker = await openTracker(
    (integration) => ({
      ...integration,
      connections: [
        ...integration.connections,
        { ...integration.connections[0]!, id: 'own-address', baseUrl: { from: 'key' } },
      ],
      wire: { ...integration.wire, signature: { ...integration.wire.signature!, secret: 'app' } },
      webhooks: {
        retries: [],
        registration: 'app',
        webhookOnly: ['seen'],
        history: integration.webhooks!.history,
        decodeStored: integration.webhooks!.decodeStored,
        decode: ({ body, model }) => {
          const { account, fact, facts = [{ account, fact }] } = body as AppBody
          const events = facts.flatMap((each) =>
            readFact(each.fact!, 'webhook', model).events.map((event) => withAccount(event, each.account)),
          )
          return { events }
        },
      },
    }),
    { appSecret: secret, ...(ownerOf ? { ownerOf } : {}), ...(store ? { store } : {}) },
  )
  const connect = async (id: string, accountId: string | null, over: Parameters<typeof connectionRow>[1] = {}) => {
    await tracker.store.connections.add(
      connectionRow(tracker.vault, { id, integration: 'tracker', accountId, ...over }),
    )
  }
  const hooksOf = async (of = tenant) => (await tracker.triggers.hooks.list({ tenant: of }, { limit: 10 })).items
  /** Sends without any round of background work. */
  const post = async (body: AppBody, { key = secret, to = tenant }: Sent = {}) => {
    const bytes = Buffer.from(JSON.stringify(body))
    const hookId = (await hooksOf(to))[0]!.callbackUrl.split('/').at(-1)!
    const signature = `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}`
    const headers = { 'content-type': 'application/json', 'x-tracker-signature': signature }
    const receipt = await tracker.triggers.receive({
      integration: 'tracker',
      hookId,
      method: 'POST',
      headers,
      body: bytes,
    })
    return receipt.status
  }
  const send = async (body: AppBody, sent: Sent = {}) => {
    const status = await post(body, sent)
    await tracker.triggers.ticks.aside()
    await tracker.settle()
    return status
  }
  const subscribe = (connection: string, of = tenant) =>
    tracker.triggers.subscriptions.create(
      { tenant: of },
      { integration: 'tracker', trigger: 'opened', connection, config: { repo: '7' } },
    )
  const undecodable = async () =>
    (await tracker.store.undecodable.list(tenant, { limit: 10 })).items.map(({ reason }) => reason)
  const startedFor = () => tracker.called.map(({ data }) => data.connection).sort()
  const waiting = async () => (await tracker.triggers.counts()).unclaimedEvents
  // A method, since the tracker replaces its triggers at a restart.
  return Object.assign(tracker, {
    connect,
    hooksOf,
    post,
    send,
    subscribeTo: subscribe,
    undecodable,
    startedFor,
    waiting,
  })
}
export type AppBody = { account?: string; fact?: Json; facts?: { account?: string; fact?: Json }[] }
export type AppTracker = Awaited<ReturnType<typeof openAppTracker>>
