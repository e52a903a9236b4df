/** Connect pages in a frame or window of the platform; test/e2e/embed.test.ts tries them in a browser. */
import { expect, it } from 'vitest'
import { checkEmbedOrigins, connectScript } from '../../shared/faces/http/connect/embed.ts'
import { openHttpWorld } from '../support/http-world.ts'

const platform = 'https://platform.example'
const other = 'https://app.platform.example'
const script = '/connect/assets/toolyard-connect.js'

const opened = async (embedOrigins: string[], headers: Record<string, string> = {}) => {
  const face = await openHttpWorld({ http: { embedOrigins, publicUrl: 'https://toolyard.example' } })
  const { json } = await face.ask('/v1/connections/authorize', {
    body: { integration: 'work-board', type: 'key-token', person: 'person-3' },
  })
  const page = await face.ask(`/connect/${json.state}`, { headers })
  const cookie = String(page.headers['set-cookie'])
  const { key, token } = face.sandbox.board.credentials
  const post = (more: Record<string, string> = {}, url = `/connect/${json.state}`) =>
    face.ask(url, {
      raw: new URLSearchParams({ key, token }).toString(),
      headers: { cookie: cookie.split(';')[0]!, 'content-type': 'application/x-www-form-urlencoded', ...more },
    })
  return { face, page, cookie, post }
}
const told = (text: string) =>
  JSON.parse((/data-tell="([^"]*)"/.exec(text)?.[1] ?? 'null').replaceAll('&quot;', '"')) as unknown

it('nobody may frame the pages, and nobody is told, unless origins are listed', async () => {
  const { face, page, post } = await opened([])
  expect(page.headers).toMatchObject({
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
  })
  for (const { text } of [page, await post()]) expect(text).not.toContain('data-t')
  expect((await face.ask(script)).status).toBe(404)
})

it('the listed origins alone may frame the pages and are told how it ended', async () => {
  const { face, page, post } = await opened([platform, other])
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'self'; .*; frame-ancestors https:\/\/platform\.example https:\/\/app\.platform\.example$/,
  )
  expect(page.headers).not.toHaveProperty('x-frame-options')
  expect(page.headers).not.toHaveProperty('cross-origin-opener-policy')
  expect(page.text).toContain(`data-to="${platform} ${other}"`)
  expect(told(page.text)).toEqual({ result: 'opened' })
  // A form of another site is refused as ever.
  for (const headers of [{ origin: platform }, { 'sec-fetch-site': 'cross-site' }])
    expect(told((await post(headers)).text)).toEqual({ result: 'failed', reason: 'foreign-browser' })
  const done = told((await post()).text) as { connection: string }
  expect(done).toEqual({ result: 'connected', connection: expect.stringMatching(/^con_/) })
  expect((await face.ask(`/v1/connections/${done.connection}`)).json).toMatchObject({ person: 'person-3' })
  expect(told((await post()).text)).toEqual({ result: 'failed', reason: 'expired' })
  // Pages that are not for the platform stay as they are.
  expect((await face.ask('/v1/session')).headers['content-security-policy']).toContain("frame-ancestors 'none'")
})

it('the browser is bound by a cookie of the frame alone where the page is framed', async () => {
  const start = '__Host-toolyard-browser=[\\w-]{43}; Max-Age=3600; Path=/; HttpOnly; '
  const framed = await opened([platform], { 'sec-fetch-dest': 'iframe' })
  expect(framed.cookie).toMatch(new RegExp(`^${start}SameSite=None; Partitioned; Secure$`))
  for (const [origins, headers] of [
    [[platform], { 'sec-fetch-dest': 'document' }],
    [[], { 'sec-fetch-dest': 'iframe' }],
  ] as [string[], Record<string, string>][])
    expect((await opened(origins, headers)).cookie).toMatch(new RegExp(`^${start}SameSite=Lax; Secure$`))
})

it('the script is small, and any page may load it', async () => {
  const { face } = await opened([platform])
  const { text, headers } = await face.ask(script)
  expect(text).toBe(connectScript)
  expect(text.length).toBeLessThanOrEqual(3_000)
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'content-type': 'text/javascript; charset=utf-8',
  })
  expect(Object.keys((await import(`data:text/javascript,${encodeURIComponent(text)}`)) as object)).toEqual(['connect'])
})

it.each(['https://platform.example/', 'platform.example', '*', "'self'", 'https://a.example; script-src *', 'data:a'])(
  'refuses %s as an origin',
  (origin) => expect(() => checkEmbedOrigins([origin])).toThrow(/"embedOrigins" holds/),
)
