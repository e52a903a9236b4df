/** Clients that others wrote: a strict OAuth library, and the first SDK of the protocol, on which most hosts are built. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as oauth from 'oauth4webapi'
import { afterAll, describe, expect, it } from 'vitest'
import { openBrowser, openSignInWorld, redirectUri, statusAt } from './world.ts'

const world = await openSignInWorld()
afterAll(() => world.close())
const { address, token } = world

/** The server under test has no certificate. */
const options = { [oauth.allowInsecureRequests]: true }

describe('oauth4webapi', () => {
  it.each(['/mcp', '/mcp/work-board', '/v1'])(
    'discovers, registers, signs in, refreshes and revokes at %s',
    async (path) => {
      const resource = new URL(path, address)
      const aboutResource = await oauth.processResourceDiscoveryResponse(
        resource,
        await oauth.resourceDiscoveryRequest(resource, options),
      )
      const issuer = new URL(aboutResource.authorization_servers![0]!)
      const server = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }),
      )
      const client = await oauth.processDynamicClientRegistrationResponse(
        await oauth.dynamicClientRegistrationRequest(
          server,
          { client_name: 'Independent', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
          options,
        ),
      )
      const verifier = oauth.generateRandomCodeVerifier()
      const state = oauth.generateRandomState()
      const url = new URL(server.authorization_endpoint!)
      const parameters = {
        response_type: 'code',
        client_id: client.client_id as string,
        redirect_uri: redirectUri,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        resource: aboutResource.resource,
        scope: 'run read',
        state,
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      const browser = openBrowser(address)
      const reply = await browser.answer(await browser.open(url.href, token))
      // Checks state and issuer.
      const answer = oauth.validateAuthResponse(server, client, new URL(reply.headers.get('location')!), state)
      const tokens = await oauth.processAuthorizationCodeResponse(
        server,
        client,
        await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), answer, redirectUri, verifier, {
          additionalParameters: { resource: aboutResource.resource },
          ...options,
        }),
      )
      const at = path === '/v1' ? '/v1/runs' : path
      const isLetIn = async (access: string) => (await statusAt(address, at, access)) !== 401
      expect(await isLetIn(tokens.access_token)).toBe(true)
      const next = await oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token!, options),
      )
      expect(await isLetIn(next.access_token)).toBe(true)
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, oauth.None(), next.refresh_token!, options),
      )
      expect(await isLetIn(next.access_token)).toBe(false)
    },
  )

  it('learns from a refusal where to sign in', async () => {
    const refused = await oauth
      .protectedResourceRequest('none', 'POST', new URL('/mcp', address), undefined, undefined, options)
      .catch((thrown: unknown) => thrown as oauth.WWWAuthenticateChallengeError)
    expect((refused as oauth.WWWAuthenticateChallengeError).cause[0]!.parameters).toMatchObject({
      resource_metadata: `${address}/.well-known/oauth-protected-resource/mcp`,
    })
  })
})

const tools = join(import.meta.dirname, '../tools/package.json')
const hasFirstSdk = existsSync(join(import.meta.dirname, '../tools/node_modules/@modelcontextprotocol/sdk'))

describe.skipIf(!hasFirstSdk)('the first SDK of the protocol', () => {
  it.each(['/mcp', '/mcp/work-board'])('knows nothing but %s, signs in and calls', async (path) => {
    const require = createRequire(tools)
    const load = async (name: string) =>
      // oxlint-disable-next-line typescript/no-explicit-any
      (await import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${name}.js`)).href)) as any
    const [{ Client }, { StreamableHTTPClientTransport }] = [await load('index'), await load('streamableHttp')]
    const stored: Record<string, unknown> = {}
    const authProvider = {
      redirectUrl: redirectUri,
      clientMetadata: { client_name: 'First', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
      clientInformation: () => stored['client'],
      saveClientInformation: (client: unknown) => void (stored['client'] = client),
      tokens: () => stored['tokens'],
      saveTokens: (tokens: unknown) => void (stored['tokens'] = tokens),
      redirectToAuthorization: (url: URL) => void (stored['url'] = url.href),
      saveCodeVerifier: (verifier: string) => void (stored['verifier'] = verifier),
      codeVerifier: () => stored['verifier'],
    }
    const transport = () => new StreamableHTTPClientTransport(new URL(path, address), { authProvider })
    const newClient = () => new Client({ name: 'first', version: '1' })
    const first = transport()
    await expect(newClient().connect(first)).rejects.toThrow('Unauthorized')
    const browser = openBrowser(address)
    const reply = await browser.answer(await browser.open(stored['url'] as string, token))
    await first.finishAuth(new URL(reply.headers.get('location')!).searchParams.get('code'))
    const client = newClient()
    await client.connect(transport())
    const { tools: listed } = await client.listTools()
    expect(listed.length).toBeGreaterThan(5)
    const result = await client.callTool({ name: 'work_board_get_boards', arguments: {} })
    expect(result.isError, JSON.stringify(result)).not.toBe(true)
    await client.close()
  })
})
