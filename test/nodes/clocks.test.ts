/** Nodes whose clocks are minutes off: what they do is timed by the clock of the database, which is right. */
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { decide } from '../connections/provider-pages.ts'
import { toolyard } from '../faces/process.ts'
import { attached, happen, prepareBoards, randomFrom, startsWanted } from '../support/board-events.ts'
import { postgresIsMissing } from '../support/postgres.ts'
import { startProvider } from '../support/provider.ts'
import { agentSecret, startAgent } from './agent.ts'
import { figure, seed } from './figures.ts'
import { adminToken, ask, must, openPlace, until } from './place.ts'
import type { OpenPlace } from './place.ts'

const second = 1000
const events = figure(600, 150)
/** In seconds. A node that fails at an offset of 120 fails at 900 too. */
const offsets = figure(2, 1) === 2 ? [120, 900] : [900]
const unlimited = { limits: { token: 1e9, key: 1e9, memberRoute: 1e9 } }

/** Two right clocks between two wrong ones, in ms. */
const clocksBy = (offMs: number) => [-offMs, 0, 0, offMs]

const checksOf = async (origin: string): Promise<{ id: string; level: string; detail: string }[]> =>
  (await must(origin, '/v1/admin/checks')).items.filter(({ id }: { id: string }) => id.startsWith('clock'))

describe.skipIf(postgresIsMissing())('nodes with wrong clocks', () => {
  it.each(offsets)(
    `at ±%s s, ${events} events: every start is called once, and signed with the right time`,
    async (offS) => {
      const agent = await startAgent(randomFrom(seed + 1), 600)
      onTestFinished(() => void agent.close())
      const place = await openPlace({
        clocks: clocksBy(offS * second),
        agentOrigin: agent.origin,
        board: unlimited,
        wire: { pace: { limits: [] } },
      })
      const { board, origin } = place
      const { boards, places } = prepareBoards(board)
      await place.connect()
      for (const { path, trigger } of attached)
        await must(origin, '/v1/subscriptions', {
          body: {
            integration: 'work-board',
            trigger,
            config: { boards },
            agent: { url: agent.origin + path, secret: agentSecret },
          },
        })
      // Ids of actions count in seconds.
      await wait(1_100)
      const began = Date.now()
      await happen(board, places, events, 25, randomFrom(seed), () => {})
      const isTold = () => board.control.deliveries().every(({ state }) => state === 'done' || state === 'lost')
      // The provider waits a minute and more before it tries again.
      await until('every delivery is over', isTold, 300_000)
      const expectedStarts = startsWanted(board, boards, began)
      await until('every start has come', () => expectedStarts.every((name) => agent.keys.has(name)), 120_000).catch(
        () => undefined,
      )
      await until(
        'nothing is open',
        async () => /^toolyard_starts_open 0$/m.test((await ask(origin, '/metrics')).json),
        180_000,
      )
      const calls = [...agent.calls.values()].map(({ length }) => length)
      const [earliest, latest] = [Math.min(...agent.aheadS), Math.max(...agent.aheadS)]
      const doubled = calls.filter((count) => count > 1).length
      console.log(
        `clocks at ±${offS} s: ${expectedStarts.length} starts, ${doubled} called twice, signed times ${earliest} to ${latest} s off`,
      )
      expect(expectedStarts.filter((name) => !agent.keys.has(name))).toEqual([])
      expect(doubled).toBe(0)
      // Signed with the right time, and on its way for a moment: on a busy machine for seconds, but for no minutes.
      expect([earliest > -30, latest < 5]).toEqual([true, true])
      expect(expectedStarts.length).toBeGreaterThanOrEqual(events)
    },
  )

  it('at ±900 s, what nodes and others signed or timed is judged by the right time', async () => {
    const contact = await startContactSandbox({ profile: 'lusha-v3' })
    onTestFinished(() => contact.close())
    const identities = await startIdentities()
    const place = await openPlace({
      clocks: clocksBy(900 * second),
      board: { ...unlimited, settings: { accessTokenMs: 600 * second } },
      provider: {
        integration: 'contact-data',
        override: contact.override,
        origin: `${contact.origin},${identities.origin}`,
      },
      env: { TOOLYARD_JWT: identities.file },
    })
    await signInAcross(place)
    await takeSigned(place)
    await takeIdentities(place, identities)
    await keepTokens(place)
  })

  it('a node says when its clock differs: a warning from 2 s on, not ready beyond 60 s', async () => {
    const place = await openPlace({ clocks: [0, -5, 90, -300].map((s) => s * second) })
    const { nodes } = place
    const said = async () => {
      const readiness = await Promise.all(nodes.map(({ origin }) => ask(origin, '/readyz')))
      return readiness.map(({ status, json }) => (status === 200 ? 'ready' : String(json.detail)))
    }
    // They are up, and say so of their clocks once their databases have answered them.
    await expect
      .poll(said, { timeout: 60_000 })
      .toEqual([
        'ready',
        'ready',
        expect.stringMatching(/clock.* 90 seconds ahead of .*database/),
        expect.stringMatching(/clock.* 300 seconds behind .*database/),
      ])
    // Of all nodes, whichever is asked.
    for (const { origin } of nodes) {
      const checks = await checksOf(origin)
      expect(checks.map(({ level }) => level).toSorted()).toEqual(['problem', 'problem', 'warning'])
      expect(checks.map(({ detail }) => detail).join('\n')).toMatch(/ 5 seconds behind/)
    }
    const doctor = async (to: string): Promise<{ check: string; state: string; says: string }[]> =>
      JSON.parse((await toolyard(['doctor', '--json'], { TOOLYARD_URL: to, TOOLYARD_TOKEN: adminToken })).out).findings
    const findings = (await doctor(nodes[1]!.origin)).filter(({ check }) => check === 'clocks')
    expect(findings.map(({ state }) => state).toSorted()).toEqual(['warn', 'wrong', 'wrong'])
    expect(findings.find(({ state }) => state === 'warn')!.says).toMatch(
      /^This server has a clock that is 5 seconds behind/,
    )
    const ofWrong = (await doctor(nodes[2]!.origin)).find(({ check }) => check === 'server')
    expect([ofWrong!.state, ofWrong!.says]).toEqual(['wrong', expect.stringMatching(/90 seconds ahead of/)])
    const metric = async (to: string) =>
      Number(/^toolyard_clock_ahead_seconds (\S+)$/m.exec((await ask(to, '/metrics')).json)?.[1])
    const ahead = await Promise.all(nodes.map(({ origin }) => metric(origin)))
    for (const [n, s] of [0, -5, 90, -300].entries()) expect(Math.abs(ahead[n]! - s)).toBeLessThan(1)
  })
})

