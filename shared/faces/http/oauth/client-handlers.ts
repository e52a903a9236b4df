import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OAuth } from '../../../runtime/oauth/oauth.ts'
import type { Parameters } from '../../../runtime/oauth/request.ts'
import { isRefusal, readParameters, sendRefusal, twice } from './form.ts'
import type { OAuthRoutes } from './parts.ts'

/** The client that a request names, in its body or by HTTP Basic authentication. */
const readClient = (
  request: FastifyRequest,
  parameters: Parameters,
): { id: string; secret: string | undefined } | undefined => {
  const [, basic] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (basic === undefined) {
    const id = parameters['client_id']
    return id === undefined ? undefined : { id, secret: parameters['client_secret'] }
  }
  const [id, secret] = Buffer.from(basic, 'base64')
    .toString()
    .split(':', 2)
    .map((text) => new URLSearchParams(`v=${text}`).get('v')!)
  const named = parameters['client_id']
  return id === undefined || id === '' || (named !== undefined && named !== id) ? undefined : { id, secret }
}

/** What programs ask the authorization server. */
export const clientHandlers = ({ pack, addressOf }: Pick<OAuthRoutes, 'pack' | 'addressOf'>, oauth: OAuth) => {
  /** Answers a request for tokens of the client that it names. */
  const answerClient = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (parameters: Parameters, client: string) => Promise<unknown>,
  ) => {
    const parameters = readParameters(request.body as URLSearchParams)
    if (!parameters) return sendRefusal(reply, 'invalid_request', twice)
    const client = readClient(request, parameters)
    if (!client) return sendRefusal(reply, 'invalid_client', 'The request names no client, or two.')
    // Counted before anything is looked for, since many may be tried out at once.
    const takeBack = pack.limits.signInAnswer(request.ip)
    try {
      await oauth.clients.authenticate(client.id, client.secret)
      const answer = await work(parameters, client.id)
      takeBack()
      return await reply.code(200).send(answer)
    } catch (thrown) {
      const isWrong = isRefusal(thrown) && (thrown.code === 'invalid_grant' || thrown.code === 'invalid_client')
      if (!isWrong) takeBack()
      if (!isRefusal(thrown)) throw thrown
      return sendRefusal(reply, thrown.code, thrown.message)
    }
  }

  return {
    metadata: async (request: FastifyRequest, reply: FastifyReply) => {
      const base = addressOf(request)
      return reply.send({
        issuer: base,
        authorization_endpoint: `${base}/oauth/authorize`,
        token_endpoint: `${base}/oauth/token`,
        registration_endpoint: `${base}/oauth/register`,
        revocation_endpoint: `${base}/oauth/revoke`,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        scopes_supported: oauth.scopesAt('/v1'),
        protected_resources: oauth.resources().map((path) => base + path),
      })
    },
    apiMetadata: async (request: FastifyRequest, reply: FastifyReply) =>
      reply.send({
        resource: `${addressOf(request)}/v1`,
        resource_name: 'toolyard',
        authorization_servers: [pack.issuer ?? addressOf(request)],
        bearer_methods_supported: ['header'],
        scopes_supported: oauth.scopesAt('/v1'),
      }),
    register: async (request: FastifyRequest, reply: FastifyReply) => {
      try {
        return await reply.code(201).send(await oauth.clients.register(request.body, request.ip))
      } catch (thrown) {
        if (!isRefusal(thrown)) throw thrown
        return sendRefusal(reply, thrown.code, thrown.message)
      }
    },
    token: (request: FastifyRequest, reply: FastifyReply) =>
      answerClient(request, reply, (parameters, client) => oauth.token(parameters, client, addressOf(request))),
    revoke: (request: FastifyRequest, reply: FastifyReply) =>
      answerClient(request, reply, async (parameters, client) => {
        await oauth.revoke(parameters['token'] ?? '', client)
        return {}
      }),
  }
}
