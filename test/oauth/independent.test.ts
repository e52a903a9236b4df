/** A strict OAuth library that others wrote. */
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
