import { asText, fail, isAbsent, path, readPage, valueAt, z } from '#kit'
import type {
  HookRegistrar,
  HookResult,
  Hooks,
  HookWanted,
  Json,
  MissedDelivery,
  Model,
  PagingRule,
  ProviderHook,
  WatchContext,
} from '#kit'

/** The provider's word for what we call a person. */
const entityTypes: { [kind: string]: string } = { person: 'contact', company: 'company' }
export const kindOf: { [entityType: string]: string } = { contact: 'person', company: 'company' }

/** Our word and the provider's word for every type of signal. */
const everyType = '*'
const everySignal = 'allSignals'
/** The type of the subscription that reports opt-outs, which is neither repaired nor removed here. */
const optOut = 'optOut'

const subscription = () =>
  z.object({
    id: z.string(),
    entityId: z.string(),
    entityType: z.string(),
    url: z.string(),
    isActive: z.boolean(),
    signalTypes: z.array(z.string()).nullish(),
    blockReason: z.string().nullish(),
    name: z.string().nullish(),
  })

const toOurType = (type: string) => (type === everySignal ? everyType : type)
const toProviderType = (type: string) => (type === everyType ? everySignal : type)

const entityOf = ({ kind, id }: Model) => ({ entityType: entityTypes[kind] ?? kind, entityId: id })

/** @throws Failure `bad_reply`: any other value would become a key that somebody else knows. */
const secretIn = (reply: unknown): string => {
  const secret = valueAt(reply, 'secret')
  if (typeof secret === 'string' && secret !== '') return secret
  throw fail('bad_reply', 'The provider answered without the secret that signs its deliveries.')
}

/** Reads the secret that signs for the whole account. A new one is made only if there is none: it would end the old one. */
const readSecret = async (ctx: WatchContext): Promise<string> => {
  try {
    return secretIn(await ctx.send({ method: 'GET', path: path`/api/account/secret` }))
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown
    return secretIn(await ctx.send({ method: 'POST', path: path`/api/account/secret/regenerate` }))
  }
}

const paging: PagingRule = { style: 'offset', parameter: 'offset', size: { parameter: 'limit', max: 100 } }

const hookOf = (row: Json): ProviderHook | undefined => {
  const { id, entityId, entityType, url, isActive, signalTypes, blockReason, name } = subscription().parse(row)
  if (signalTypes?.includes(optOut)) return undefined
  return {
    providerId: id,
    callbackUrl: url,
    model: { kind: kindOf[entityType] ?? entityType, id: entityId },
    description: name ?? '',
    active: isActive,
    failures: 0,
    types: (signalTypes ?? []).map(toOurType),
    ...(typeof blockReason === 'string' && blockReason !== '' ? { blockReason } : {}),
  }
}

const list = async (ctx: WatchContext): Promise<ProviderHook[]> => {
  const hooks: ProviderHook[] = []
  let next: string | undefined
  do {
    const page = await readPage(ctx, { method: 'GET', path: path`/api/subscriptions` }, paging, { items: 'data', next })
    hooks.push(...page.items.flatMap((row) => hookOf(row) ?? []))
    next = page.next
  } while (next !== undefined)
  return hooks
}

const repair = async (ctx: WatchContext, id: string, { callbackUrl: url, types }: HookWanted): Promise<void> => {
  const body = { url, signalTypes: types.map(toProviderType), isActive: true }
  await ctx.send({ method: 'PATCH', path: path`/api/subscriptions/${id}`, body })
}

const pause = async (ctx: WatchContext, id: string): Promise<void> => {
  await ctx.send({ method: 'PATCH', path: path`/api/subscriptions/${id}`, body: { isActive: false } })
}

const logRow = () =>
  z.object({
    subscriptionId: z.string(),
    payloadId: z.string(),
    deliveredAt: z.iso.datetime(),
    error: z.string().nullish(),
  })

/** How long the provider keeps failed deliveries in its log. */
const logKeptMs = 180 * 86_400_000

