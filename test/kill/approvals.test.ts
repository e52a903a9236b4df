import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { withDirectory } from '../faces/process.ts'
import { randomFrom } from '../support/board-events.ts'
import { openPlace } from './approvals-place.ts'
import type { Place } from './approvals-place.ts'
import type { Answer } from './requests.ts'

/** A tenth by default; `npm run test:long` has all of them. */
const count = Number(process.env['HELD_RUNS'] ?? 50)
const kills = Number(process.env['HELD_KILLS'] ?? 3)
const random = randomFrom(Number(process.env['SEED'] ?? 23))
const atOnce = 8
/** Longer than the shortest time that a rule gives for a decision. */
const jumpMs = 90_000

/**
 * What two people decide at the same moment, and what they hear: of two that differ one is told that it came too late,
 * two that agree hear the same.
 */
const roles = {
  approve: { decisions: ['approve', 'approve'], statuses: [200, 200] },
  deny: { decisions: ['deny', 'deny'], statuses: [200, 200] },
  race: { decisions: ['approve', 'deny'], statuses: [200, 409] },
  // Decided once their time is over.
  expire: { decisions: ['approve', 'deny'], statuses: [410, 410] },
  leave: { decisions: [], statuses: [] },
} as const
type Role = keyof typeof roles
const inTen: Role[] = ['approve', 'race', 'approve', 'deny', 'approve', 'race', 'approve', 'expire', 'leave', 'expire']

/**
 * `isLost`: the outcome was given out while the server was killed. `isHeldAgain`: nobody decided in time, and the call was
 * made again under the same key.
 */
type Run = {
  name: string
  role: Role
  key: string | undefined
  id: string
  answers: Answer[]
  isLost: boolean
  isHeldAgain: boolean
}
/** Of each role, every second has an idempotency key. */
const newRun = (n: number): Run => ({
  name: `Held card ${n}`,
  role: inTen[Math.floor(n / 2) % 10]!,
  key: n % 2 === 0 ? undefined : `held-${n}`,
  id: '',
  answers: [],
  isLost: false,
  isHeldAgain: false,
})

type Token = { id: string; text: string }
type Tokens = { [who in 'agent' | 'hasty' | 'first' | 'second']: Token }

const codeOf = ({ status, json }: Answer): string => (status === 200 ? 'ok' : String(json.code))
const heldAs = ({ json }: Answer): string => json.approval?.id ?? `not held: ${JSON.stringify(json)}`

/** The life of a held run: asked for, decided by two at once, and asked for again. */
const livesAt = (place: Place, tokens: Tokens, jumped: Promise<void>) => {
  const deciders = [tokens.first.text, tokens.second.text]
  const create = ({ name, role, key }: Run) =>
    place.create(name, tokens[role === 'expire' ? 'hasty' : 'agent'].text, key)

  const decide = async ({ id, role, name }: Run): Promise<void> => {
    if (role === 'expire') await jumped
    const { decisions, statuses } = roles[role]
    const answers = await Promise.all(
      decisions.map((decision, n) => place.send(`/v1/approvals/${id}/${decision}`, { body: {}, token: deciders[n]! })),
    )
    expect([name, role, ...answers.map(({ status }) => status).toSorted()]).toEqual([name, role, ...statuses])
  }

  /** Repeats the call until it has its outcome. */
  const repeat = async (run: Run): Promise<void> => {
    let cuts = 0
    for (;;) {
      const answer = await create(run)
      cuts += answer.cuts
      if (codeOf(answer) !== 'approval_pending') return void run.answers.push(answer)
      if (heldAs(answer) !== run.id) {
        // Without a key an outcome is given out once, as is the end of what nobody decided; the next call is a new one.
        const isOnce = run.key === undefined || run.role === 'expire'
        // The end of what nobody decided is told once, with a key too: then the key is free.
        const wasTold = run.role === 'expire' && run.answers.length > 0
        expect([run.name, isOnce, cuts > 0 || run.isLost || wasTold]).toEqual([run.name, true, true])
        if (wasTold) return void (run.isHeldAgain = true)
        return void (run.isLost = true)
      }
      await wait(50)
    }
  }

  return async (run: Run): Promise<void> => {
    const held = await create(run)
    run.id = heldAs(held)
    expect([run.name, codeOf(held)]).toEqual([run.name, 'approval_pending'])
    expect(heldAs(await create(run))).toBe(run.id)
    await decide(run)
    if (run.role === 'leave') return
    await repeat(run)
    if (run.key !== undefined) await Promise.all([repeat(run), repeat(run)])
  }
}

