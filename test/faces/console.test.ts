import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { HttpApp } from '../../shared/faces/http/parts.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'

const script = Buffer.from('let one = 1')
let reads = 0
let isBroken = false
const read = async () => {
  reads += 1
  if (isBroken) throw new Error('no disk')
  return new Map([
    ['index.html', Buffer.from('<script type="module" src="{root}main-ABCDEFGH.js"></script>')],
    ['main-ABCDEFGH.js', script],
    ['icons/steps/one.svg', Buffer.from('<svg/>')],
  ])
}

let pack: Pack
const open = (options: object = {}) => createHttp({ pack, version: '0.0.0', mcp: false, console: read, ...options })
let http: HttpApp
beforeAll(async () => {
  pack = await createPack({})
  http = await open()
})
afterAll(async () => {
  await http.close()
  await pack.close()
})
const get = (url: string, headers: Record<string, string> = {}, from = http) => from.inject({ url, headers })

describe('files of the console', () => {
  it.each(['/console/', '/console/steps/work-board/create-card?run=1', '/console/index.html'])(
    'give the page at %s, with a strict policy',
    async (url) => {
      const { statusCode, headers, body } = await get(url)
      expect(statusCode).toBe(200)
      expect(body).toContain('src="/console/main-ABCDEFGH.js"')
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['content-security-policy']).toBe(
        "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'; require-trusted-types-for 'script'",
      )
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
    },
  )

  it('are compressed for who takes that, and kept by the browser when their name has a hash', async () => {
    const zipped = await get('/console/main-ABCDEFGH.js', { 'accept-encoding': 'gzip, br' })
    expect(zipped.headers).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
    expect(gunzipSync(zipped.rawPayload)).toEqual(script)
    const plain = await get('/console/main-ABCDEFGH.js')
    expect(plain.rawPayload).toEqual(script)
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect((await get('/console/icons/steps/one.svg')).headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=3600',
    })
  })

  it('say what to do about a file of another version', async () => {
    const { statusCode, json } = await get('/console/main-OLDOLDOL.js')
    expect(statusCode).toBe(404)
    expect(json()).toMatchObject({ code: 'not_found', detail: expect.stringContaining('Reload the page') })
  })

  it('are below the public address of the server', async () => {
    const behind = await open({ publicUrl: 'https://tools.example.com/pack' })
    expect((await get('/console/steps', {}, behind)).body).toContain('src="/pack/console/main-ABCDEFGH.js"')
    const { statusCode, headers } = await get('/console', { host: 'evil.example' }, behind)
    expect([statusCode, headers.location]).toEqual([308, 'console/'])
    await behind.close()
  })

  it('never contain what a Host header says', async () => {
    const { body } = await get('/console/', { host: '"><script>alert(1)</script>' })
    expect(body).not.toContain('alert')
  })

  it('are read once, and again after a failure', async () => {
    const another = await open()
    isBroken = true
    expect((await get('/console/', {}, another)).statusCode).toBe(500)
    isBroken = false
    const before = reads
    for (const _ of [1, 2]) expect((await get('/console/', {}, another)).statusCode).toBe(200)
    expect(reads).toBe(before + 1)
    await another.close()
  })

  it('are not served where nobody asked for them', async () => {
    const without = await open({ console: undefined })
    expect((await get('/console/', {}, without)).statusCode).toBe(404)
    await without.close()
  })
})
