import type { Registry } from '../catalogue/registry.ts'
import type { Client } from './client.ts'
import type { Clients } from './clients.ts'
import { isRegistered } from './redirects.ts'
import { Refusal } from './refusal.ts'
import { readResource } from './resources.ts'
import { readScopes } from './scopes.ts'

/** Parameters of a request, each given once. */
export type Parameters = { [name: string]: string | undefined }

export type AuthorizeRequest = {
  client: Client
  redirectUri: string
  state: string | undefined
  challenge: string
  resource: string
  scopes: string[]
}

const challengeShape = /^[A-Za-z0-9_-]{43}$/

type RequestDependencies = { registry: Pick<Registry, 'all'>; clients: Pick<Clients, 'find'> }

/**
 * Reads what a client asks for. Until its address is known to be its own, a refusal goes to the person alone.
 * @throws Refusal
 */
export const readRequest = async (
  { registry, clients }: RequestDependencies,
  parameters: Parameters,
  base: string,
): Promise<AuthorizeRequest> => {
  const { client_id: id, redirect_uri: answerUri, state } = parameters
  if (id === undefined) throw new Refusal('invalid_request', 'The request names no client: "client_id" is missing.')
  const client = await clients.find(id)
  // With one address, it need not be named; with several, nobody would know which is meant.
  const redirectUri = answerUri ?? (client.redirectUris.length === 1 ? client.redirectUris[0] : undefined)
  if (redirectUri === undefined || !isRegistered(client.redirectUris, redirectUri))
    throw new Refusal('invalid_request', 'The client has not registered the address that the answer is to go to.')
  const back = { redirectUri, state }
  try {
    if (parameters['response_type'] !== 'code')
      throw new Refusal('unsupported_response_type', 'The only "response_type" is "code".')
    const challenge = parameters['code_challenge']
    if (challenge === undefined || !challengeShape.test(challenge) || parameters['code_challenge_method'] !== 'S256')
      throw new Refusal('invalid_request', 'PKCE is required: "code_challenge" with the method S256.')
    if (parameters['request'] !== undefined || parameters['request_uri'] !== undefined)
      throw new Refusal('invalid_request', 'Request objects are not supported.')
    const resource = readResource(registry, base, parameters['resource'])
    return {
      client,
      redirectUri,
      state,
      challenge,
      resource,
      scopes: readScopes(registry, resource, parameters['scope']),
    }
  } catch (thrown) {
    throw thrown instanceof Refusal ? new Refusal(thrown.code, thrown.message, back) : thrown
  }
}
