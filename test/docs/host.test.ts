/**
 * The host of docs/embedding.md as a process of its own, beside a served pack with its sandbox, used as a person with a
 * browser would.
 */
import { spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { HttpApp } from '../../shared/faces/http/parts.ts'
import { caller } from '../support/world.ts'
import { openOAuthWorld } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'
import { until } from '../support/agent-world.ts'
import { freePort } from '../support/free-port.ts'
import { root } from './pages.ts'

let world: OAuthWorld
let http: HttpApp
let host: string
const closers: (() => unknown)[] = []

beforeAll(async () => {
  const port = await freePort()
  host = `http://127.0.0.1:${port}`
  world = await openOAuthWorld({ isServed: true, returnOrigins: [host], agentOrigins: [host] })
  http = await createHttp({ pack: world.pack, version: '0.0.0', mcp: false })
  await http.listen({ host: '127.0.0.1', port: 0 })
  await world.pack.start()
  const { text } = await world.pack.tokens.create('default', {
    name: 'Host',
    scopes: ['run', 'connections', 'subscriptions', 'read', 'admin'],
  })
  const child = spawn(process.execPath, [join(root, 'docs/examples/host.js')], {
    env: {
      TOOLYARD_URL: `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`,
      TOOLYARD_TOKEN: text,
      HOST_PORT: String(port),
    },
    stdio: 'pipe',
  })
  closers.push(() => child.kill())
  let said = ''
  child.stdout.on('data', (part: Buffer) => (said += part.toString()))
  child.stderr.on('data', (part: Buffer) => (said += part.toString()))
  await until(`the host: ${said}`, () => said.includes('The host listens'), 20_000)
}, 60_000)
afterAll(async () => {
  for (const close of closers) close()
  await http.close()
  await world.close()
})

/** A browser: it keeps cookies and does not follow redirects by itself. */
const openBrowser = () => {
  const cookies = new Map<string, string>()
  return async (url: string, form?: Record<string, string>) => {
    const response = await fetch(url, {
      redirect: 'manual',
      method: form ? 'POST' : 'GET',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    })
    for (const cookie of response.headers.getSetCookie())
      cookies.set(...(cookie.split(';')[0]!.split('=') as [string, string]))
    return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() }
  }
}

it('connects an account of a person, starts their agent once, and shows what goes wrong until it is mended', async () => {
  const browser = openBrowser()
  const page = `${host}/people/person-3`
  const person = () => browser(page)
  expect((await person()).text).toContain('Connect an account')

  const link = (await browser(`${page}/connect`, {})).location
  expect((await browser(link)).text).toContain('value="work-board/key-token"')
  expect((await browser(link, { choose: 'work-board/key-token' })).status).toBe(303)
  const { key, token } = world.sandbox.board.credentials
  const done = await browser(link, { key, token })
  expect(done.text).toContain(`href="${page}?connection=con_`)
  await until('the notification', async () => (await person()).text.includes('Your account is connected.'))
  const { items } = { items: await world.pack.connections.list(caller, { person: 'person-3' }) }
  expect(items).toMatchObject([{ person: 'person-3', state: 'connected' }])

  for (let n = 0; n < 2; n += 1) {
    const attached = await browser(`${page}/agent?connection=${items[0]!.id}`, {})
    expect([attached.status, attached.text]).toEqual([303, ''])
  }
  const stranger = await browser(`${host}/people/person-9/agent?connection=${items[0]!.id}`, {})
  expect([stranger.status, stranger.text]).toEqual([502, 'This connection belongs to somebody else.'])
  const [subscription, ...otherSubscriptions] = (await world.pack.subscriptions.list(caller, { limit: 9 })).items
  expect([subscription?.person, otherSubscriptions]).toEqual(['person-3', []])
  const board = (subscription!.config as { boards: string[] }).boards[0]!
  const list = [...world.sandbox.board.state.lists.values()].find(
    (candidate) => candidate.idBoard === board && !candidate.closed,
  )!
  const card = world.sandbox.board.control.createCard({ by: 'odettequill', idList: list.id, name: 'Bring <cake>' })
  const comments = async () => {
    const got = await world.pack.steps.run(caller, {
      integration: 'work-board',
      step: 'api-call',
      connection: items[0]!.id,
      input: { method: 'GET', path: `/1/cards/${card.id}/actions`, query: { filter: 'commentCard' } },
    })
    return got.ok ? (got.value as { body: { data: { text: string } }[] }).body.map(({ data }) => data.text) : []
  }
  await until('the comment', async () => (await comments()).length > 0)
  const [start] = (await world.pack.starts.list(caller, { limit: 9 }, { person: 'person-3' })).items
  await until('the start', async () => (await world.pack.starts.get(caller, start!.id)).state === 'done')
  // The same start again: the host knows it.
  await world.pack.starts.replay(caller, start!.id)
  await until('the repeat', async () => (await world.pack.starts.get(caller, start!.id)).state === 'done')
  expect(await comments()).toEqual(['Welcome, Bring <cake>!'])
  expect((await person()).text).toContain('1 agent starts')

  // A secret that is rotated is no interruption, and a stranger's request is refused.
  await world.pack.notifications.rotateSecret(caller, {})
  expect((await fetch(`${host}/notifications`, { method: 'POST', body: '{}' })).status).toBe(401)

  world.sandbox.board.control.revokeToken({ token })
  await world.pack.connections.test(caller, items[0]!.id).catch(() => undefined)
  await until('the loss to be shown', async () =>
    (await person()).text.includes('Your account must be connected again.'),
  )
  const form = await browser(`${page}/connect?connection=${items[0]!.id}`, {})
  expect((await browser(form.location)).text).toContain('Reconnect “')
  expect((await person()).text).toContain('needs_reconnect <form method="post"')
}, 60_000)