/** Deliveries that failed in all attempts: the log names each and its subscription, but not its content. */
const missed = async (ctx: WatchContext, since: number): Promise<MissedDelivery[] | undefined> => {
  if (since < ctx.now() - logKeptMs) return undefined
  const request = { method: 'GET' as const, path: path`/api/audit-logs`, query: { status: 'permanent_failure' } }
  const deliveries: MissedDelivery[] = []
  let next: string | undefined
  do {
    const page = await readPage(ctx, request, paging, { items: 'data', next })
    const rows = page.items.map((row) => logRow().parse(row))
    for (const { payloadId: id, subscriptionId: providerId, deliveredAt, error } of rows)
      deliveries.push({ id, providerId, at: Date.parse(deliveredAt), reason: error ?? 'no reason is logged' })
    // Newest first.
    next = rows.some(({ deliveredAt }) => Date.parse(deliveredAt) < since) ? undefined : page.next
  } while (next !== undefined)
  return deliveries.filter(({ at }) => at >= since)
}

const whyTaken = async ({ model: { kind, id }, callbackUrl }: HookWanted, former: ProviderHook, by: HookRegistrar) => {
  if (former.callbackUrl !== callbackUrl && !(await by.isOurs(former.callbackUrl)))
    return `Another system watches the ${kind} ${id}, and the provider allows only one subscription for each. Remove that subscription at the provider, or leave the ${kind} out here.`
  if (await by.usedElsewhere(former.callbackUrl))
    return `Another connection to the same account watches the ${kind} ${id}, and the provider allows only one subscription for each. Use that connection, or remove its subscription.`
  return undefined
}

/** Takes over a subscription that exists: made by a request whose answer was lost, or for another address. */
const takeOver = async (ctx: WatchContext, hook: HookWanted, registrar: HookRegistrar): Promise<HookResult> => {
  const { kind, id } = hook.model
  const former = (await registrar.listed()).find(({ model }) => model.kind === kind && model.id === id)
  const why = former
    ? await whyTaken(hook, former, registrar)
    : `The provider has a subscription to the ${kind} ${id}, but does not list it.`
  if (!former || why !== undefined) return { failure: fail('conflict', why!) }
  await repair(ctx, former.providerId, hook)
  return { providerId: former.providerId }
}

/** The result of the item at this place in the request. Results may be in any order; each has the index of its item. */
const resultAt = (reply: unknown, at: number) => {
  const results = valueAt(reply, 'results')
  const result: unknown = Array.isArray(results) ? results.find((item) => valueAt(item, 'index') === at) : undefined
  return {
    row: valueAt(result, 'subscription'),
    code: valueAt(result, 'error.code'),
    message: asText(valueAt(result, 'error.message')),
  }
}

const withoutResult = (): HookResult => ({
  failure: fail('bad_reply', 'The answer of the provider has no result for this subscription.'),
})

const register = async (ctx: WatchContext, hooks: HookWanted[], registrar: HookRegistrar): Promise<HookResult[]> => {
  const body = {
    defaults: { url: hooks[0]!.callbackUrl },
    subscriptions: hooks.map(({ model, types, description }) => ({
      ...entityOf(model),
      signalTypes: types.map(toProviderType),
      name: description,
    })),
  }
  const reply = await ctx.send({ method: 'POST', path: path`/api/subscriptions`, body })
  const results: HookResult[] = []
  for (const [at, hook] of hooks.entries()) {
    const { row, code, message } = resultAt(reply, at)
    const providerId = valueAt(row, 'id')
    if (typeof providerId === 'string') results.push({ providerId })
    else if (code === 'DUPLICATE_SUBSCRIPTION') results.push(await takeOver(ctx, hook, registrar))
    else if (code === undefined) results.push(withoutResult())
    else results.push({ failure: fail('rejected', `The provider refuses the subscription: ${message}`) })
  }
  return results
}

const unregister = async (ctx: WatchContext, ids: string[]): Promise<HookResult[]> => {
  const reply = await ctx.send({ method: 'POST', path: path`/api/subscriptions/delete`, body: { ids } })
  return ids.map((providerId, at) => {
    const { row, code, message } = resultAt(reply, at)
    if (row !== undefined || code === 'NOT_FOUND') return { providerId }
    return code === undefined
      ? withoutResult()
      : { failure: fail('rejected', `The provider did not remove the subscription: ${message}`) }
  })
}

/**
 * Subscriptions of the provider: one for each person or company, up to 25 in a request, signed with the secret of the
 * account.
 */
export const hooks: Hooks = {
  retries: [60_000, 120_000, 240_000],
  repair,
  pause,
  list,
  missed,
  batches: { max: 25, secret: readSecret, register, unregister },
}
