import { asText, fail, isAbsent, isHidden, isRejected, path, readRow, readRows } from '#kit'
import type {
  Event,
  HistoryAsked,
  HookWanted,
  Json,
  Listing,
  Model,
  Path,
  ProviderHook,
  Query,
  WatchContext,
  WebhookSource,
} from '#kit'
import type { BoardEvent, NamedObject } from './event.ts'
import { webhookOnly } from './action-types.ts'
import { completedBy } from './checklist-completion.ts'
import { readCardCustomFields } from './card-custom-fields.ts'
import { decode } from './decode.ts'

const pageMax = 1000
/**
 * How far before the mark the history is read again: an action written while the last page was read may carry an
 * earlier time.
 */
const overlapMs = 5 * 60_000
/** The fields that `decode` reads; the others (texts for the vendor's pages, avatars) are most of an action's size. */
const actionFields = {
  fields: 'id,type,date,idMemberCreator,data,appCreator,agenticIdentity',
  memberCreator_fields: 'fullName,username',
}

const list = async (ctx: WatchContext, models: Model[]): Promise<ProviderHook[]> => {
  const rows = readRows(await ctx.send({ method: 'GET', path: path`/1/tokens/{secret:token}/webhooks` }), 'webhooks')
  return rows.map(({ id, callbackURL, idModel, description, active, consecutiveFailures }) => {
    if (typeof callbackURL !== 'string' || typeof idModel !== 'string')
      throw fail('bad_reply', 'The board answered a webhook without address or watched model.')
    return {
      providerId: id,
      callbackUrl: callbackURL,
      // Ids are unique across all kinds, so the kind of the requested model applies.
      model: models.find(({ id: modelId }) => modelId === idModel) ?? { kind: 'unknown', id: idModel },
      description: typeof description === 'string' ? description : '',
      active: active === true,
      failures: typeof consecutiveFailures === 'number' ? consecutiveFailures : 0,
    }
  })
}

const bodyOf = ({ model, callbackUrl, description }: HookWanted) => ({
  callbackURL: callbackUrl,
  idModel: model.id,
  description,
  active: true,
})

const repair = async (ctx: WatchContext, providerId: string, hook: HookWanted): Promise<void> => {
  await ctx.send({ method: 'PUT', path: path`/1/webhooks/${providerId}`, body: bodyOf(hook) })
}

/**
 * Only one hook may exist per address, model and token. The board refuses a second one, for example when the response
 * to the first registration was lost.
 */
const existsAlready = (thrown: unknown) =>
  isRejected(thrown) && (thrown.details.providerMessage ?? '').includes('already exists')

const register = async (ctx: WatchContext, hook: HookWanted): Promise<{ providerId: string }> => {
  try {
    return {
      providerId: readRow(await ctx.send({ method: 'POST', path: path`/1/webhooks`, body: bodyOf(hook) }), 'a webhook')
        .id,
    }
  } catch (thrown) {
    if (!existsAlready(thrown)) throw thrown
    const registeredHook = (await list(ctx, [hook.model])).find(
      ({ callbackUrl, model }) => callbackUrl === hook.callbackUrl && model.id === hook.model.id,
    )
    if (registeredHook === undefined) throw thrown
    if (!registeredHook.active) await repair(ctx, registeredHook.providerId, hook)
    return { providerId: registeredHook.providerId }
  }
}

const unregister = async (ctx: WatchContext, { providerId }: { providerId: string }): Promise<void> => {
  try {
    await ctx.send({ method: 'DELETE', path: path`/1/webhooks/${providerId}` })
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown
  }
}

const actionsOf = ({ kind, id }: Model): Path | undefined => {
  if (kind === 'board') return path`/1/boards/${id}/actions`
  return kind === 'organization' ? path`/1/organizations/${id}/actions` : undefined
}

type Action = { id: string; [field: string]: unknown }

const timeOf = (action: Action) => Date.parse(asText(action.date))
const oldestOf = (page: Action[]) =>
  page.reduce((oldest, action) =>
    timeOf(action) < timeOf(oldest) || (action.date === oldest.date && action.id < oldest.id) ? action : oldest,
  )

/**
 * Reads all actions since a moment (or the newest `limit`), page by page back in time: the board returns the newest
 * 1000 first, without a link to the next page.
 */
const readActions = async (ctx: WatchContext, at: Path, query: Query, limit: number): Promise<Action[]> => {
  const seen = new Map<string, Action>()
  let before: string | undefined
  for (;;) {
    const size = Math.min(pageMax, limit)
    const page = readRows(
      await ctx.send({
        method: 'GET',
        path: at,
        query: { ...query, limit: size, ...(before === undefined ? {} : { before }) },
      }),
      'actions',
    )
    const countBefore = seen.size
    for (const action of page) seen.set(action.id, action)
    if (page.length < size || seen.size >= limit) return [...seen.values()]
    if (seen.size === countBefore)
      throw fail(
        'bad_reply',
        `The board gave the same actions again when asked for those before ${before}, so its history cannot be read to the end.`,
      )
    before = oldestOf(page).id
  }
}

