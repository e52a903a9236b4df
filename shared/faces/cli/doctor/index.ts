import { directoryOf } from '../../../settings.ts'
import type { Configuration } from '../../../settings.ts'
import { findServer } from '../find-client.ts'
import { readServerNote } from '../server-file.ts'
import { printResults } from '../table.ts'
import { typed } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { failed, skip } from './finding.ts'
import type { Finding, State } from './finding.ts'
import { checkStart } from '../start-checks.ts'
import { checkDatabase, checkNode } from './machine.ts'
import { checkServer } from './server.ts'

type DoctorOptions = { json?: boolean | undefined; sandbox?: boolean | undefined }
export type DoctorParts = { configuration(): Configuration; terminal: Terminal; node: string }

const words: Record<State, string> = { ok: 'ok', warn: 'warn', wrong: 'WRONG', skip: '-' }

const print = (terminal: Terminal, findings: Finding[]) =>
  printResults(
    terminal,
    findings.map(({ check, state, says, remedy }) => ({
      word: words[state],
      name: check,
      says: [says, ...(remedy === undefined ? [] : [`→ ${remedy}`])],
    })),
  )

const examine = async (
  { configuration: read, node, terminal }: DoctorParts,
  { sandbox = false }: DoctorOptions,
): Promise<Finding[]> => {
  const findings: Finding[] = [checkNode(node)]
  let configuration: Configuration
  try {
    configuration = read()
  } catch (thrown) {
    return [...findings, failed('settings', thrown)]
  }
  findings.push({ check: 'settings', state: 'ok', says: 'all known and valid' })
  const server = await findServer(configuration, { sandbox }).catch((thrown: unknown) => {
    findings.push(failed('token', thrown))
    return undefined
  })
  const own = await readServerNote(directoryOf(configuration, true))
  const isSandbox = sandbox || (server !== undefined && own?.address === server.address)
  // The data of a server that is given by its URL is elsewhere.
  if (configuration.url === undefined) {
    const directory = directoryOf(configuration, isSandbox)
    const isServed = server !== undefined
    const isElsewhere = configuration.databaseUrl !== undefined
    const database = await checkDatabase(directory, { isServed, isElsewhere }, terminal)
    const ofStart = await checkStart({ configuration, directory, isServed })
    // An unreadable database has its own finding.
    findings.push(...ofStart.filter(({ check }) => check !== 'stored secrets' || database.state === 'ok'), database)
  }
  if (server) {
    const { callExact } = (await import('../call.ts')).openClient(server, terminal)
    findings.push(...(await checkServer(callExact, { ...server, isSandbox }, terminal)))
  } else if (!findings.some(({ check }) => check === 'token'))
    findings.push(
      skip(
        'server',
        `None is running on this data directory, so connections and hooks were not checked. Start one with: ${typed(terminal, 'serve')}`,
      ),
    )
  return findings
}

/**
 * `toolyard doctor`: checks everything a server needs, and reports problems with their remedies. Exit 1 when something
 * is wrong.
 */
export const doctor = async (parts: DoctorParts, options: DoctorOptions): Promise<number> => {
  const findings = await examine(parts, options)
  const isFine = findings.every(({ state }) => state !== 'wrong')
  if (options.json)
    parts.terminal.out(
      `${JSON.stringify({ ok: isFine, findings: findings.map(({ failure: _, ...finding }) => finding) })}\n`,
    )
  else {
    print(parts.terminal, findings)
    const count = (state: State) => findings.filter((finding) => finding.state === state).length
    parts.terminal.out(
      `\n${isFine ? 'No problems' : `${count('wrong')} wrong`}${count('warn') > 0 ? `, ${count('warn')} ${count('warn') === 1 ? 'warning' : 'warnings'}` : ''}.\n`,
    )
  }
  return isFine ? 0 : 1
}
