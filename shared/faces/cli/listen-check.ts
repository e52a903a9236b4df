import { createServer } from 'node:net'
import { fail } from '#kit'
import type { Failure } from '#kit'
import type { Configuration } from '../../settings.ts'

const listenRefusals: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is in use by another program. Set TOOLYARD_PORT to another port, or to 0 for any free port.`,
  EACCES: (host, port) =>
    `Port ${port} on ${host} requires more privileges than this user has. Set TOOLYARD_PORT to a port above 1023.`,
  EADDRNOTAVAIL: (host) =>
    `This machine has no address ${host}. Set TOOLYARD_HOST to one of its addresses, like 127.0.0.1 or 0.0.0.0.`,
  ENOTFOUND: (host) =>
    `The host name ${host} cannot be resolved. Set TOOLYARD_HOST to an address of this machine, like 127.0.0.1 or 0.0.0.0.`,
}

type Address = Pick<Configuration, 'host' | 'port'>

/** The failure for an error of `listen`, naming the setting to change. */
export const cannotListen = (error: NodeJS.ErrnoException, { host, port }: Address): Failure | Error => {
  const refusal = listenRefusals[error.code ?? '']
  return refusal ? fail('unavailable', refusal(host, port), { cause: error }) : error
}

/** Listens and closes again at once. @throws what `listen` throws */
const tryAddress = async ({ host, port }: Address): Promise<void> => {
  const server = createServer()
  await new Promise<void>((listening, refused) => {
    server.once('error', refused)
    server.listen({ host, port, exclusive: true }, listening)
  })
  await new Promise((closed) => server.close(closed))
}

/** @throws Failure `unavailable` when a server cannot listen there */
export const requireAddress = (address: Address): Promise<void> =>
  tryAddress(address).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, address)
  })

/** How many ports after a busy one are tried. */
const maxPorts = 50

/**
 * Returns the configuration with the next free port if another program uses the configured one. Only for servers that
 * people try out: in production, clients expect the configured address, so a busy port must be an error.
 * @throws Failure `unavailable` when none of the following ports is free
 */
export const withFreePort = async (configuration: Configuration): Promise<Configuration> => {
  const { host, port, publicUrl } = configuration
  if (publicUrl !== undefined) return configuration
  const last = Math.min(port + maxPorts, 65_535)
  for (let next = port; next <= last; next += 1) {
    try {
      await tryAddress({ host, port: next })
      return { ...configuration, port: next }
    } catch (error) {
      // The checks before a start report any other problem with the address.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return configuration
    }
  }
  throw fail(
    'unavailable',
    `Ports ${port} to ${last} on ${host} are in use. Set TOOLYARD_PORT to a free port, or to 0 for any free port.`,
  )
}
