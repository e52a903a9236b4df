import type { FastifyRequest } from 'fastify'

/** Host names, IP addresses and ports. Anything else in a Host header is not repeated in an answer. */
const hostShape = /^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** Where this server is reached, without a last "/". */
export type AddressOf = (request: FastifyRequest) => string

/**
 * The public address the operator set, else the one the client used. `prefix` is the path under which a host application mounted this server.
 * A Host header that is not a host gives the path alone.
 */
export const createAddressOf =
  ({ publicUrl, prefix = '' }: { publicUrl: string | undefined; prefix?: string | undefined }): AddressOf =>
  (request) =>
    publicUrl ?? (hostShape.test(request.host) ? `${request.protocol}://${request.host}${prefix}` : prefix)
