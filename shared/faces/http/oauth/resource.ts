import type { FastifyRequest } from 'fastify'

/** Tells a client of the API where it gets an access token (RFC 9728). */
export const challengeOf = (address: string): Record<string, string> => ({
  'www-authenticate': `Bearer realm="toolyard", resource_metadata="${address}/.well-known/oauth-protected-resource/v1"`,
})

/** The path of the resource that a request is for: access tokens are good for one. */
export const resourceOf = ({ routeOptions: { url = '' }, params }: FastifyRequest): string => {
  if (url === '/mcp') return url
  if (url === '/mcp/:integration') return `/mcp/${(params as { integration: string }).integration}`
  return '/v1'
}
