/** What may happen once happens once, whichever node is asked. */
import { beforeAll, describe, expect, it } from 'vitest'
import { decide } from '../connections/provider-pages.ts'
import { postgresIsMissing } from '../support/postgres.ts'
import { figure } from './figures.ts'
import { ask, must, openShared, until } from './place.ts'
import type { OpenPlace } from './place.ts'

const calls = 200
const races = figure(200)
const perRace = 16

const run = (origin: string, step: string, input: object, headers: Record<string, string> = {}) =>
  ask(origin, `/v1/steps/work-board/${step}/run`, { body: { input }, headers })

/** A browser that connects an account by OAuth 2.0; each of its requests may reach another node. */
const connectByOAuth = async ({ origin }: OpenPlace) => {
  const { url } = await must(origin, '/v1/connections/authorize', {
    body: { integration: 'work-board', type: 'oauth' },
  })
  const page = await fetch(url)
  const cookie = page.headers.get('set-cookie')!.split(';')[0]!
  const left = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ leave: 'yes' }),
    headers: { cookie, origin },
  })
  expect(left.status, await left.text()).toBe(303)
  const returned = await decide(left.headers.get('location')!, 'allow')
  const done = await fetch(returned, { headers: { cookie } })
  expect(done.status, await done.text()).toBe(200)
}

describe.skipIf(postgresIsMissing())('once across nodes', () => {
  let place: OpenPlace
  beforeAll(async () => {
    place = await openShared({
      board: { keepRequests: 100_000, limits: { token: 1e6, key: 1e6, memberRoute: 1e6 } },
      wire: { pace: { limits: [], concurrency: 64 } },
    })
    await connectByOAuth(place)
    return place.close
  })

  it(`${calls} callers on 2 nodes with an expired token: one refresh`, async () => {
    const { board } = place
    const nodes = place.nodes.slice(0, 2)
    const refreshes = () =>
      board.control.requests().filter(({ path, method }) => method === 'POST' && path === '/oauth/token').length
    const before = refreshes()
    // Each node has used the token, and holds what it knows of it.
    for (const { origin } of nodes) expect((await run(origin, 'get-boards', {})).status).toBe(200)
    for (const token of board.state.tokens.values())
      if (token.kind === 'oauth2') token.dateExpires = new Date(0).toISOString()
    const answers = await Promise.all(
      Array.from({ length: calls }, (_, n) => run(nodes[n % nodes.length]!.origin, 'get-boards', {})),
    )
    console.log(`one refresh: ${refreshes() - before} refreshes for ${calls} callers`)
    expect(answers.filter(({ status }) => status !== 200).map(({ json }) => json)).toEqual([])
    expect(refreshes() - before).toBe(1)
    const { items } = await must(place.origin, '/v1/connections')
    expect(items).toMatchObject([{ state: 'connected' }])
  })

  it(`${races} races of ${perRace} callers with one idempotency key on 4 nodes: one write each, and one outcome`, async () => {
    const { board, nodes } = place
    const [list] = board.control.overview().flatMap(({ lists }) => lists)
    const countByStatus = new Map<number, number>()
    for (let race = 0; race < races; race += 1) {
      const name = `Card of race ${race}`
      const input = { idList: list!.id, name }
      const answers = await Promise.all(
        Array.from({ length: perRace }, (_, n) =>
          run(nodes[n % nodes.length]!.origin, 'create-card', input, { 'idempotency-key': `race-${race}` }),
        ),
      )
      for (const { status } of answers) countByStatus.set(status, (countByStatus.get(status) ?? 0) + 1)
      const made = [...board.state.cards.values()].filter((card) => card.name === name)
      expect(made.length, name).toBe(1)
      const ids = new Set(answers.filter(({ status }) => status === 200).map(({ json }) => json.output.id as string))
      expect([...ids], name).toEqual([made[0]!.id])
      // Nobody is told that it may have failed.
      expect(answers.filter(({ status }) => status !== 200).map(({ json }) => json)).toEqual([])
      // Later, any node knows it.
      for (const { origin } of nodes)
        expect((await run(origin, 'create-card', input, { 'idempotency-key': `race-${race}` })).json).toMatchObject({
          output: { id: made[0]!.id },
        })
    }
    console.log(`idempotency: ${races} races, answers`, countByStatus)
  })

  it('a node that is killed while it sends with an idempotency key: no other node sends it again', async () => {
    const { board, nodes } = place
    const [list] = board.control.overview().flatMap(({ lists }) => lists)
    const [first, ...otherNodes] = nodes
    for (let turn = 0; turn < figure(20); turn += 1) {
      const name = `Card of kill ${turn}`
      const send = (origin: string) =>
        run(origin, 'create-card', { idList: list!.id, name }, { 'idempotency-key': `kill-${turn}` }).catch(
          () => undefined,
        )
      const count = () => [...board.state.cards.values()].filter((card) => card.name === name).length
      // The board does it, and does not answer.
      board.control.fault({ match: { method: 'POST', path: '/1/cards' }, cut: 'hang', when: 'after' })
      const sent = send(first!.origin)
      await until('the board has made the card', () => count() === 1, 30_000)
      await first!.kill()
      await sent
      const answers = await Promise.all(otherNodes.map(({ origin }) => send(origin)))
      expect(count(), name).toBe(1)
      // Whoever asks is told that it is under way or unknown, or of the card that was found at the board.
      for (const answer of answers) expect([200, 409, 424], JSON.stringify(answer?.json)).toContain(answer?.status)
      expect(await first!.start()).toBe(true)
    }
  })
})
