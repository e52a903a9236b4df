import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { afterAll, describe, expect, it } from 'vitest'
import { newHost } from '../mcp/sign-in/clients.ts'
import { call, eras, newClient, textOf } from '../support/mcp-world.ts'
import type { Era } from '../support/mcp-world.ts'
import { startDocuments } from './document.ts'
import { authorizePath, openBrowser, openSignInWorld, pkce, redirectUri, register } from './world.ts'

const document = await startDocuments([redirectUri])
const world = await openSignInWorld({ egress: { clientOrigins: [document.origin] } })
afterAll(async () => {
  await world.close()
  document.close()
})

type Host = { client: Client; stored: Record<string, any>; transport: StreamableHTTPClientTransport }

/** The person opens the address that a host gives, and allows everything. */
const allow = async (stored: Host['stored'], transport: StreamableHTTPClientTransport) => {
  const browser = openBrowser(world.address)
  const page = await browser.open(stored['url'] as string, world.token)
  stored['page'] = page.html
  const answer = new URL((await browser.answer(page)).headers.get('location')!)
  expect(answer.searchParams.get('state')).toBe('state-of-host')
  await transport.finishAuth(answer.searchParams)
}

/** Adds the server by its address alone, as a host does. `scope`: what it asks for instead of what it is told to. */
const addServer = async (
  era: Era,
  path: string,
  { documentUrl, scope }: { documentUrl?: string; scope?: string } = {},
): Promise<Host> => {
  const { authProvider, stored } = newHost(documentUrl)
  const newTransport = () => new StreamableHTTPClientTransport(new URL(path, world.address), { authProvider })
  const first = newTransport()
  const refused = await newClient(era)
    .connect(first)
    .catch((thrown: unknown) => thrown)
  expect(refused).toBeInstanceOf(UnauthorizedError)
  const url = new URL(stored['url'] as string)
  if (scope !== undefined) url.searchParams.set('scope', scope)
  stored['url'] = url.href
  await allow(stored, first)
  const [client, transport] = [newClient(era), newTransport()]
  await client.connect(transport)
  return { client, stored, transport }
}

describe.each(eras)('a host over %s that knows nothing but the address', (era) => {
  it.each(['/mcp', '/mcp/work-board'])('registers, signs in and calls at %s', async (path) => {
    const { client, stored } = await addServer(era, path)
    expect(stored['client'].client_id).toMatch(/^cli_/)
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    const result = await call(client, 'work_board_get_boards')
    expect(result.isError, textOf(result)).not.toBe(true)
    await client.close()
  })

  it('signs in with its document, whose host the page shows', async () => {
    const { client, stored } = await addServer(era, '/mcp', { documentUrl: `${document.origin}/client.json` })
    expect(stored['client'].client_id).toBe(`${document.origin}/client.json`)
    expect(stored['page']).toContain(`<strong>${new URL(document.origin).host}</strong>`)
    expect((await call(client, 'work_board_get_boards')).isError).not.toBe(true)
    await client.close()
  })

  it('asks for more when a tool needs more than it was let do', async () => {
    const { client, stored, transport } = await addServer(era, '/mcp', { scope: 'run:read' })
    const idList = [...world.sandbox.board.state.lists.values()][0]!.id
    const create = () => call(client, 'work_board_create_card', { idList, name: 'Made with more scopes' })
    await expect(create()).rejects.toThrow(UnauthorizedError)
    expect(new URL(stored['url'] as string).searchParams.get('scope')).toBe('run:read run:write')
    await allow(stored, transport)
    const result = await create()
    expect(result.isError, textOf(result)).not.toBe(true)
    await client.close()
  })
})

it('whoever opened the link of the console in the same browser is asked for no token', async () => {
  const { address } = world
  const { json: link } = await world.ask('/v1/sign-in-codes', { method: 'POST' })
  const browser = openBrowser(address)
  const signedIn = await browser.ask('/v1/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ code: new URL(link.url).hash.replace('#code=', '') }),
  })
  expect(signedIn.status).toBe(201)
  const client = (await register(address)).json['client_id'] as string
  const page = await browser.open(authorizePath(client, pkce().challenge), 'no token')
  const answer = new URL((await browser.answer(page)).headers.get('location')!)
  expect([answer.href.split('?')[0], answer.searchParams.get('code')]).toEqual([
    redirectUri,
    expect.stringMatching(/^[\w-]{43}$/),
  ])
})
