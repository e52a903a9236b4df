/** Two servers that share a store: whatever one of them does, the other one knows with the next request. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { HttpApp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { clientOf, startOpenIdProvider } from './openid-provider.ts'
import type { OpenIdProvider } from './openid-provider.ts'

const publicUrl = 'https://tools.example/base'
const host = 'tools.example'
let provider: OpenIdProvider
let packs: Pack[]
let nodes: HttpApp[]

beforeEach(async () => {
  provider = await startOpenIdProvider()
  const [store, masterKey] = [createMemoryStore(), Buffer.alloc(32, 7)]
  const open = () =>
    createPack({
      store,
      masterKey,
      publicUrl,
      egress: { ownOrigins: [provider.origin] },
      login: { issuer: provider.origin, ...clientOf, domains: ['example.org'], firstUse: { people: true } },
    })
  packs = [await open(), await open()]
  nodes = await Promise.all(packs.map(async (pack) => createHttp({ pack, version: '0', publicUrl })))
})
afterEach(async () => {
  for (const node of nodes) await node.close()
  for (const pack of packs) await pack.close().catch(() => undefined)
  await provider.close()
})

const cookiesOf = (header: string | string[] | undefined) => [header ?? []].flat()

/** Begins at one node and comes back to another; returns the session's cookie. */
const signIn = async (begin: HttpApp, end: HttpApp) => {
  const left = await begin.inject({ url: '/login', headers: { host } })
  const kept = cookiesOf(left.headers['set-cookie'])[0]!
  expect(kept).toMatch(/^__Host-toolyard-login=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  const answer = await fetch(left.headers.location!, { redirect: 'manual' })
  const returned = new URL(answer.headers.get('location')!)
  expect(returned.href.startsWith(`${publicUrl}/login/callback?`)).toBe(true)
  const done = await end.inject({
    url: `/login/callback${returned.search}`,
    headers: { host, cookie: kept.split(';')[0]! },
  })
  expect([done.statusCode, done.headers.location]).toEqual([303, '/base/console/'])
  return cookiesOf(done.headers['set-cookie'])
    .find((line) => line.startsWith('toolyard_session='))!
    .split(';')[0]!
}
const sessionAt = async (node: HttpApp, cookie: string) => {
  const reply = await node.inject({ url: '/v1/session', headers: { host, cookie } })
  return { status: reply.statusCode, json: reply.json() }
}

describe('a sign-in', () => {
  it('begins at one node and ends at another', async () => {
    const cookie = await signIn(nodes[0]!, nodes[1]!)
    expect((await sessionAt(nodes[0]!, cookie)).json.token.person).toBe('ada-1')
  })

  it('ends on every node with the next request, however it ends', async () => {
    const [first, second] = [await signIn(nodes[0]!, nodes[1]!), await signIn(nodes[1]!, nodes[0]!)]
    const { json } = await sessionAt(nodes[0]!, first)
    await nodes[0]!.inject({
      method: 'DELETE',
      url: '/v1/session',
      headers: { host, cookie: first, origin: 'https://tools.example', 'x-csrf-token': json.csrfToken },
    })
    expect(await Promise.all(nodes.map(async (node) => (await sessionAt(node, first)).status))).toEqual([401, 401])
    expect(await Promise.all(nodes.map(async (node) => (await sessionAt(node, second)).status))).toEqual([200, 200])
    await packs[1]!.tokens.revoke('default', json.token.id)
    expect(await Promise.all(nodes.map(async (node) => (await sessionAt(node, second)).status))).toEqual([401, 401])
  })
})
