/** The OpenID provider of a team, as others wrote and certified it, on loopback. Everybody who gives a name is let in. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

const artifacts = ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session']

/** `tools`: the folder that it is installed in. It answers once it knows where it sends browsers back. */
export const startTeamProvider = async (tools: string) => {
  const loader = (await import(pathToFileURL(join(tools, 'load.mjs')).href)) as {
    load(name: string): Promise<{ Provider: new (issuer: string, settings: object) => { callback(): Handle } }>
  }
  const { Provider } = await loader.load('oidc-provider')
  let handle: Handle = (_request, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { clientId: 'toolyard', clientSecret: randomBytes(24).toString('base64url') }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    issuer,
    /** What the file of TOOLYARD_LOGIN holds. */
    login: { issuer, name: 'Example', ...client, domains: ['example.org'], firstUse: { people: true } },
    serve(callback: string) {
      handle = new Provider(issuer, {
        clients: [
          {
            client_id: client.clientId,
            client_secret: client.clientSecret,
            redirect_uris: [callback],
            grant_types: ['authorization_code'],
            response_types: ['code'],
          },
        ],
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
        cookies: { keys: [randomBytes(24).toString('base64url')] },
        pkce: { required: () => true },
        // Email and name stand at its UserInfo endpoint alone, as by default.
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        findAccount: (_context: unknown, accountId: string) => ({
          accountId,
          claims: () => ({ sub: accountId, name: accountId, email: `${accountId}@example.org`, email_verified: true }),
        }),
        ttl: Object.fromEntries(artifacts.map((name) => [name, 600])),
        features: { devInteractions: { enabled: true } },
      }).callback()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
export type TeamProvider = Awaited<ReturnType<typeof startTeamProvider>>
