import { fail } from '#kit'
import type { Configuration } from '../../settings.ts'
import { findServer } from './find-client.ts'
import { quoted } from './invocation.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const exportLine = (variables: [name: string, value: string][]) =>
  `export ${variables.map(([name, value]) => `${name}=${quoted(value)}`).join(' ')}\n`

/** The prefix is `SANDBOX_`, because names with `TOOLYARD_` are settings. */
const sandboxName = (integration: string) => `SANDBOX_${integration.toUpperCase().replaceAll('-', '_')}`

/**
 * `toolyard env`: address and token of the running server, and where its sandbox listens, as lines for
 * `eval "$(toolyard env)"`.
 * @throws Failure `not_found` when no server runs on the data directory
 */
export const printServerEnv = async (
  configuration: Configuration,
  terminal: Terminal,
  { sandbox = false, json }: { sandbox: boolean | undefined; json: boolean },
): Promise<number> => {
  const server = await findServer(configuration, { sandbox })
  if (!server) {
    throw fail(
      'not_found',
      `No server is running on ${configuration.data}. Run this command where one was started, set TOOLYARD_DATA to its data directory, or start one with: ${typed(terminal, 'serve')}`,
    )
  }
  const { openClient } = await import('./call.ts')
  const about = await openClient(server, terminal).callExact('sessions.getServer')
  const places = (about.sandbox?.places ?? []).map(({ integration, origin }): [string, string] => [
    sandboxName(integration),
    origin,
  ])
  const own: [string, string][] = [
    ['TOOLYARD_URL', server.address],
    ['TOOLYARD_TOKEN', server.token],
  ]
  if (json) terminal.out(`${JSON.stringify(Object.fromEntries([...own, ...places]))}\n`)
  else for (const variables of [own, places]) if (variables.length > 0) terminal.out(exportLine(variables))
  return 0
}
