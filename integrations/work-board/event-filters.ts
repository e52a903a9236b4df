import { failField, isHidden, orDefault, z } from '#kit'
import type { WatchContext } from '#kit'
import type { BoardEvent, BoardFacts, Need } from './event.ts'
import { kindOf } from './action-types.ts'
import { kinds } from './event-kinds.ts'
import type { Kind } from './event-kinds.ts'
import { boardRef, cardRef, idsOf } from './inputs.ts'
import { resolveId } from './refs.ts'
import type { RefKind } from './refs.ts'

/** What a subscription watches: the shared parts of trigger configs, and the checks that matching makes with them. */

// Every watched board costs a hook, and a read of its history every 15 minutes.
const maxBoards = 200
const maxCards = 1000

export const boardsConfig = () =>
  orDefault(
    z
      .array(boardRef('A board to watch.'))
      .min(1)
      .max(maxBoards)
      .meta({
        title: 'Boards',
        description: `The boards to watch, 1 to ${maxBoards}. Left out: the default board of the connection.`,
        agentDescription: `The boards to watch, 1 to ${maxBoards}. Each by its 24-character id, its short link or its page address. Left out: the default board of the connection.`,
      }),
  )
export const listsConfig = (
  description = 'Only cards in these lists, by id; none for every list. A move counts for the list left and the list entered.',
) =>
  idsOf(
    'list',
    'Lists',
    description,
    description.replace(', by id; none for every list', '; leave empty for every list'),
  ).optional()
export const cardsConfig = () =>
  z.array(cardRef('A card.')).max(maxCards).optional().meta({
    title: 'Cards',
    description: 'Only these cards; leave empty for every card.',
    agentDescription: 'Only these cards, each by its id, short link or page address; none for every card.',
  })

type Watching = { boards: string[]; lists?: string[] | undefined; cards?: string[] | undefined }

/** Whether an item was ticked; unticking an item is not a completion. */
export const isTickedOff = ({ type, about }: BoardEvent): boolean =>
  type === 'updateCheckItemStateOnCard' && about['checkItem']?.state === 'complete'

const resolveRefs = async (ctx: WatchContext, kind: RefKind, field: string, refs: string[]): Promise<string[]> => {
  const ids: string[] = []
  for (const [n, ref] of refs.entries()) {
    try {
      ids.push(await resolveId(ctx, kind, ref))
    } catch (thrown) {
      if (!isHidden(thrown)) throw thrown
      throw failField(
        `/${field}/${n}`,
        `The ${kind} "${ref}" does not exist, or the connected account cannot see it. Choose one of the account's ${kind}s.`,
        thrown.code,
      )
    }
  }
  return [...new Set(ids)]
}

/** Resolves short links and addresses to ids, so that matching can compare them; duplicates are removed. */
export const resolveWatched = async <C extends Watching>(ctx: WatchContext, config: C): Promise<C> => ({
  ...config,
  boards: await resolveRefs(ctx, 'board', 'boards', config.boards),
  ...(config.cards ? { cards: await resolveRefs(ctx, 'card', 'cards', config.cards) } : {}),
})

const chosen = (ids: string[] | undefined): ids is string[] => ids !== undefined && ids.length > 0

/** Ids of the lists that an event names: the card's list, and for a move the lists moved from and to. */
const listsOf = ({ list, from, to }: BoardEvent) =>
  [list?.id, from?.list?.id, to?.list?.id].filter((id) => id !== undefined)

/** Needs the list only when the config filters by it and the event does not include it. */
export const needsList = (event: BoardEvent, { lists }: Watching): Need[] =>
  chosen(lists) && event.card !== undefined && listsOf(event).length === 0 ? ['list'] : []

/** Whether an event of a watched board is on one of the lists and cards, where a config names any. */
export const isWatched = (event: BoardEvent, { lists, cards }: Watching, facts: BoardFacts): boolean => {
  if (chosen(cards) && (event.card === undefined || !cards.includes(event.card.id))) return false
  if (!chosen(lists)) return true
  const named = listsOf(event)
  if (facts.list) named.push(facts.list.id)
  return named.some((id) => lists.includes(id))
}

/**
 * A move to another board is reported twice: as a departure from one board and as an arrival on the other. When both
 * boards are watched, the arrival counts, because it says where the card is now.
 */
export const isReportedByArrival = (event: BoardEvent, { boards }: Watching): boolean =>
  (event.type === 'moveCardFromBoard' || event.type === 'moveListFromBoard') &&
  event.to?.board !== undefined &&
  boards.includes(event.to.board.id)

export const kindsConfig = () =>
  z.array(z.enum(kinds)).max(kinds.length).optional().meta({
    title: 'Kinds',
    description:
      'Kinds of activity: create (a card, list, label, checklist, attachment or comment came to be, copies too), update (also labels put on or taken off), delete, other (people, moves between boards, add-ons). Without kinds and types: everything.',
  })
export const typesConfig = () =>
  z
    .array(z.string().regex(/^[A-Za-z]{3,60}$/, { error: 'A type is a word such as commentCard.' }))
    .max(100)
    .optional()
    .meta({
      title: 'Types',
      description:
        'Types of activity by the board\'s own names, such as "commentCard", beside the kinds. addLabelToCard and removeLabelFromCard count only when named here.',
    })

type Selecting = Watching & { kinds?: Kind[] | undefined; types?: string[] | undefined }

export const selectedTypes = ({ kinds: byKind = [], types = [] }: Selecting): string[] =>
  byKind.length > 0 || types.length === 0 ? ['*'] : types

export const isSelected = (event: BoardEvent, config: Selecting): boolean => {
  const { kinds: byKind = [], types = [] } = config
  if (types.includes(event.type)) return true
  if (byKind.length === 0 && types.length > 0) return false
  const kind = kindOf(event.type)
  return kind !== null && (byKind.length === 0 || byKind.includes(kind)) && !isReportedByArrival(event, config)
}
