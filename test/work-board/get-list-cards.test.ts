import { describe, expect, it } from 'vitest'
import type { Failure, ProviderRequest } from '#kit'
import { ids, idOf, runStep } from './fake.ts'

type Card = { id: string; name: string; pos: number }

/**
 * `count` cards; their places on the list run against their age, so that the two orders cannot be mistaken for each
 * other.
 */
const makeCards = (count: number): Card[] =>
  Array.from({ length: count }, (_, n) => ({ id: idOf(1000 + n), name: `Card ${n}`, pos: (n * 7919) % 100_003 }))

/**
 * The board's rules: newest first, at most 1000, `before` by creation and without the card itself unless told
 * otherwise.
 */
const answer =
  (cards: Card[], inclusive = false) =>
  ({ query }: ProviderRequest) => {
    const { limit, before } = query as { limit: number; before?: string }
    if (limit < 1 || limit > 1000) throw new Error(`the board refuses limit ${limit}`)
    return cards
      .filter((card) => before === undefined || (inclusive ? card.id <= before : card.id < before))
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit)
  }
const list = { idList: ids.list }
const byPlace = (cards: Card[]) => [...cards].sort((a, b) => a.pos - b.pos)
const newestFirst = (cards: Card[]) => [...cards].sort((a, b) => (a.id < b.id ? 1 : -1))

describe('Get List Cards', () => {
  it('sends fields, filter and limit', async () => {
    const { sent, output } = await runStep(
      'get-list-cards',
      { ...list, fields: 'name,due', filter: 'closed', limit: 10 },
      [[]],
    )
    expect(sent).toEqual([
      {
        method: 'GET',
        path: `/1/lists/${ids.list}/cards`,
        query: { fields: 'name,due,pos', filter: 'closed', limit: 11 },
      },
    ])
    expect(output).toEqual({ cards: [], count: 0, more: false })
  })

  it('does not ask for the place twice', async () => {
    for (const fields of ['all', 'name,pos'])
      expect((await runStep('get-list-cards', { ...list, fields }, [[]])).sent[0]!.query).toMatchObject({ fields })
  })

  it.each([
    [0, 1],
    [1, 1],
    [999, 1],
    [1000, 2],
  ])('gives a list of %i cards whole, in the order of the list, with %i requests', async (count, requests) => {
    const cards = makeCards(count)
    const { output, sent } = await runStep('get-list-cards', list, answer(cards))
    expect(sent).toHaveLength(requests)
    expect(output).toEqual({ cards: byPlace(cards), count, more: false })
  })

  it('says that 1001 cards are one more than the default limit, and how to get it', async () => {
    const cards = makeCards(1001)
    const first = await runStep('get-list-cards', list, answer(cards))
    expect(first.output).toEqual({
      cards: newestFirst(cards).slice(0, 1000),
      count: 1000,
      more: true,
      next: cards[1]!.id,
    })
    const second = await runStep('get-list-cards', { ...list, cursor: first.output.next }, answer(cards))
    expect(second.output).toEqual({ cards: [cards[0]], count: 1, more: false })
  })

  it.each([
    [1001, 2],
    [2000, 3],
    [2500, 3],
  ])('pages past 1000: %i cards with %i requests', async (count, requests) => {
    const cards = makeCards(count)
    const { output, sent, progress } = await runStep('get-list-cards', { ...list, limit: 5000 }, answer(cards))
    expect(output).toEqual({ cards: byPlace(cards), count, more: false })
    expect(sent).toHaveLength(requests)
    expect(sent[1]!.query).toMatchObject({ limit: 1000, before: newestFirst(cards)[999]!.id })
    expect(progress.at(-1)).toBe(count)
  })

  it.each([1, 7, 100, 999, 1000, 1001, 2499, 2500])(
    'walks over 2500 cards with limit %i, each exactly once',
    async (limit) => {
      const cards = makeCards(2500)
      const seen: string[] = []
      let cursor: string | undefined
      let calls = 0
      // The walk with tiny limits is long; its first steps show as much.
      while (calls < 40) {
        const { output } = await runStep(
          'get-list-cards',
          { ...list, limit, ...(cursor === undefined ? {} : { cursor }) },
          answer(cards),
        )
        const page = output.cards as Card[]
        expect(page.length).toBeLessThanOrEqual(limit)
        seen.push(...(output.next === undefined && cursor === undefined ? newestFirst(page) : page).map(({ id }) => id))
        calls += 1
        expect(output.more).toBe(seen.length < cards.length)
        if (!output.more) break
        cursor = output.next as string
      }
      expect(seen).toEqual(
        newestFirst(cards)
          .slice(0, seen.length)
          .map(({ id }) => id),
      )
      expect(seen.length).toBe(Math.min(2500, calls * limit))
    },
  )

  it.each([1, 2, 1000, 1001, 2500])(
    'gives nothing twice and loses nothing where the board counts the boundary in (limit %i)',
    async (limit) => {
      const cards = makeCards(2500)
      const seen: string[] = []
      let cursor: string | undefined
      for (let calls = 0; calls < 5; calls += 1) {
        const { output } = await runStep(
          'get-list-cards',
          { ...list, limit, ...(cursor === undefined ? {} : { cursor }) },
          answer(cards, true),
        )
        seen.push(...newestFirst(output.cards as Card[]).map(({ id }) => id))
        expect(output.more).toBe(seen.length < cards.length)
        if (!output.more) break
        cursor = output.next as string
      }
      expect(seen).toEqual(
        newestFirst(cards)
          .slice(0, Math.min(2500, 5 * limit))
          .map(({ id }) => id),
      )
    },
  )

  it('takes a board that gives everything at once at its word', async () => {
    const cards = makeCards(1200)
    const whole = await runStep('get-list-cards', { ...list, limit: 5000 }, () => cards)
    expect(whole.sent).toHaveLength(1)
    expect(whole.output).toMatchObject({ count: 1200, more: false })
    const part = await runStep('get-list-cards', { ...list, limit: 100 }, () => cards)
    expect(part.output).toMatchObject({ count: 100, more: true, cards: newestFirst(cards).slice(0, 100) })
  })

  it('fails rather than loop or hide cards when the board repeats a page', async () => {
    const cards = newestFirst(makeCards(1000))
    const thrown = (await runStep('get-list-cards', { ...list, limit: 5000 }, () => cards).catch(
      (error: unknown) => error,
    )) as Failure
    expect(thrown).toMatchObject({ code: 'bad_reply', message: expect.stringContaining('so only 1000 could be read') })
  })

  it('checks the board that was named', async () => {
    const thrown = await runStep('get-list-cards', { ...list, idBoard: ids.otherBoard }, [
      { id: ids.list, idBoard: ids.board },
    ]).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ code: 'invalid_input', details: { errors: [{ pointer: '/idBoard' }] } })
  })
})