const byTime = (a: Event, b: Event) => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at < b.at ? -1 : 1)

const filterOf = (types: string[] = []) => {
  const listed = types.filter((type) => !webhookOnly.includes(type))
  return types.length === 0 || types.includes('*') ? 'all' : listed.join(',')
}

/**
 * Whether the history still reaches back to the mark. The marked action itself, or an older one, proves it. The list
 * may contain neither (a deleted comment leaves the history), so one action from before the mark is requested; if there
 * is none, the beginning of the history is cut off.
 */
const reaches = async (
  ctx: WatchContext,
  at: Path,
  filter: string,
  mark: NonNullable<HistoryAsked['since']>,
  actions: Action[],
): Promise<boolean> => {
  if (mark.id === undefined || actions.some((action) => action.id === mark.id || timeOf(action) <= mark.at)) return true
  const before = new Date(mark.at + 1).toISOString()
  return (
    readRows(await ctx.send({ method: 'GET', path: at, query: { filter, fields: 'id', limit: 1, before } }), 'actions')
      .length > 0
  )
}

const history = async (
  ctx: WatchContext,
  model: Model,
  { since, limit, types, via }: HistoryAsked,
): Promise<Listing | undefined> => {
  const at = actionsOf(model)
  if (at === undefined) return undefined
  const filter = filterOf(types)
  if (filter === '') return { events: [], reached: true, undecodable: [] }
  const from = since === undefined ? {} : { since: new Date(since.at - overlapMs).toISOString() }
  const actions = await readActions(ctx, at, { filter, ...actionFields, ...from }, limit ?? Infinity)
  const newestFirst = limit === undefined ? actions : actions.slice(0, limit)
  const events: Event[] = []
  const undecodable: Json[] = []
  for (const action of newestFirst) {
    const decoded = decode({ body: { action, model } }, via)
    events.push(...decoded.events)
    if (decoded.undecodable !== undefined) undecodable.push(action as Json)
  }
  events.sort(byTime)
  const newest = events.at(-1)
  return {
    events,
    reached: since === undefined || (await reaches(ctx, at, 'all', since, actions)),
    ...(newest ? { newest: { id: newest.id, at: Date.parse(newest.at) } } : {}),
    undecodable,
  }
}

/** Undefined when the card was deleted or the account can no longer see it. */
const undefinedWhenGone = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading
  } catch (thrown) {
    if (isHidden(thrown)) return undefined
    throw thrown
  }
}

const readCard = (ctx: WatchContext, id: string) =>
  undefinedWhenGone(ctx.send({ method: 'GET', path: path`/1/cards/${id}` }).then((reply) => readRow(reply, 'a card')))
const readList = async (ctx: WatchContext, idCard: string): Promise<NamedObject> => {
  const { id, name } = readRow(
    await ctx.send({ method: 'GET', path: path`/1/cards/${idCard}/list`, query: { fields: 'name' } }),
    'a list',
  )
  return { id, ...(typeof name === 'string' ? { name } : {}) }
}

const facts = async (
  ctx: WatchContext,
  event: BoardEvent,
  need: string,
  earlier: () => Promise<BoardEvent[]>,
): Promise<unknown> => {
  const { card } = event
  if (card === undefined) return undefined
  if (need === 'card') return readCard(ctx, card.id)
  if (need === 'customFields') return (await undefinedWhenGone(readCardCustomFields(ctx, card.id)))?.customFields
  if (need === 'completed') return undefinedWhenGone(completedBy(ctx, event))
  // A deleted card is in no list any more, so the list of its last event counts.
  return (
    (await undefinedWhenGone(readList(ctx, card.id))) ??
    (await earlier()).find(({ list: earlierList }) => earlierList !== undefined)?.list
  )
}

const current = async (ctx: WatchContext, { card }: BoardEvent): Promise<Json> =>
  ((card && (await readCard(ctx, card.id))) ?? null) as Json

const availability = ({ type, board, after }: BoardEvent) =>
  type === 'updateBoard' && board !== undefined && typeof after?.closed === 'boolean'
    ? { model: { kind: 'board', id: board.id }, open: !after.closed }
    : undefined

export const webhooks: WebhookSource = {
  /** The board retries half a minute, a minute and two minutes after the first failure, then gives up. */
  retries: [30_000, 60_000, 120_000],
  decode,
  decodeStored: (raw, model, via) => decode({ body: { action: raw, model } }, via),
  webhookOnly,
  register,
  repair,
  list,
  unregister,
  history,
  facts,
  current,
  availability,
}
