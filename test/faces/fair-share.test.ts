import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createFairShare } from '../../shared/faces/http/fair-share.ts'
import { createPack } from '../../shared/pack.ts'

it('one tenant may use everything while nobody else needs it, and gives it up down to an even share', () => {
  const shares = createFairShare(10)
  const ended: string[] = []
  for (let count = 0; count < 10; count += 1)
    expect(shares.acquire('loud', () => ended.push(`loud ${count}`))).toBeDefined()
  expect(shares.acquire('loud', () => undefined)).toBeUndefined()
  // The first of a tenant is never refused and ends nobody else's.
  expect(shares.acquire('quiet', () => ended.push('quiet'))).toBeDefined()
  expect(ended).toEqual([])
  for (let count = 0; count < 4; count += 1) expect(shares.acquire('quiet', () => ended.push('quiet'))).toBeDefined()
  expect(ended).toEqual(['loud 0', 'loud 1', 'loud 2', 'loud 3'])
  expect([shares.countOf('loud'), shares.countOf('quiet')]).toEqual([6, 5])
  expect(shares.acquire('quiet', () => undefined)).toBeUndefined()
})

it('however many tenants hold streams, none is refused its first', () => {
  const shares = createFairShare(10)
  for (let tenant = 0; tenant < 50; tenant += 1)
    expect(shares.acquire(`tenant ${tenant}`, () => expect.unreachable('a first stream was ended'))).toBeDefined()
})

it('releasing twice counts once', () => {
  const shares = createFairShare(2)
  const release = shares.acquire('a', () => undefined)!
  shares.acquire('a', () => undefined)
  release()
  release()
  expect(shares.countOf('a')).toBe(1)
})

it('100 streams of one tenant do not keep another one from the stream of events', async () => {
  const pack = await createPack()
  const http = await createHttp({ pack, version: '0.0.0' })
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  await pack.tenants.ensure('quiet', 'Quiet')
  const tokenOf = async (tenant: string) =>
    (await pack.tokens.create(tenant, { name: 'Stream', scopes: ['read'] })).text
  const open = (token: string) =>
    new Promise<IncomingMessage>((resolve, reject) =>
      request({ port, path: '/v1/stream', headers: { authorization: `Bearer ${token}` }, agent: false }, resolve)
        .on('error', reject)
        .end(),
    )
  const loud = await tokenOf('default')
  const streams = await Promise.all(Array.from({ length: 100 }, () => open(loud)))
  const refused = await open(loud)
  const quiet = await open(await tokenOf('quiet'))
  const all = [...streams, refused, quiet]
  for (const stream of all) stream.on('error', () => undefined)
  expect(streams.every(({ statusCode }) => statusCode === 200)).toBe(true)
  expect([refused.statusCode, quiet.statusCode]).toEqual([429, 200])
  for (const stream of all) stream.destroy()
  await http.close()
  await pack.close()
})