const each = <T>({ nodes }: OpenPlace, work: (origin: string) => Promise<T>) =>
  Promise.all(nodes.map(({ origin }) => work(origin)))

/**
 * A link made by any node signs a browser in at any node, whose session is good at every node; a token ends when it
 * says, and not before.
 */
const signInAcross = async (place: OpenPlace) => {
  const { nodes } = place
  const answers: number[] = []
  for (const maker of nodes)
    for (const user of nodes) {
      const code = new URL((await must(maker.origin, '/v1/sign-in-codes', { method: 'POST' })).url).hash.replace(
        '#code=',
        '',
      )
      const headers = { 'content-type': 'application/json' }
      const signedIn = await fetch(`${user.origin}/v1/session`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ code }),
      })
      // Browsers send a cookie to every port of a host, so each server has a name of its own for it.
      const secret = signedIn.headers.get('set-cookie')?.split(';')[0]?.split('=')[1]
      const cookie = `toolyard_session_${maker.port}=${secret}`
      answers.push(signedIn.status, (await fetch(`${maker.origin}/v1/session`, { headers: { cookie } })).status)
    }
  const count = (status: number) => answers.filter((answer) => answer === status).length
  expect([count(201), count(200)]).toEqual([16, 16])

  const expiresAt = new Date(Date.now() + 15 * second).toISOString()
  const { text: token } = await must(nodes[1]!.origin, '/v1/admin/tokens', {
    body: { name: 'short', scopes: ['read'], expiresAt },
  })
  const statuses = () => each(place, async (to) => (await ask(to, '/v1/runs', { token })).status)
  expect(await statuses()).toEqual([200, 200, 200, 200])
  await wait(Date.parse(expiresAt) - Date.now())
  // By the time of the database as each node knows it, which is half of a round trip off.
  await expect.poll(statuses, { timeout: 30_000 }).toEqual([401, 401, 401, 401])
}

