import { fail, readRows } from '#kit'
import type { OptionContext, Path, Query } from '#kit'

/** The most records that the board returns in one response. */
const pageMax = 1000

export type Cards = { cards: { id: string; [field: string]: unknown }[]; more: boolean; next?: string }

const oldestOf = (cards: { id: string }[]) =>
  cards.reduce((oldest, card) => (card.id < oldest ? card.id : oldest), cards[0]?.id ?? '')

const keepNewest = (cards: Cards['cards'], limit: number): Cards => {
  if (cards.length <= limit) return { cards, more: false }
  const newestIds = new Set(
    cards
      .map((card) => card.id)
      .sort()
      .slice(-limit),
  )
  const newest = cards.filter((card) => newestIds.has(card.id))
  return { cards: newest, more: true, next: oldestOf(newest) }
}

/** The cards of a page that were not in earlier pages; the card that the cursor names was in an earlier response. */
const dropKnownRows = (
  page: Cards['cards'],
  earlierCards: Cards['cards'],
  cursor: string | undefined,
): Cards['cards'] => {
  // Nearly every list has a single page.
  if (page.length === 0 || (earlierCards.length === 0 && cursor === undefined)) return page
  const seen = new Set(earlierCards.map((card) => card.id)).add(cursor ?? '')
  return page.filter((card) => !seen.has(card.id))
}

/**
 * Reads up to `limit` cards of a collection, newest first, page by page. The board returns at most 1000 at a time and
 * pages by creation time, which the first characters of an id encode. One card more than `limit` is read, so that
 * `more` is known rather than guessed. `cursor` is the `next` of an earlier call. Within a page, the board's own order
 * is kept.
 */
export const readCards = async (
  ctx: Pick<OptionContext, 'send'>,
  at: Path,
  request: { limit: number; cursor?: string | undefined; query: Query; onPage?: (done: number) => void },
): Promise<Cards> => {
  let cards: Cards['cards'] = []
  let before = request.cursor
  for (;;) {
    // After the first page, one more card, in case the board includes the card at the boundary.
    const size = Math.min(pageMax, request.limit - cards.length + (before === undefined ? 1 : 2))
    const query: Query = { ...request.query, limit: size, ...(before === undefined ? {} : { before }) }
    const page = readRows(await ctx.send({ method: 'GET', path: at, query }), 'cards')
    const fresh = dropKnownRows(page, cards, request.cursor)
    cards = cards.length === 0 ? fresh : [...cards, ...fresh]
    request.onPage?.(Math.min(cards.length, request.limit))
    // A page that is too short is the last; one that is too long means that the board does not page here and returned
    // everything.
    if (page.length !== size || cards.length > request.limit) return keepNewest(cards, request.limit)
    if (fresh.length === 0) {
      throw fail(
        'bad_reply',
        `The board gave the same cards again when asked for those before ${before}, so only ${cards.length} could be read. Ask for at most ${pageMax - 1}.`,
      )
    }
    before = oldestOf(fresh)
  }
}
