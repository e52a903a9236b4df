import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkBackup, checkStoredSecrets, findKeyring } from '../../../pack.ts'
import { readJwtFile, readWireFile } from '../configuration.ts'
import type { Configuration } from '../configuration.ts'
import { failed, ok, skip, warn, wrong } from './finding.ts'
import type { Finding } from './finding.ts'

const leastFree = 64 * 2 ** 20
const wantedFree = 2 ** 30
const inMiB = (bytes: number) => `${Math.round(bytes / 2 ** 20).toLocaleString('en')} MiB`

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

export const checkNode = (version: string): Finding => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < 24 || (major === 24 && minor < 12)) return wrong('node', `Node ${version} is too old.`, 'Put Node 24.12 or newer first on the PATH.')
  // Odd majors are given up after months.
  return major % 2 === 1 && major < 27
    ? warn('node', `Node ${version} is no long-term version.`, 'Use an even major, like 24 or 26.')
    : ok('node', `Node ${version}`)
}

/** The files that settings name. */
export const checkFiles = async ({ wireFile, jwtFile }: Configuration): Promise<Finding[]> => {
  const found: Finding[] = []
  for (const [check, file, read] of [
    ['wire file', wireFile, () => readWireFile(wireFile)],
    ['identity-provider file', jwtFile, () => readJwtFile(jwtFile)],
  ] as const) {
    if (file === undefined) continue
    found.push(
      await read().then(
        () => ok(check, file),
        (thrown: unknown) => failed(check, thrown),
      ),
    )
  }
  return found
}

export const checkDirectory = async (directory: string): Promise<Finding> => {
  const check = 'data directory'
  if (!(await exists(directory))) return ok(check, `${directory} is not there yet; the first start makes it.`)
  const at = await stat(directory)
  if (!at.isDirectory()) return wrong(check, `${directory} is a file.`, 'Set TOOLYARD_DATA to a directory.')
  const writable = await access(directory, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!writable) return wrong(check, `${directory} cannot be written by this user.`, `Give it to the user that runs the server: chown <user> ${directory}`)
  const { bavail, bsize } = await statfs(directory)
  const free = bavail * bsize
  if (free < leastFree) return wrong(check, `${directory} has ${inMiB(free)} left; below ${inMiB(leastFree)} nothing new is taken.`, 'Free some space.')
  if (free < wantedFree) return warn(check, `${directory} has only ${inMiB(free)} left.`, 'Free some space before the server has to refuse work.')
  if (process.platform !== 'win32' && (at.mode & 0o077) !== 0)
    return warn(check, `${directory} can be entered by others (mode ${(at.mode & 0o777).toString(8)}).`, `Run: chmod 700 ${directory}`)
  return ok(check, `${directory}, ${inMiB(free)} free`)
}

/** Reads the whole database, but only while no server is changing it. */
export const checkDatabase = async (directory: string, isServed: boolean): Promise<Finding> => {
  const check = 'database'
  const file = join(directory, 'toolyard.db')
  if (!(await exists(file))) return skip(check, 'There is none yet.')
  if (isServed) return ok(check, `${file} is in use by the server, which says below whether it can take work.`)
  try {
    const { schema, rows } = await checkBackup(file)
    return ok(check, `${file} is whole: schema ${schema}, ${rows['connections'] ?? 0} accounts, ${rows['subscriptions'] ?? 0} subscriptions`)
  } catch (thrown) {
    const { says } = failed(check, thrown)
    return says.includes('has schema')
      ? wrong(check, says, 'Use the version that wrote it, or a newer one.')
      : wrong(check, `${file} is damaged.`, 'Move it away and put a backup in its place: toolyard restore <file>')
  }
}

export const checkKey = async ({ masterKey: env, previousMasterKeys: previous, lostMasterKeys: lost }: Configuration, directory: string): Promise<Finding> => {
  const check = 'master key'
  const file = join(directory, 'master.key')
  try {
    const keyring = env !== undefined || (await exists(file)) ? await findKeyring({ env, previous, file }) : undefined
    if (!keyring) {
      if (!(await exists(join(directory, 'toolyard.db'))) || lost.length > 0) return ok(check, 'There is none yet; the first start makes it.')
      return wrong(
        check,
        `${file} is missing, so the stored secrets cannot be opened.`,
        'Put it back from where you keep it (mode 600), or set TOOLYARD_MASTER_KEY.',
      )
    }
    const { keys } = keyring
    return ok(check, `${keys[0]!.id}, from ${env === undefined ? file : 'TOOLYARD_MASTER_KEY'}${keys.length > 1 ? `, and ${keys.length - 1} before it` : ''}`)
  } catch (thrown) {
    return failed(check, thrown)
  }
}

/** What a start would refuse, found without starting a server: whether what is stored opens with the keys that are here. */
export const checkSecrets = async (
  { masterKey: env, previousMasterKeys: previous, lostMasterKeys: lost }: Configuration,
  directory: string,
): Promise<Finding> => {
  const check = 'stored secrets'
  const database = join(directory, 'toolyard.db')
  if (!(await exists(database))) return skip(check, 'There are none yet.')
  try {
    await checkStoredSecrets(database, await findKeyring({ env, previous, file: join(directory, 'master.key') }), lost)
    return ok(check, 'open with the keys that are here')
  } catch (thrown) {
    return failed(check, thrown)
  }
}

/** Where a first start would make its directory. */
export const checkParent = async (directory: string): Promise<Finding[]> => {
  if (await exists(directory)) return []
  let parent = dirname(directory)
  while (!(await exists(parent)) && parent !== dirname(parent)) parent = dirname(parent)
  const writable = await access(parent, constants.W_OK).then(
    () => true,
    () => false,
  )
  return writable ? [] : [wrong('data directory', `${directory} cannot be made in ${parent}.`, 'Set TOOLYARD_DATA to a place this user can write to.')]
}