const work = async (runs: Run[], width: number, live: (run: Run) => Promise<void>) => {
  const waiting = [...runs]
  const one = async () => {
    for (let run = waiting.shift(); run; run = waiting.shift()) await live(run)
  }
  await Promise.all(Array.from({ length: width }, one))
}

/** Kills the server at a moment of one of three kinds, and starts it again. */
const killAt = async (place: Place, kind: number, aheadMs: number): Promise<void> => {
  const { control } = place.board
  if (kind === 0) await wait(random() * 300)
  else {
    // It is being sent: the board has not done it, or has done it and does not answer.
    control.fault({
      match: { method: 'POST', path: '/1/cards' },
      cut: 'hang',
      when: kind === 1 ? 'after' : 'before',
      times: 2,
    })
    for (const end = performance.now() + 60_000; performance.now() < end; await wait(5))
      if (control.faults().some(({ hits }) => hits > 0)) break
    await wait(random() * 20)
  }
  await place.kill()
  control.clearFaults()
  await place.up(aheadMs)
}

/** Undefined: the board has what the approval says, and whoever asked again was told so. */
const wrongOf = (
  place: Place,
  { name, role, isLost, answers }: Run,
  approval: { state: string; code: string | null },
) => {
  const { state, code } = approval
  const cards = place.cards().get(name) ?? 0
  const told = answers.map(codeOf)
  const outcome = state === 'done' ? (code ?? 'ok') : `approval_${state}`
  const isThere = outcome === 'ok' ? cards === 1 : outcome === 'outcome_unknown' ? cards <= 1 : cards === 0
  const isTold = told.every((of) => of === outcome) && (told.length > 0 || isLost || role === 'leave')
  const may: { [of in Role]: string[] } = {
    approve: ['ok', 'outcome_unknown'],
    race: ['ok', 'outcome_unknown', 'approval_denied'],
    deny: ['approval_denied'],
    expire: ['approval_expired'],
    leave: ['approval_open'],
  }
  return isThere && isTold && may[role].includes(outcome)
    ? undefined
    : `${name}, ${role}: ${outcome}, told ${told.join(' and ')}, ${cards} cards`
}

