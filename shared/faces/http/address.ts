import type { FastifyRequest } from 'fastify'

/** Matches host names, IP addresses and ports. Any other Host header is not repeated in a response. */
const hostShape = /^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** How many Host headers a request has, by the raw headers of Node, in which names and values alternate. */
export const countHostHeaders = (rawHeaders: readonly string[]): number => {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') count += 1
  return count
}

/** The address of this server, without a trailing "/". */
export type AddressOf = (request: FastifyRequest) => string

type AddressSettings = { publicUrl: string | undefined; prefix?: string | undefined }

/**
 * The public address set by the operator, otherwise the address the client used. `prefix` is the path under which a
 * host application mounted this server. If the Host header is malformed, the address is the path alone.
 */
export const createAddressOf =
  ({ publicUrl, prefix = '' }: AddressSettings): AddressOf =>
  (request) =>
    publicUrl ?? (hostShape.test(request.host) ? `${request.protocol}://${request.host}${prefix}` : prefix)

/**
 * Names that no page on the internet can have: IP addresses and names without a dot ("localhost", another container). A
 * page whose name resolves to this machine (DNS rebinding) still sends its own name.
 */
export const isPrivateName = (name: string) => !name.includes('.') || /^\d{1,3}(\.\d{1,3}){3}$/.test(name)

/**
 * The address at which the browser of a request sees this server; undefined for a host name that may belong to somebody
 * else.
 */
export type BrowserAddressOf = (request: FastifyRequest) => URL | undefined

export const createBrowserAddressOf = ({ publicUrl, prefix = '' }: AddressSettings): BrowserAddressOf => {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl)
  return ({ host, protocol }) => {
    if (host === own?.host) return own
    const requestUrl =
      hostShape.test(host) && URL.canParse(`${protocol}://${host}${prefix}`)
        ? new URL(`${protocol}://${host}${prefix}`)
        : undefined
    return requestUrl && isPrivateName(requestUrl.hostname) ? requestUrl : undefined
  }
}
