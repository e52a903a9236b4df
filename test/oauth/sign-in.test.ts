import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { afterAll, describe, expect, it } from 'vitest'
import { call, eras, newClient, textOf } from '../support/mcp-world.ts'
import type { Era } from '../support/mcp-world.ts'
import { openBrowser, openSignInWorld, redirectUri } from './world.ts'

/** A description of a client at https on this machine, with a certificate that this process alone trusts. */
const startDocument = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-document-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  execFileSync('openssl', [
    ...made,
    '-keyout',
    key,
    '-out',
    cert,
    '-subj',
    '/CN=127.0.0.1',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
  ])
  const pem = readFileSync(cert, 'utf8')
  setDefaultCACertificates([...getCACertificates(), pem])
  let origin = ''
  const server = createServer({ key: readFileSync(key), cert: pem }, (request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        client_id: `${origin}${request.url}`,
        client_name: 'A host',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
      }),
    ),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    close() {
      server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const document = await startDocument()
const world = await openSignInWorld({ egress: { clientOrigins: [document.origin] } })
afterAll(async () => {
  await world.close()
  document.close()
})

/** What a host remembers, and the address that it opens in a browser. */
const newProvider = (clientMetadataUrl?: string) => {
  const stored: Record<string, any> = {}
  const provider: OAuthClientProvider = {
    redirectUrl: redirectUri,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    clientMetadata: { client_name: 'A host', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
    state: () => 'state-of-host',
    clientInformation: () => stored['client'],
    saveClientInformation: (client) => void (stored['client'] = client),
    tokens: () => stored['tokens'],
    saveTokens: (tokens) => void (stored['tokens'] = tokens),
    redirectToAuthorization: (url) => void (stored['url'] = url),
    saveCodeVerifier: (verifier) => void (stored['verifier'] = verifier),
    codeVerifier: () => stored['verifier'],
  }
  return { provider, stored }
}

/** Adds the server by its address alone, as a host does; the person signs in and allows everything. */
const addServer = async (era: Era, path: string, documentUrl?: string): Promise<[Client, Record<string, any>]> => {
  const { provider, stored } = newProvider(documentUrl)
  const transport = () => new StreamableHTTPClientTransport(new URL(path, world.address), { authProvider: provider })
  const first = transport()
  const refused = await newClient(era)
    .connect(first)
    .catch((thrown: unknown) => thrown)
  expect(refused).toBeInstanceOf(UnauthorizedError)
  const browser = openBrowser(world.address)
  const page = await browser.open((stored['url'] as URL).href, world.token)
  stored['page'] = page.html
  const answer = new URL((await browser.answer(page)).headers.get('location')!)
  expect(answer.searchParams.get('state')).toBe('state-of-host')
  await first.finishAuth(answer.searchParams)
  const client = newClient(era)
  await client.connect(transport())
  return [client, stored]
}

describe.each(eras)('a host over %s that knows nothing but the address', (era) => {
  it.each(['/mcp', '/mcp/work-board'])('registers, signs in and calls at %s', async (path) => {
    const [client, stored] = await addServer(era, path)
    expect(stored['client'].client_id).toMatch(/^cli_/)
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    const result = await call(client, 'work_board_get_boards')
    expect(result.isError, textOf(result)).not.toBe(true)
    await client.close()
  })

  it('signs in with its document, whose host the page shows', async () => {
    const [client, stored] = await addServer(era, '/mcp', `${document.origin}/client.json`)
    expect(stored['client'].client_id).toBe(`${document.origin}/client.json`)
    expect(stored['page']).toContain(`<strong>${new URL(document.origin).host}</strong>`)
    expect((await call(client, 'work_board_get_boards')).isError).not.toBe(true)
    await client.close()
  })
})