it(`${count} held runs, decided twice, in races and too late, under ${kills} kills: each is sent at most once, those approved exactly once`, () =>
  withDirectory(async (folder) => {
    const place = await openPlace(folder)
    const [agent, hasty] = [await place.newToken('Agent', ['run']), await place.newToken('Hasty', ['run'])]
    const [first, second] = [
      await place.newToken('First', ['approvals']),
      await place.newToken('Second', ['approvals']),
    ]
    for (const [{ id }, expiresMinutes] of [
      [agent, 60],
      [hasty, 1],
    ] as const)
      await place.must('/v1/approval-rules', { body: { when: { tokens: [id] }, expiresMinutes } })
    const { promise: jumped, resolve: jump } = Promise.withResolvers<void>()
    const live = livesAt(place, { agent, hasty, first, second }, jumped)
    const runs = Array.from({ length: count }, (_, n) => newRun(n))
    const late = runs.filter(({ role }) => role === 'expire')
    const others = runs.filter(({ role }) => role !== 'expire')
    let lived = 0
    let hasFailed = false
    const living = Promise.all([
      work(late, late.length, live),
      work(others, atOnce, async (run) => {
        await live(run)
        lived += 1
      }),
    ]).catch((thrown: unknown) => {
      hasFailed = true
      throw thrown
    })
    const killing = async () => {
      for (let kill = 1; kill <= kills; kill += 1) {
        while (lived < (others.length * kill) / (kills + 1) && !hasFailed) await wait(5)
        if (hasFailed) return
        const hasJumped = kill > kills / 2
        await killAt(place, kill % 3, hasJumped ? jumpMs : 0)
        if (hasJumped) jump()
      }
    }
    await Promise.all([living, killing()])

    const wrong: string[] = []
    const outcomes: { [outcome: string]: number } = {}
    for (const run of runs) {
      const approval = await place.must(`/v1/approvals/${run.id}`)
      const outcome = `${approval.state} ${approval.code ?? ''}`.trim()
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      wrong.push(...[wrongOf(place, run, approval)].filter((text) => text !== undefined))
    }
    const lost = runs.filter(({ isLost }) => isLost).length
    console.log(`held runs: ${JSON.stringify(outcomes)}; ${lost} outcomes given out to a caller that a kill cut off`)
    expect(wrong).toEqual([])
    // Nothing else was sent, and no other run was made of these calls.
    const held = [...place.cards()].filter(([name]) => name.startsWith('Held card'))
    expect(held.filter(([, cards]) => cards > 1)).toEqual([])
    let rows = 0
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await place.must(`/v1/approvals?limit=100${cursor && `&cursor=${cursor}`}`)
      rows += page.items.length
      cursor = page.next
    }
    expect(rows).toBe(count + lost + runs.filter(({ isHeldAgain }) => isHeldAgain).length)
    expect(outcomes['done outcome_unknown'] ?? 0).toBeGreaterThan(0)
    expect(outcomes['done outcome_unknown']).toBeLessThanOrEqual(kills * atOnce)
  }))

it('what was approved or being sent when the server was killed is settled at once after it starts again', () =>
  withDirectory(async (folder) => {
    const place = await openPlace(folder)
    const [agent, approver] = [await place.newToken('Agent', ['run']), await place.newToken('Approver', ['approvals'])]
    await place.must('/v1/approval-rules', { body: { when: { tokens: [agent.id] }, expiresMinutes: 5 } })
    const names = Array.from({ length: 60 }, (_, n) => `Held card ${n}`)
    const ids = await Promise.all(names.map(async (name) => heldAs(await place.create(name, agent.text))))
    const { control } = place.board
    const sending = { match: { method: 'POST', path: '/1/cards' }, cut: 'hang', when: 'before' } as const
    control.fault({ ...sending, times: names.length })
    const approved = ids.slice(0, 50)
    await Promise.all(
      approved.map((id) => place.must(`/v1/approvals/${id}/approve`, { body: {}, token: approver.text })),
    )
    while (control.faults()[0]!.hits < 4) await wait(5)
    await place.kill()
    control.clearFaults()
    await place.up()
    const began = performance.now()
    const states = async () =>
      Promise.all(
        approved.map(async (id) => (await place.must(`/v1/approvals/${id}`)) as { state: string; code: string }),
      )
    let rows = await states()
    const within = async (ms: number, isOver: () => boolean) => {
      for (; !isOver(); rows = await states()) {
        expect(performance.now() - began).toBeLessThan(ms)
        await wait(100)
      }
      return Math.round(performance.now() - began)
    }
    // What was being sent: a server that does not know that it has started looks at it 15 s after it was sent.
    const sendingMs = await within(10_000, () => rows.filter(({ code }) => code === 'outcome_unknown').length >= 4)
    // The others are sent, four at a time, as fast as the machine is.
    const allMs = await within(180_000, () => rows.every(({ state }) => state === 'done'))
    console.log(`settled after ${sendingMs} ms, all after ${allMs} ms`)
    const cards = place.cards()
    const wrong = rows.filter(({ code }, n) => (cards.get(names[n]!) ?? 0) !== (code === null ? 1 : 0))
    expect(wrong).toEqual([])
    expect(rows.filter(({ code }) => code === 'outcome_unknown').length).toBeGreaterThanOrEqual(4)
    expect(rows.filter(({ code }) => code === null).length).toBeGreaterThanOrEqual(30)
  }))
