import { z } from '#kit'
import { cardTrigger } from '../card-trigger.ts'
import type { BoardEvent, BoardFacts, Place } from '../event.ts'
import { idsOf } from '../inputs.ts'
import { onCard, place, eventData } from '../event-schemas.ts'
import { boardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, isReportedByArrival } from '../event-filters.ts'

type Config = { boards: string[]; fromLists?: string[] | undefined; toLists?: string[] | undefined }
const hasLists = (lists: string[] | undefined): lists is string[] => lists !== undefined && lists.length > 0

const isDeparture = ({ type }: BoardEvent) => type === 'moveCardFromBoard'

/**
 * A move to another board is reported as a departure from one board and an arrival on the other, and must count once.
 * Only the departure names the list left, so with a filter on that list only the departure counts. Otherwise the
 * arrival counts, and the departure only when the other board is not watched.
 */
const isTheOneThatCounts = (event: BoardEvent, config: Config): boolean => {
  if (event.type === 'updateCard') return event.from?.list !== undefined && event.from.list.id !== event.to?.list?.id
  return hasLists(config.fromLists) ? isDeparture(event) : !isReportedByArrival(event, config)
}

/** A departure does not include the list that the card entered on the other board. */
const mustReadList = (event: BoardEvent, config: Config) =>
  isDeparture(event) && hasLists(config.toLists) && isTheOneThatCounts(event, config)

export default cardTrigger({
  id: 'card-moved',
  title: 'Card Moved',
  purpose: 'Starts when a card moves from one list to another, on a watched board or to or from another board.',
  keywords: ['list changed', 'stage', 'column', 'progress', 'status'],
  icon: 'card-move',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      fromLists: idsOf(
        'list',
        'From lists',
        'Only moves out of these lists of the watched boards, by id; none for every list.',
        'Only moves out of these lists; leave empty for every list.',
      ).optional(),
      toLists: idsOf(
        'list',
        'To lists',
        'Only moves into these lists, by id; none for every list.',
        'Only moves into these lists; leave empty for every list.',
      ).optional(),
    }),
  data: () =>
    z.object({
      ...onCard(),
      from: place().meta({
        description:
          'Where the card was. A card that came from another board: its board, and the list where it is known.',
      }),
      to: place().meta({
        description:
          'Where the card is now. A card that went to another board: its board, and the list where it is known.',
      }),
      acrossBoards: z.boolean().meta({ description: 'Whether it moved to another board.' }),
    }),
  fields: { boards: boardsField, fromLists: listsField, toLists: listsField },
  caveat:
    'When a whole list moves to another board, its cards produce no events. For a move between boards, the list left or the list entered may be unknown.',
  on: ['updateCard', 'moveCardToBoard', 'moveCardFromBoard'],
  needs: (event, config) => (mustReadList(event, config) ? ['list'] : []),
  match(event, config, facts: BoardFacts) {
    if (!isTheOneThatCounts(event, config)) return undefined
    const from: Place = event.from ?? {}
    const entered = event.to?.list ?? (mustReadList(event, config) ? facts.list : undefined)
    const to: Place = { ...event.to, ...(entered ? { list: entered } : {}) }
    if (hasLists(config.fromLists) && !config.fromLists.includes(from.list?.id ?? '')) return undefined
    if (hasLists(config.toLists) && !config.toLists.includes(to.list?.id ?? '')) return undefined
    return {
      ...eventData(event),
      ...(to.list ? { list: to.list } : {}),
      ...(event.card ? { card: event.card } : {}),
      from,
      to,
      acrossBoards: event.type !== 'updateCard',
    }
  },
})
