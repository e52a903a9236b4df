import { join } from 'node:path'
import { checkBackup } from '../../../pack.ts'
import { exists } from '../exists.ts'
import { typed } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { failed, ok, skip, warn, wrong } from './finding.ts'
import type { Finding } from './finding.ts'

export const checkNode = (version: string): Finding => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < 24 || (major === 24 && minor < 12))
    return wrong('node', `Node ${version} is too old.`, 'Put Node 24.12 or newer first on the PATH.')
  // Before Node 27, odd major versions are supported for months only.
  return major % 2 === 1 && major < 27
    ? warn('node', `Node ${version} is not a long-term version.`, 'Use an even major, like 24 or 26.')
    : ok('node', `Node ${version}`)
}

/** Reads the whole database, unless a server is using it. `isElsewhere`: it is not in the data directory. */
export const checkDatabase = async (
  directory: string,
  { isServed, isElsewhere }: { isServed: boolean; isElsewhere: boolean },
  terminal: Pick<Terminal, 'self'>,
): Promise<Finding> => {
  const check = 'database'
  if (isElsewhere)
    return skip(
      check,
      `DATABASE_URL names a PostgreSQL database. ${isServed ? 'See below whether it accepts work.' : 'The server checks it when it starts.'}`,
    )
  const file = join(directory, 'toolyard.db')
  if (!(await exists(file))) return skip(check, 'There is none yet.')
  if (isServed) return ok(check, `${file} is in use by the server; see below whether it accepts work.`)
  try {
    const { schema, rows } = await checkBackup(file)
    return ok(
      check,
      `${file} is intact: schema ${schema}, ${rows['connections'] ?? 0} connections, ${rows['subscriptions'] ?? 0} subscriptions`,
    )
  } catch (thrown) {
    const { says } = failed(check, thrown)
    return says.includes('has schema')
      ? wrong(check, says, 'Use the version that wrote it, or a newer one.')
      : wrong(check, `${file} is damaged.`, `Move it away and restore a backup: ${typed(terminal, 'restore <file>')}`)
  }
}
