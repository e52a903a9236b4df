import type { Event, Model } from '../event.ts'
import type { PollFetched, PollFound, PollItem, PollTime, WatchContext, Within } from '../trigger.ts'
import type { EventHistory, EventsDefinition } from './definition.ts'
import { historiesOf, ofKind, readList, startOf } from './history.ts'
import type { ListedKinds, ReadList } from './history.ts'
import { accountModel } from './read.ts'
import { isFor, modelsToWatch } from './watch.ts'

/** A resource is a list of one model: triggers that need the same list share one poll. */
const resourceOf = ({ types }: ListedKinds, { kind, id }: Model) => JSON.stringify([types[0], kind, id])
const readResource = (resource: string) => {
  const [type, kind, id] = JSON.parse(resource) as [string, string, string]
  return { type, model: { kind, id } }
}

/** `etag` of the newest page; `at`: time in ms of the newest entry, up to which the list was read. */
type Cursor = { etag?: string; at?: number }

/** The newest page alone shows whether anything changed only where new entries come first. */
const isConditional = ({ conditional, order }: EventHistory) => conditional === true && order !== 'any'

const cursorAfter = ({ etag, newest }: ReadList<unknown>, history: EventHistory, at = -Infinity): string => {
  const upTo = Math.max(at, newest)
  const cursor: Cursor = {
    ...(isConditional(history) && etag !== undefined ? { etag } : {}),
    ...(upTo === -Infinity ? {} : { at: upTo }),
  }
  return JSON.stringify(cursor)
}

const fetchList = async <Own>(
  ctx: WatchContext,
  events: EventsDefinition<Own>,
  listed: ListedKinds,
  model: Model,
  stored: string | undefined,
): Promise<PollFetched> => {
  const { etag, at } = stored === undefined ? ({} as Cursor) : (JSON.parse(stored) as Cursor)
  const { history } = listed
  const list = await readList(
    ctx,
    events,
    listed,
    { model, via: 'poll' },
    {
      ...(at === undefined ? {} : startOf(history, { at })),
      isFirstPageOnly: stored === undefined && history.order !== 'any',
      ...(isConditional(history) ? { isFromNewest: true, ...(etag === undefined ? {} : { ifNoneMatch: etag }) } : {}),
    },
  )
  if (list.isUnchanged) return { items: [], cursor: stored }
  const items = list.events.map((event): PollItem => ({ id: event.id, at: event.at, event }))
  return { items, cursor: cursorAfter(list, history, at), undecodable: list.undecodable }
}

const foundOf = <D>(
  { id, type, at, actor, own, subject, container, objects }: Event,
  data: D,
  isOneOfSeveral: boolean,
): PollFound<D> => ({
  key: id,
  at,
  data,
  ...(isOneOfSeveral ? { type } : {}),
  ...(actor ? { actor } : {}),
  ...(own === undefined ? {} : { own }),
  ...(subject ? { subject } : {}),
  ...(container ? { container } : {}),
  objects,
})

type Polled<Config> = {
  on: string[]
  within: Within | undefined
  match(event: Event, config: Config): unknown
}

/** A poll of the histories that list the kinds of a trigger. */
export const pollOf = <Own, Config extends Record<string, unknown>>(
  events: EventsDefinition<Own>,
  { on, within, match }: Polled<Config>,
) => {
  const lists = historiesOf(events).filter(({ types }) => types.some((type) => isFor({ on }, { type }, {})))
  const isOneOfSeveral = on.length > 1 || on.includes('*')
  return {
    resources(config: Config): string[] {
      // What the account lists is read whole, whichever containers are watched.
      const models = [...modelsToWatch(within, config), accountModel]
      const resources = models.flatMap((model) =>
        lists.filter(({ history }) => ofKind(history) === model.kind).map((listed) => resourceOf(listed, model)),
      )
      return [...new Set(resources)]
    },
    fetch(ctx: WatchContext, resource: string, cursor: string | undefined): Promise<PollFetched> {
      const { type, model } = readResource(resource)
      return fetchList(
        ctx,
        events,
        lists.find(({ types }) => types[0] === type)!,
        model,
        cursor,
      )
    },
    pick: (items: PollItem[], config: Config, { since }: PollTime): PollFound<unknown>[] =>
      items
        .map(({ event }) => event as Event)
        .filter(({ at }) => Date.parse(at) >= since)
        .flatMap((event) => {
          const data = match(event, config)
          return data === undefined ? [] : [foundOf(event, data, isOneOfSeveral)]
        }),
  }
}
