import type { FastifyRequest } from 'fastify'

/** Host names, IP addresses and ports. Anything else in a Host header is not repeated in a response. */
const hostShape = /^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** The address of this server, without a trailing "/". */
export type AddressOf = (request: FastifyRequest) => string

/**
 * The public address set by the operator, otherwise the one the client used. `prefix` is the path under which a host application mounted this server.
 * With a malformed Host header it is the path alone.
 */
export const createAddressOf =
  ({ publicUrl, prefix = '' }: { publicUrl: string | undefined; prefix?: string | undefined }): AddressOf =>
  (request) =>
    publicUrl ?? (hostShape.test(request.host) ? `${request.protocol}://${request.host}${prefix}` : prefix)
