/** Whatever way a request takes to a provider, nothing is sent that a guard holds: every way in, with every guard. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startProvider } from '../support/provider.ts'
import { email, guarded, wire } from './guarded.ts'
import { guards, loadChoices, ways } from './ways.ts'
import type { World } from './ways.ts'

const operator = { tenant: 'default' }

let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider((request, response, body) => {
    const found = { email, title: 'Buyer' }
    const isBulk = request.url === '/people'
    const isList = /^\/(?:people\/search|titles|seniorities)/.test(request.url!)
    const answer = isBulk ? (JSON.parse(body) as { who: unknown[] }).who.map(() => found) : isList ? [found] : found
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
})
afterAll(() => provider.close())

const open: Pack[] = []
afterAll(() => Promise.all(open.map((pack) => pack.close())))

const openWorld = async (): Promise<World> => {
  const pack = await createPack({
    integrations: [guarded],
    wire: { guarded: { ...wire, baseUrl: provider.origin } },
    egress: { privateOrigins: [provider.origin] },
    log: () => {},
  })
  open.push(pack)
  const { id } = await pack.connections.create(operator, {
    integration: 'guarded',
    type: 'api-key',
    name: 'Main',
    secrets: { apiKey: 'a-key-0123456789' },
  })
  provider.seen.length = 0
  return { pack, caller: operator, connection: id }
}

describe.each(Object.entries(ways))('%s', (_, way) => {
  it('is sent where nothing holds it', async () => {
    expect(await way.go(await openWorld())).toBe('sent')
    expect(provider.seen.length).toBeGreaterThan(0)
  })

  it.each(Object.entries(guards).filter(([name]) => !(way.without ?? []).includes(name)))(
    'is held by %s',
    async (_name, guard) => {
      const world = await openWorld()
      const code = await way.go(await guard.hold(world))
      expect(provider.seen).toEqual([])
      expect([...guard.codes, ...(way.also ?? [])]).toContain(code)
    },
  )
})

describe('an outcome that is stored with a key', () => {
  it.each(Object.entries(guards).filter(([name]) => name !== 'a bound token'))(
    'is given again under %s, and nothing is sent',
    async (_name, guard) => {
      const world = await openWorld()
      const run = (at: World) =>
        at.pack.steps.run(at.caller, {
          integration: 'guarded',
          step: 'find',
          input: { email },
          idempotencyKey: 'once',
          refresh: true,
          ...(at.maxCredits === undefined ? {} : { maxCredits: at.maxCredits }),
        })
      await run(world)
      provider.seen.length = 0
      await run(await guard.hold(world))
      expect(provider.seen).toEqual([])
    },
  )
})

it('choices that cost credits are not loaded, whatever there is room for', async () => {
  expect(await loadChoices('search', 'seniority').go(await openWorld())).toBe('budget_exceeded')
  expect(provider.seen).toEqual([])
})

it('what is free is sent where there is no room at all', async () => {
  const world = await openWorld()
  const held = await guards['a budget of 0']!.hold(world)
  const free = await held.pack.steps.run(operator, {
    integration: 'guarded',
    step: 'api-call',
    input: { method: 'GET', path: '/free' },
  })
  expect(free.ok).toBe(true)
  expect(provider.seen).toHaveLength(1)
})
