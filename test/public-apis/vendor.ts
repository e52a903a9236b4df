/**
 * What a vendor's public documentation says of its API, as a wire profile and the examples that the vendor publishes.
 * Only facts are taken over, and of long examples only a part.
 */
import { defineIntegration, defineStep, defineTrigger, readPage, z } from '#kit'
import type {
  ConnectionType,
  Effect,
  Event,
  FailureCode,
  HookAnswer,
  HookRequest,
  HookWanted,
  Integration,
  Json,
  Model,
  PagingRule,
  ProviderRequest,
  Ref,
  WebhookSource,
  WireProfile,
} from '#kit'

/** An answer of the provider; a text as its body is no JSON. */
export type Reply = { status: number; headers?: Record<string, string>; body: Json }
/** A request as the provider receives it; `url` is path and query. */
export type Sent = { method: string; url: string; headers?: Record<string, string>; body?: string }

export type Fact = { id: string; type: string; at: string; account?: string; actor?: string; subject?: Ref }

/** How a vendor delivers, beside the signature, which its profile has. */
export type Deliveries = {
  registration: 'app' | 'model'
  /** Waits in ms before a failed delivery is repeated. */
  retries: number[]
  /** What a trigger watches. */
  watched: Model
  /** The facts in the body of one delivery. */
  itemsOf(body: any, headers: { readonly [name: string]: string | undefined }): Json[]
  read(item: any): Fact
  /** The request that makes a hook, and its id in the answer. */
  register?: { request(hook: HookWanted): ProviderRequest; reply: Reply; idOf(reply: any): string }
  respond?(request: HookRequest): HookAnswer | undefined
}

/** One delivery. `headers` of what is sent to `url`, by the documented rule, where the vendor publishes no signature. */
export type Delivery = {
  now: string
  /** Secret of the app, where that signs. */
  secret?: string
  body: string
  headers(signed: { body: string; url: string; secret: string }): Record<string, string>
  events: Pick<Fact, 'id' | 'type'>[]
}

/** A signature that the vendor publishes together with secret and body. */
export type Vector = { secret: string; now?: string; body: string; headers: Record<string, string> }

export type Vendor = {
  id: string
  title: string
  kind: 'mail' | 'calendar' | 'CRM' | 'tickets' | 'payments' | 'storage' | 'chat' | 'source control' | 'forms'
  /** The page of the vendor's documentation that each example is from. Comments say where an example is not. */
  sources: { request: string; paging: string; errors: string; limits: string; webhooks: string }
  secrets: Record<string, string>
  baseUrl?: ConnectionType['baseUrl']
  account: string
  wire: WireProfile
  request: { effect: Effect; ask: ProviderRequest; sent: Sent; reply: Reply }
  page: { ask: ProviderRequest; rule: PagingRule; items: string; replies: [Reply, Reply]; nextUrl: string }
  error: { reply: Reply; failure: { code: FailureCode; says: string } }
  /** A refusal for too many requests, and how long it asks to wait. */
  limit: { reply: Reply; waitMs: number }
  deliveries: Deliveries
  delivery: Delivery
  vector?: Vector
}

/** The facts of a profile that none of these vendors documents, and those that all tests use. */
export const profileOf = (facts: Omit<WireProfile, 'timeouts' | 'maxReplyBytes' | 'reserved' | 'assumed'>) =>
  ({
    reserved: [],
    timeouts: { connectMs: 5_000, headersMs: 15_000, bodyMs: 10_000, totalMs: 30_000, deadlineMs: 60_000 },
    maxReplyBytes: 1_000_000,
    assumed: { timeouts: 'The vendor documents none.' },
    ...facts,
  }) satisfies WireProfile

const eventOf = (fact: Fact, raw: Json, models: [Model, ...Model[]], via: Event['via']): Event => ({
  id: fact.id,
  type: fact.type,
  at: fact.at,
  actor: fact.actor === undefined ? undefined : { id: fact.actor },
  ...(fact.account === undefined ? {} : { account: fact.account }),
  model: models[0],
  models,
  ...(fact.subject === undefined ? {} : { subject: fact.subject }),
  objects: fact.subject === undefined ? [] : [fact.subject],
  via,
  causedByUs: 'unknown',
  raw,
})

const sourceOf = ({ registration, retries, watched, itemsOf, read, register, respond }: Deliveries): WebhookSource => ({
  registration,
  retries,
  webhookOnly: [],
  decode: ({ body, headers, model }, via) => ({
    events: itemsOf(body, headers).map((item) => eventOf(read(item), item, [model, watched], via)),
  }),
  decodeStored: (raw, model, via) => ({ events: [eventOf(read(raw), raw, [model, watched], via)] }),
  history: async () => undefined,
  ...(respond ? { respond } : {}),
  ...(register
    ? {
        register: async (ctx, hook) => ({ providerId: register.idOf(await ctx.send(register.request(hook))) }),
        list: async () => [],
        repair: async () => {},
        unregister: async () => {},
      }
    : {}),
})

const page = () =>
  z.strictObject({ next: z.string().optional().meta({ title: 'Next', description: 'Where to go on.' }) })

/** An integration of the vendor with one request, one list and one trigger. */
export const integrationOf = ({ id, title, secrets, baseUrl, account, wire, ...vendor }: Vendor): Integration =>
  defineIntegration({
    id,
    title,
    summary: `${title}, from its public documentation.`,
    version: '0.0.1',
    maturity: 'beta',
    connections: [
      {
        id: 'token',
        title: 'Token',
        purpose: 'What the account has.',
        secrets: z.strictObject(
          Object.fromEntries(
            [...Object.keys(secrets), ...(baseUrl === undefined ? [] : [baseUrl.from])].map((name) => [
              name,
              z.string().meta({ title: name, description: name }),
            ]),
          ),
        ),
        ...(baseUrl === undefined ? {} : { baseUrl }),
        test: vendor.page.ask,
        identify: () => ({ accountId: account, accountName: 'Example' }),
      },
    ],
    steps: [
      defineStep({
        id: 'ask',
        title: 'Ask',
        purpose: 'Sends the request.',
        effect: vendor.request.effect,
        input: () => z.strictObject({}),
        output: () => z.unknown(),
        run: (ctx) => ctx.send(vendor.request.ask),
      }),
      defineStep({
        id: 'list',
        title: 'List',
        purpose: 'Reads one page.',
        effect: 'read',
        input: page,
        output: () => z.looseObject({}),
        run: (ctx, { next }) => readPage(ctx, vendor.page.ask, vendor.page.rule, { items: vendor.page.items, next }),
      }),
    ],
    triggers: [
      defineTrigger({
        id: 'happened',
        title: 'Happened',
        purpose: 'Starts at every event.',
        recoverable: 'none',
        config: () => z.strictObject({}),
        data: () => z.object({ type: z.string().meta({ description: 'Type of the event.' }) }),
        webhook: {
          watch: () => [vendor.deliveries.watched],
          types: () => ['*'],
          match: ({ type }) => ({ type }),
        },
      }),
    ],
    apiCall: { methods: ['GET'], under: '/', deny: [] },
    webhooks: sourceOf(vendor.deliveries),
    wire,
  })
