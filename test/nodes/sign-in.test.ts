/** People let programs in where each request, of the program and of the browser, comes to another node. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { checkConformance, checkPrograms } from '../mcp/sign-in/check.ts'
import { redirectUris } from '../mcp/sign-in/clients.ts'
import { startTeamProvider } from '../mcp/sign-in/openid.ts'
import { letIn } from '../mcp/sign-in/person.ts'
import { startDocuments } from '../oauth/document.ts'
import { askToken, letIn as letInClient, redirectUri, signedInClient, statusAt } from '../oauth/world.ts'
import { postgresIsMissing } from '../support/postgres.ts'
import { adminToken, ask, must, openShared, until } from './place.ts'
import type { OpenPlace } from './place.ts'
import { startTurns } from './turns.ts'

const tools = fileURLToPath(new URL('../tools', import.meta.url))
const publicHost = 'documents.example.com'
const seconds = 5

/** Three nodes, each request at the next one; `env`: their settings. */
const openTurns = async (options: Parameters<typeof openShared>[0] = {}) => {
  const turns = await startTurns()
  const place = await openShared({ nodes: 3, ...options, env: { TOOLYARD_PUBLIC_URL: turns.origin, ...options.env } })
  turns.to(place.nodes)
  await place.connect()
  const close = async () => {
    await place.close()
    await turns.close()
  }
  return { ...place, turns, address: turns.origin, token: adminToken, close }
}

const openFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-sign-in-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The same at each node. */
const atEach = <T>({ nodes }: Pick<OpenPlace, 'nodes'>, work: (origin: string) => Promise<T>) =>
  Promise.all(nodes.map(({ origin }) => work(origin)))

/** Rejects when a node still takes the token at the API then, or a stream is open that a node answered it with. */
const expectEnded = async (place: OpenPlace, how: string, access: string, streams: Promise<unknown>[]) => {
  const end = performance.now() + seconds * 1_000
  const isOver = async () => {
    const statuses = await atEach(place, (origin) => statusAt(origin, '/v1/runs', access))
    return statuses.every((status) => status === 401)
  }
  await until(`${how}: no node lets it in`, isOver, seconds * 1_000)
  const late = wait(Math.max(0, end - performance.now()), 'open')
  expect([how, await Promise.race([Promise.all(streams).then(() => 'ended'), late])]).toEqual([how, 'ended'])
}

