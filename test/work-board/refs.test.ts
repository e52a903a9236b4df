import { describe, expect, it } from 'vitest'
import { readRef } from '../../integrations/work-board/refs.ts'
import { ids } from './fake.ts'

describe('what names a card or board', () => {
  it.each([
    [ids.card, ids.card],
    [ids.card.toUpperCase(), ids.card],
    [` ${ids.card} `, ids.card],
    ['mN4tR8wL', 'mN4tR8wL'],
    ['https://trello.com/c/mN4tR8wL', 'mN4tR8wL'],
    ['https://trello.com/c/mN4tR8wL/7-order-tiles', 'mN4tR8wL'],
    ['https://trello.com/c/mN4tR8wL/7-order-tiles?filter=due:day#comment-68e4c1a05d2f9b3c7a106e01', 'mN4tR8wL'],
    ['https://trello.com/c/mN4tR8wL.json', 'mN4tR8wL'],
    ['trello.com/c/mN4tR8wL', 'mN4tR8wL'],
    ['HTTPS://TRELLO.COM/C/mN4tR8wL', 'mN4tR8wL'],
    ['http://127.0.0.1:4711/c/mN4tR8wL/7-order-tiles', 'mN4tR8wL'],
  ])('reads a card from %s', (input, value) => {
    expect(readRef('card', input)).toEqual({ ok: true, value })
  })

  it('reads a board from its page address', () => {
    expect(readRef('board', 'https://trello.com/b/Tb5Hn3Qa/kitchen-refit')).toEqual({ ok: true, value: 'Tb5Hn3Qa' })
  })

  it.each([
    '../boards/x',
    'a/b',
    'a?x',
    '',
    '.',
    '..',
    'mN4tR8w',
    'mN4tR8wLx',
    `${ids.card}0`,
    'mN4t R8w',
    'https://trello.com/c/mN4tR8wLL/7',
    'https://trello.com/x/mN4tR8wL',
    'https://user@trello.com/c/mN4tR8wL',
    'javascript:trello.com/c/mN4tR8wL',
    'ftp://trello.com/c/mN4tR8wL',
    '/c/mN4tR8wL',
    `mN4tR8wL\nHost: evil.test`,
  ])('refuses %j and says what to give', (input) => {
    const read = readRef('card', input)
    expect(read).toMatchObject({
      ok: false,
      reason: expect.stringContaining(
        "Give the card's 24-character id, its 8-character short link, or its page address",
      ),
    })
  })

  it('says when the address is of the other kind', () => {
    expect(readRef('card', 'https://trello.com/b/Tb5Hn3Qa/kitchen-refit')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('is the address of a board, but a card is wanted'),
    })
    expect(readRef('board', 'https://trello.com/c/mN4tR8wL')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('is the address of a card, but a board is wanted'),
    })
  })

  it('refuses long text at once and does not repeat it', () => {
    const read = readRef('card', `https://trello.com/c/${'a'.repeat(50_000)}!`)
    expect(read.ok).toBe(false)
    expect(read.ok ? '' : read.reason).toMatch(/^The card is 50022 characters long/)
    expect((read.ok ? '' : read.reason).length).toBeLessThan(300)
  })
})
