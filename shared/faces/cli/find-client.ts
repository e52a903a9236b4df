import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '#kit'
import { houseClient, serverClient } from './client.ts'
import type { Client, House } from './client.ts'
import type { Configuration } from './configuration.ts'
import { takingPrefixes } from './prefixes.ts'
import { isLive } from './request.ts'
import type { Server } from './request.ts'
import { readServerNote } from './server-file.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { readTokenFile, tokenFile } from './token-file.ts'

export type Wanted = { sandbox: boolean; /** Accounts and history are not needed. */ catalogueOnly: boolean }
export type OpenHouse = (wanted: { sandbox: boolean; store: 'directory' | 'memory' }) => Promise<House>

/** Data of the sandbox stay apart from real ones: no real credential may meet a sandbox, nor a made-up one a provider. */
export const directoryOf = ({ data }: Configuration, sandbox: boolean) => (sandbox ? join(data, 'sandbox') : data)

const alive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The server running on a data directory, if there is one. */
const serverOn = async (directory: string, token: string | undefined): Promise<Server | undefined> => {
  const note = await readServerNote(directory)
  // The token goes to that address, so a note left by a killed server must not name whoever has the port now.
  if (!note || !alive(note.pid) || !(await isLive(note.address))) return undefined
  const text = token ?? (await readTokenFile(directory))
  if (text === undefined)
    throw fail('unauthenticated', `The server at ${note.address} wants a token. Set TOOLYARD_TOKEN, or let it keep one in ${tokenFile(directory)}.`)
  return { address: note.address, token: text }
}

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

/** Whether a server has been started on this data directory. */
const hasData = (directory: string) => exists(join(directory, 'toolyard.db'))

/** The server told by TOOLYARD_URL; else the one running on the data directory, or on its sandbox. */
export const findServer = async (configuration: Configuration, { sandbox }: Pick<Wanted, 'sandbox'>): Promise<Server | undefined> => {
  if (configuration.url !== undefined) {
    if (configuration.token === undefined) throw fail('unauthenticated', 'TOOLYARD_URL names a server; set TOOLYARD_TOKEN to a token of it too.')
    return { address: configuration.url, token: configuration.token }
  }
  if (!sandbox) {
    const real = await serverOn(directoryOf(configuration, false), configuration.token)
    if (real) return real
  }
  const isRealWanted = !sandbox && (await hasData(configuration.data))
  return isRealWanted ? undefined : serverOn(directoryOf(configuration, true), configuration.token)
}

/**
 * Where a command that opens the data directory itself finds its data. A sandbox without a past gets temporary ones; nothing is ever made
 * in the folder somebody happens to stand in.
 * @throws Failure `not_found` where there are no data
 */
export const storeFor = async (configuration: Configuration, sandbox: boolean, terminal: Pick<Terminal, 'self'>): Promise<'directory' | 'temporary'> => {
  if (sandbox) return (await hasData(directoryOf(configuration, true))) ? 'directory' : 'temporary'
  if (await hasData(configuration.data)) return 'directory'
  if (await hasData(directoryOf(configuration, true)))
    throw fail(
      'not_found',
      `The data in ${configuration.data} are those of the sandbox, and its server is not running. Start it with: ${typed(terminal, 'serve --sandbox')}`,
    )
  throw fail(
    'not_found',
    `There is no data directory at ${configuration.data}, and no server running on it. Run this where the server was started, set TOOLYARD_DATA to its data directory or TOOLYARD_URL to its address, or start one here with: ${typed(terminal, 'serve')}`,
  )
}

/** The verbs over a running server, or over a pack in this process where none runs. */
export const findClient = async (configuration: Configuration, wanted: Wanted, openHouse: OpenHouse, terminal: Pick<Terminal, 'self'>): Promise<Client> => {
  const server = await findServer(configuration, wanted)
  if (server) return takingPrefixes(serverClient(server, terminal))
  const house = await openHouse({ sandbox: wanted.sandbox && !wanted.catalogueOnly, store: wanted.catalogueOnly ? 'memory' : 'directory' })
  return takingPrefixes(houseClient(house, terminal))
}