/** Deliveries with a signed time. */
const takeSigned = async (place: OpenPlace) => {
  const app = { key: 'account', secret: 'secret-of-the-webhook' }
  await must(place.origin, '/v1/apps/contact-data', { method: 'PUT', body: app })
  const optOut = (at: number) => async (to: string) => {
    const datapoints = [{ datapointId: 'no.one@example.org', datapointType: 'email' }]
    const body = JSON.stringify({ contactId: '1', datapoints })
    const time = String(Math.floor(at / second))
    const signature = createHmac('sha256', app.secret).update(`${time}.${body}`).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-lusha-signature': signature, 'x-lusha-timestamp': time }
    return (await fetch(`${to}/hooks/contact-data/opt-outs.default`, { method: 'POST', headers, body })).status
  }
  expect(await each(place, optOut(Date.now()))).toEqual([200, 200, 200, 200])
  for (const off of [-900, 900])
    expect(await each(place, optOut(Date.now() + off * second))).toEqual([401, 401, 401, 401])
}

/** An identity provider, and the file that names it. */
const startIdentities = async () => {
  const keys = await generateKeyPair('ES256', { extractable: true })
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256' }] })
  const { origin, close } = await startProvider(
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(jwks),
  )
  onTestFinished(close)
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-clocks-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'jwt.json')
  writeFileSync(file, JSON.stringify({ issuer: 'https://id.example', audience: 'toolyard', jwksUrl: `${origin}/keys` }))
  /** A token that counts from then until then, in s from now. */
  const sign = (fromS: number, untilS: number) =>
    new SignJWT({ tenant: 'default', scope: 'read' })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer('https://id.example')
      .setAudience('toolyard')
      .setSubject('ada')
      .setNotBefore(new Date(Date.now() + fromS * second))
      .setExpirationTime(new Date(Date.now() + untilS * second))
      .sign(keys.privateKey)
  return { origin, file, sign }
}

const takeIdentities = async (place: OpenPlace, { sign }: Awaited<ReturnType<typeof startIdentities>>) => {
  const statuses = async (fromS: number, untilS: number) => {
    const token = await sign(fromS, untilS)
    return each(place, async (to) => (await ask(to, '/v1/runs', { token })).status)
  }
  expect(await statuses(-1, 60)).toEqual([200, 200, 200, 200])
  expect(await statuses(-700, -600)).toEqual([401, 401, 401, 401])
  expect(await statuses(600, 700)).toEqual([401, 401, 401, 401])
}

/** A token of ten minutes is good for ten minutes: nobody renews it before. */
const keepTokens = async (place: OpenPlace) => {
  const request = { integration: 'work-board', type: 'oauth' }
  const { url } = await must(place.origin, '/v1/connections/authorize', { body: request })
  const page = await fetch(url)
  const cookie = page.headers.get('set-cookie')!.split(';')[0]!
  const leave = {
    method: 'POST',
    body: new URLSearchParams({ leave: 'yes' }),
    headers: { cookie, origin: place.origin },
  }
  const left = await fetch(url, { ...leave, redirect: 'manual' })
  const returned = await decide(left.headers.get('location')!, 'allow')
  const done = await fetch(returned, { headers: { cookie } })
  expect(done.status, await done.text()).toBe(200)
  for (let turn = 0; turn < 3; turn += 1)
    await each(place, (to) => must(to, '/v1/steps/work-board/get-boards/run', { body: { input: {} } }))
  const exchanges = place.board.control.requests().filter(({ path }) => path === '/oauth/token')
  // That of the code.
  expect(exchanges).toHaveLength(1)
}
