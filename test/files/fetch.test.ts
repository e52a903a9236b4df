import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bytesOf, openFilesWorld } from './world.ts'
import { startProvider } from '../support/provider.ts'

const content = bytesOf(700_000)
/** 100 MB of nothing: 100 kB compressed. */
const bomb = gzipSync(Buffer.alloc(100_000_000))

const trap = await startProvider((_, response) => response.end('internal'))
const elsewhere = await startProvider(({ url }, response) => {
  const path = url!.split('?')[0]!
  if (path === '/bomb') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  if (path === '/packed.txt') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('unfolded'))
  if (path === '/damaged') return response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip at all')
  if (path === '/strange') return response.writeHead(200, { 'content-encoding': 'zstd' }).end('x')
  if (path === '/away') return response.writeHead(302, { location: `${trap.origin}/secret` }).end()
  if (path === '/moved') return response.writeHead(302, { location: '/files/report.pdf' }).end()
  if (path === '/round') return response.writeHead(302, { location: '/round' }).end()
  if (path === '/huge') return response.writeHead(200, { 'content-length': '1000000000' }).write('x')
  if (path === '/cut')
    return response.writeHead(200, { 'content-length': '1000' }).write('half', () => response.destroy())
  if (path === '/named')
    return response.writeHead(200, { 'content-disposition': 'attachment; filename="../../etc/passwd"' }).end('x')
  if (path === '/absent') return response.writeHead(404).end('no')
  return response.writeHead(200, { 'content-type': 'application/pdf' }).end(content)
})
const world = await openFilesWorld({
  egress: { fileOrigins: [elsewhere.origin] },
  limits: { tenant: { fileMegabytes: 5 } },
})

const get = (url: string, more: object = {}) =>
  world.askJson('/v1/files', {
    method: 'POST',
    body: JSON.stringify({ url, ...more }),
    headers: { 'content-type': 'application/json' },
  })

describe('a file at an address', () => {
  it('is read, with the name that the address gives', async () => {
    const file = await get(`${elsewhere.origin}/files/Report%20Q1.bin?signature=abc`)
    expect(file).toMatchObject({ name: 'Report Q1.bin', size: content.length, source: 'address' })
    expect(Buffer.from(await (await world.ask(`/v1/files/${file.id}`)).arrayBuffer()).equals(content)).toBe(true)
    expect(elsewhere.seen.at(-1)!.headers).not.toHaveProperty('authorization')
    expect(await get(`${elsewhere.origin}/moved`, { name: 'mine.pdf' })).toMatchObject({
      name: 'mine.pdf',
      size: content.length,
    })
    expect(await get(`${elsewhere.origin}/packed.txt`)).toMatchObject({ size: 8, mediaType: 'text/plain' })
    expect(await get(`${elsewhere.origin}/named`)).toMatchObject({ name: 'passwd' })
    const { items } = await world.askJson('/v1/files')
    for (const { id } of items) await world.ask(`/v1/files/${id}`, { method: 'DELETE' })
  })

  it.each([
    ['/bomb', 'too_large', /fileMegabytes/],
    ['/damaged', 'bad_reply', /damaged/],
    ['/strange', 'bad_reply', /encoding/],
    ['/away', 'rejected', /redirects to another host/],
    ['/round', 'rejected', /more than 3 times/],
    ['/huge', 'too_large', /fileMegabytes/],
    ['/cut', 'unreachable', /closed/],
    ['/absent', 'rejected', /404/],
  ])('%s is refused, and nothing is left', async (path, code, says) => {
    expect(await get(elsewhere.origin + path)).toMatchObject({ code, detail: expect.stringMatching(says) })
    expect(world.left()).toEqual({ files: 0, chunks: 0 })
    expect(trap.seen).toEqual([])
  })

  it.each([
    'http://files.example/a',
    'https://127.0.0.1/a',
    'https://localhost/a',
    'https://files.example:6379/a',
    'file:///etc/passwd',
    'https://a:b@files.example/',
    'nothing',
  ])('%s is not asked', async (url) => {
    expect((await get(url)).code).toMatch(/not_allowed|invalid_input/)
    expect(await get(`${trap.origin}/secret`)).toMatchObject({ code: 'not_allowed' })
    expect(trap.seen).toEqual([])
  })

  it('neither the origins of agents nor those of providers count', async () => {
    const other = await openFilesWorld({ egress: { privateOrigins: [trap.origin], agentOrigins: [trap.origin] } })
    const body = JSON.stringify({ url: `${trap.origin}/secret` })
    expect(
      await other.askJson('/v1/files', { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    ).toMatchObject({ code: 'not_allowed' })
    expect(trap.seen).toEqual([])
  })
})
