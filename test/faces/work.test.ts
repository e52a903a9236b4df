/**
 * What the largest answers and bodies of any shape cost, through each face. CPU time is counted, against reading and
 * printing the same text in the same process, so that neither a slow nor a busy machine decides; what is measured
 * exactly is in `npm run bench -- work`.
 */
import { describe, expect, it } from 'vitest'
import { inputLimits } from '#kit'
import { shapesOf } from '../support/shapes.ts'
import { openFacesWorld, secret } from '../support/faces-world.ts'
import { plainMs, workOf } from '../support/work.ts'

const world = await openFacesWorld()

/** Four times what is promised: a thread that shares its core counts more than it works. */
const mostTurnMs = 400
const mostTimes = 30
const startMs = 500

const expectBounded = async (name: string, text: string, work: () => Promise<unknown>) => {
  let { allMs, turnMs } = await workOf(work)
  // Beside other work a measurement may count too much, never too little.
  for (let again = 0; again < 4 && !(turnMs < mostTurnMs && allMs < startMs + mostTimes * plainMs(text)); again += 1) {
    const next = await workOf(work)
    ;[allMs, turnMs] = [Math.min(allMs, next.allMs), Math.min(turnMs, next.turnMs)]
  }
  expect(turnMs, `${name}: longest turn, ms`).toBeLessThan(mostTurnMs)
  expect(allMs, `${name}: CPU, ms`).toBeLessThan(startMs + mostTimes * plainMs(text))
}

describe('the largest replies of a provider', () => {
  it.each(Object.entries(shapesOf(2_000_000, secret)))(
    '%s: read through every face within bounds, and never with a secret',
    async (name, text) => {
      world.answer(text)
      for (const [face, read] of Object.entries(world.reads)) {
        let said: Awaited<ReturnType<typeof read>>
        await expectBounded(`${name}, ${face}`, text, async () => (said = await read()))
        expect(said!.code, face).toBe('ok')
        expect(said!.text.includes(secret), face).toBe(false)
      }
    },
  )
})

describe('replies beyond the limits', () => {
  const level = `{"text":"${'x'.repeat(160)}","next":`
  const rows: [shape: string, text: string, code: string][] = [
    [
      'an object of 300,000 names',
      JSON.stringify(Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`k${index}`, index]))),
      'too_large',
    ],
    ['40,000 levels in 7 MB', `${level.repeat(40_000)}1${'}'.repeat(40_000)}`, 'bad_reply'],
    ['3,000,000 lists', `[${'[],'.repeat(3_000_000)}0]`, 'too_large'],
  ]
  it.each(rows)('%s: refused by every face before they stall anybody', async (name, text, code) => {
    world.answer(text)
    for (const [face, read] of Object.entries(world.reads)) {
      let said: Awaited<ReturnType<typeof read>>
      let turnMs = Infinity
      // As above: the first call of a face loads it, too, and a measurement may count too much.
      for (let tries = 0; tries < 4 && turnMs >= mostTurnMs; tries += 1)
        turnMs = Math.min(turnMs, (await workOf(async () => (said = await read()))).turnMs)
      expect(turnMs, `${name}, ${face}`).toBeLessThan(mostTurnMs)
      expect(said!.code, face).toBe(code)
    }
  })
})

describe('the largest bodies of requests', () => {
  it.each(Object.entries(shapesOf(1_000_000, 'no-secret-of-an-account-here', inputLimits)))(
    '%s: taken or refused within bounds',
    async (name, text) => {
      world.answer('{"id":"a"}')
      for (const [face, write] of Object.entries(world.writes)) {
        let said: Awaited<ReturnType<typeof write>>
        await expectBounded(`${name}, ${face}`, text, async () => (said = await write(text)))
        expect(['ok', 'invalid_input', 'too_large'], face).toContain(said!.code)
      }
    },
  )
})

it('the longest page of a list costs a few times its text, and stalls nobody', async () => {
  const read = await world.fullPage()
  const text = await read()
  expect(text.length).toBeGreaterThan(2_000_000)
  await expectBounded('a page of accounts', text, read)
})
