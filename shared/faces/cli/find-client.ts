import { join } from 'node:path'
import { fail } from '#kit'
import type { Client, InProcess } from './call.ts'
import { directoryOf } from '../../settings.ts'
import type { Configuration } from '../../settings.ts'
import type { Server } from './request.ts'
import { readServerNote } from './server-file.ts'
import { exists } from './exists.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { readTokenFile } from './token-file.ts'

/** What a command needs of a pack. */
export type PackNeeds = {
  sandbox: boolean
  /** The command needs neither connections nor history. */
  catalogueOnly: boolean
  /** The command records runs as examples; with --sandbox, against a sandbox that is started for it. */
  records?: boolean
}
export type PackToOpen = { sandbox: boolean; store: 'directory' | 'memory' | 'temporary'; records?: boolean }
export type OpenInProcess = (needs: PackToOpen) => Promise<InProcess>

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
  // Check the address before sending the token there: another program may have taken the port of a killed server.
  if (!note || !alive(note.pid) || !(await (await import('./request.ts')).isLive(note.address))) return undefined
  const text = token ?? (await readTokenFile(directory))
  if (text === undefined)
    throw fail(
      'unauthenticated',
      `The server at ${note.address} requires a token. Set TOOLYARD_TOKEN to one of its tokens.`,
    )
  return { address: note.address, token: text }
}

/** Whether a server has been started on this data directory. */
const hasData = (directory: string) => exists(join(directory, 'toolyard.db'))

/** The server that TOOLYARD_URL names; otherwise the one running on the data directory, or on its sandbox. */
export const findServer = async (
  configuration: Configuration,
  { sandbox }: Pick<PackNeeds, 'sandbox'>,
): Promise<Server | undefined> => {
  if (configuration.url !== undefined) {
    if (configuration.token === undefined)
      throw fail('unauthenticated', 'TOOLYARD_URL is set, so TOOLYARD_TOKEN must be set to a token of that server.')
    return { address: configuration.url, token: configuration.token }
  }
  if (!sandbox) {
    const real = await serverOn(directoryOf(configuration, false), configuration.token)
    if (real) return real
  }
  const isRealNeeded = !sandbox && (await hasData(configuration.data))
  return isRealNeeded ? undefined : serverOn(directoryOf(configuration, true), configuration.token)
}

/**
 * The store of a command that opens the data directory itself. A sandbox without data gets a temporary one; a command
 * never creates a data directory.
 * @throws Failure `not_found` when there is no data
 */
export const storeFor = async (
  configuration: Configuration,
  sandbox: boolean,
  terminal: Pick<Terminal, 'self'>,
): Promise<'directory' | 'temporary'> => {
  if (sandbox) return (await hasData(directoryOf(configuration, true))) ? 'directory' : 'temporary'
  if (await hasData(configuration.data)) return 'directory'
  if (await hasData(directoryOf(configuration, true)))
    throw fail(
      'not_found',
      `${configuration.data} contains only sandbox data, and its server is not running. Start it with: ${typed(terminal, 'serve --sandbox')}`,
    )
  throw fail(
    'not_found',
    `There is no data directory at ${configuration.data}, and no server running on it. Run this command where the server was started, set TOOLYARD_DATA to its data directory or TOOLYARD_URL to its address, or start a server here with: ${typed(terminal, 'serve')}`,
  )
}

/** The running server, or a pack in this process when none runs. */
export const findClient = async (
  configuration: Configuration,
  needs: PackNeeds,
  openInProcess: OpenInProcess,
  terminal: Pick<Terminal, 'self'>,
): Promise<Client> => {
  const { openClient } = await import('./call.ts')
  const { sandbox, catalogueOnly, records = false } = needs
  if (records && sandbox) return openClient(await openInProcess({ sandbox, store: 'temporary', records }), terminal)
  const server = await findServer(configuration, needs)
  const store = catalogueOnly ? 'memory' : 'directory'
  return openClient(server ?? (await openInProcess({ sandbox: sandbox && !catalogueOnly, store, records })), terminal)
}