describe.skipIf(postgresIsMissing())('sign-in over several nodes', () => {
  // Absent only where the checkers are not installed; .ci/run installs them before.
  it.skipIf(!existsSync(join(tools, 'node_modules')) && process.env['TOOLYARD_POSTGRES'] !== 'required')(
    'programs of others are added by the address alone, for people with a token and of a team',
    async () => {
      const [provider, documents] = [await startTeamProvider(tools), await startDocuments(redirectUris, publicHost)]
      onTestFinished(() => provider.close())
      onTestFinished(() => documents.close())
      const folder = openFolder()
      const login = join(folder, 'login.json')
      writeFileSync(login, JSON.stringify(provider.login), { mode: 0o600 })
      const place = await openTurns({
        privateOrigins: [provider.issuer],
        env: {
          TOOLYARD_LOGIN: login,
          NODE_OPTIONS: `--import ${fileURLToPath(new URL('public-host.ts', import.meta.url))}`,
          NODE_EXTRA_CA_CERTS: documents.certificate,
          PUBLIC_HOST: publicHost,
          PUBLIC_HOST_PORT: String(documents.port),
        },
      })
      onTestFinished(() => place.close())
      const { address, token, turns, nodes } = place
      provider.serve(`${address}/login/callback`)
      const problems: string[] = []
      const expectThat = (holds: boolean, otherwise: string) => void (holds || problems.push(otherwise))
      for (const who of [{ token }, { name: 'ada' }]) {
        const open = (url: string) => letIn(url, [address, provider.issuer], who)
        const front = { address, tools, folder, letIn: open }
        await checkPrograms(front, {
          boards: place.board.control.overview().map(({ name }) => name),
          document: `${documents.origin}/client.json`,
          person: 'name' in who ? who.name : null,
          token,
          expectThat,
        })
        await checkConformance(front, expectThat)
      }
      expect(problems).toEqual([])
      for (const path of ['/oauth/authorize', '/oauth/token', '/login/callback', '/mcp'])
        expect(new Set(turns.requests.filter((row) => row.path === path).map(({ port }) => port)).size).toBe(
          nodes.length,
        )
    },
  )

  describe('of programs that people let in', () => {
    let place: Awaited<ReturnType<typeof openTurns>>
    beforeAll(async () => {
      place = await openTurns()
      return place.close
    })

    it('what was let in works at every node, and has ended at every node within five seconds, however it ends', async () => {
      const { address, nodes, turns } = place
      const refreshAt = (node: number, { client, refresh }: { client: string; refresh: string }) =>
        askToken(nodes[node]!.origin, { grant_type: 'refresh_token', refresh_token: refresh, client_id: client })
      /** A program that got tokens twice, at two nodes, and holds a stream of each node. */
      const openLife = async () => {
        const signer = await must(address, '/v1/admin/tokens', {
          body: { tenant: 'default', name: 'Ada', scopes: ['run', 'read'] },
        })
        const began = turns.requests.length
        const first = await signedInClient({ address, token: signer.text }, { resource: `${address}/v1` })
        // The registration, two pages with an answer each, and the code.
        expect(turns.requests.length - began).toBeGreaterThanOrEqual(6)
        const { json } = await refreshAt(0, first)
        const next = { ...first, access: json['access_token'] as string, refresh: json['refresh_token'] as string }
        for (const access of [first.access, next.access])
          expect(await atEach(place, (origin) => statusAt(origin, '/v1/runs', access))).toEqual([200, 200, 200])
        const headers = { authorization: `Bearer ${next.access}` }
        const streams = await atEach(place, async (origin) => fetch(`${origin}/v1/stream`, { headers }))
        expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
        const grant = (await must(nodes[1]!.origin, '/v1/grants?limit=1')).items[0].id as string
        return { first, next, grant, signer: signer.token.id as string, streams }
      }
      type Life = Awaited<ReturnType<typeof openLife>>
      const ways: Record<string, (life: Life) => Promise<unknown>> = {
        'the program ends it': ({ next }) =>
          fetch(`${address}/oauth/revoke`, {
            method: 'POST',
            body: new URLSearchParams({ token: next.refresh, client_id: next.client }),
          }),
        'a refresh token is used twice': ({ first }) => refreshAt(1, first),
        'somebody ends the grant': ({ grant }) => must(address, `/v1/grants/${grant}`, { method: 'DELETE' }),
        'the token that signed it is revoked': ({ signer }) =>
          must(address, `/v1/admin/tokens/${signer}`, { method: 'DELETE' }),
      }
      const lives: [string, Life][] = []
      for (const how of Object.keys(ways)) lives.push([how, await openLife()])
      await Promise.all(
        lives.map(async ([how, life]) => {
          await ways[how]!(life)
          await expectEnded(
            place,
            how,
            life.next.access,
            life.streams.map((stream) => stream.text()),
          )
          const refreshed = await Promise.all([0, 1, 2].map((node) => refreshAt(node, life.next)))
          expect([how, ...refreshed.map(({ status }) => status)]).toEqual([how, 400, 400, 400])
        }),
      )
    })

    it('a code and a refresh token that come to every node at once are taken once, and end what they gave', async () => {
      const redeem = async (client: string, form: Record<string, string>) => {
        const answers = await atEach(place, (origin) => askToken(origin, { client_id: client, ...form }))
        const taken = answers.filter(({ status }) => status === 200)
        expect(taken.length).toBeLessThanOrEqual(1)
        expect(answers.filter(({ json }) => json['error'] === 'invalid_grant')).toHaveLength(3 - taken.length)
        for (const { json } of taken)
          expect(await atEach(place, (origin) => statusAt(origin, '/mcp', json['access_token']))).toEqual([
            401, 401, 401,
          ])
      }
      const { client, code, verifier } = await letInClient(place)
      await redeem(client, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      })
      const other = await signedInClient(place)
      await redeem(other.client, { grant_type: 'refresh_token', refresh_token: other.refresh })
      expect((await ask(place.address, '/v1/grants')).json.items).toEqual([])
    })
  })
})
