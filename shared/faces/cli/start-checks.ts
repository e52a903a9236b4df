import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail, isFailure, isUnavailable } from '#kit'
import {
  checkIdentityProvider,
  checkLoginProvider,
  checkMarker,
  checkStoredSecrets,
  checkWire,
  findKeyring,
  isTracingRegistered,
  localeProblems,
  readShippedLocale,
} from '../../pack.ts'
import {
  readApprovalRulesFile,
  readBrandFile,
  readJwtFile,
  readLimitsFile,
  readLocales,
  readLoginFile,
  readWireFile,
} from '../../settings-files.ts'
import { keySettings } from '../../settings.ts'
import type { Configuration } from '../../settings.ts'
import { failed, ok, warn, wrong } from './doctor/finding.ts'
import type { Finding } from './doctor/finding.ts'
import { exists } from './exists.ts'
import { requireAddress } from './listen-check.ts'
import { withProfiles } from './overrides.ts'
import { readServerNote } from './server-file.ts'
import { readTokenFile, requireToken, tokenFile } from './token-file.ts'

/** What to check before a start. `isServed`: a server runs on this data directory, so its port and files are in use. */
export type Start = { configuration: Configuration; directory: string; isServed: boolean }
type Check = (start: Start) => Promise<Finding[]>

const maxListedNames = 10
const minFree = 64 * 2 ** 20
const wantedFree = 2 ** 30
/** Not by `toLocaleString`, which reads the data of all locales: 5 MB that an idle server would keep. */
const inMiB = (bytes: number) => {
  const digits = String(Math.round(bytes / 2 ** 20))
  const groups: string[] = []
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end))
  return `${groups.join(',')} MiB`
}

const allows = (path: string, mode: number) =>
  access(path, mode).then(
    () => true,
    () => false,
  )

const whole = async (check: string, work: () => Promise<Finding | undefined>): Promise<Finding[]> => {
  const finding = await work().catch((thrown: unknown) => failed(check, thrown))
  return finding ? [finding] : []
}

const checkWireFile: Check = ({ configuration: { wireFile } }) =>
  whole('wire file', async () => {
    if (wireFile === undefined) return undefined
    const overrides = await readWireFile(wireFile)
    try {
      checkWire(overrides)
    } catch (thrown) {
      throw isFailure(thrown)
        ? fail(thrown.code, `TOOLYARD_WIRE names ${wireFile}: ${thrown.message}`, { cause: thrown })
        : thrown
    }
    return ok('wire file', wireFile)
  })

const checkProfiles: Check = ({ configuration }) =>
  whole('wire profiles', async () => {
    const picked = Object.entries(configuration.profiles)
    if (picked.length === 0) return undefined
    // An unreadable file has its own finding.
    withProfiles(await readWireFile(configuration.wireFile).catch(() => ({})), configuration)
    return ok('wire profiles', picked.map(([id, name]) => `${id}: ${name}`).join(', '))
  })

const checkJwtFile: Check = ({ configuration: { jwtFile } }) =>
  whole('identity-provider file', async () =>
    jwtFile === undefined ? undefined : (await readJwtFile(jwtFile), ok('identity-provider file', jwtFile)),
  )

/** An unusable address is an error; an address that does not answer may answer later, so it is a warning. */
const unanswered = (check: string, thrown: unknown, remedy: string) => {
  const finding = failed(check, thrown)
  return isUnavailable(thrown) ? warn(check, finding.says, remedy) : finding
}

const checkIdentity: Check = async ({ configuration: { jwtFile, privateOrigins, production } }) => {
  const check = 'identity provider'
  // An unreadable file has its own finding.
  const settings = await readJwtFile(jwtFile).catch((thrown: unknown) => void failed(check, thrown))
  if (!settings) return []
  try {
    const keys = await checkIdentityProvider(settings, { privateOrigins, production })
    return [ok(check, `${settings.jwksUrl} answers with ${keys} ${keys === 1 ? 'key' : 'keys'}`)]
  } catch (thrown) {
    return [
      unanswered(
        check,
        thrown,
        'Check the network and jwksUrl in the file that TOOLYARD_JWT names; its tokens are refused until it answers.',
      ),
    ]
  }
}

const checkLogin: Check = async ({ configuration: { loginFile, publicUrl, privateOrigins, production } }) => {
  const check = 'sign-in'
  try {
    const settings = await readLoginFile(loginFile)
    if (!settings) return []
    const address = await checkLoginProvider(settings, { privateOrigins, production })
    if (publicUrl === undefined)
      return [
        warn(
          check,
          'People come back from the OpenID provider to the public address of this server, and none is set.',
          'Set TOOLYARD_PUBLIC_URL, and register <its address>/login/callback at the provider.',
        ),
      ]
    return [ok(check, `people sign in at ${new URL(address).origin} and come back to ${publicUrl}/login/callback`)]
  } catch (thrown) {
    return [
      unanswered(
        check,
        thrown,
        'Check the network and "issuer" in the file that TOOLYARD_LOGIN names; nobody signs in with it until it answers.',
      ),
    ]
  }
}

const checkLimitsFile: Check = ({ configuration: { limitsFile } }) =>
  whole('limits file', async () =>
    limitsFile === undefined ? undefined : (await readLimitsFile(limitsFile), ok('limits file', limitsFile)),
  )

const checkBrand: Check = ({ configuration: { brandFile } }) =>
  whole('brand', async () => ((await readBrandFile(brandFile)) ? ok('brand', `${brandFile}`) : undefined))

const checkApprovalRules: Check = ({ configuration: { approvalRulesFile } }) =>
  whole('approval rules', async () => {
    const rules = await readApprovalRulesFile(approvalRulesFile)
    return rules && ok('approval rules', `${approvalRulesFile}: ${rules.length}`)
  })

const checkLocales: Check = ({ configuration: { localesFolder } }) =>
  whole('translations', async () => {
    if (localesFolder === undefined) return undefined
    const files = Object.entries(await readLocales(localesFolder))
    const source = (await readShippedLocale('en')) ?? {}
    const unused = files.flatMap(([locale, file]) => {
      const { unknown, stale } = localeProblems(file, source)
      return [
        ...unknown.map((key) => `${locale}: "${key}" is not a text of the manifests`),
        ...stale.map((key) => `${locale}: the English text of "${key}" has changed`),
      ]
    })
    if (unused.length === 0)
      return ok('translations', `${localesFolder}: ${files.map(([locale]) => locale).join(', ') || 'no files'}`)
    const more = unused.length > maxListedNames ? ` And ${unused.length - maxListedNames} more.` : ''
    return warn(
      'translations',
      `Not used: ${unused.slice(0, maxListedNames).join('; ')}.${more}`,
      `Compare the files in ${localesFolder} with manifests/locales/en.json.`,
    )
  })

const checkToken: Check = ({ configuration, directory }) =>
  whole('server token', async () => {
    requireToken(configuration)
    if (configuration.token !== undefined) return ok('server token', `from ${configuration.sources.TOOLYARD_TOKEN}`)
    const stored = await readTokenFile(directory)
    return ok('server token', stored === undefined ? 'created at the first start' : `stored in ${tokenFile(directory)}`)
  })

/** The folder in which a first start would create the data directory. */
const checkParent = async (directory: string): Promise<Finding> => {
  const check = 'data directory'
  let parent = dirname(directory)
  while (!(await exists(parent)) && parent !== dirname(parent)) parent = dirname(parent)
  return (await stat(parent)).isDirectory() && (await allows(parent, constants.W_OK | constants.X_OK))
    ? ok(check, `${directory} does not exist yet; the first start creates it.`)
    : wrong(
        check,
        `${directory} cannot be created in ${parent}.`,
        'Set TOOLYARD_DATA to a folder that this user can write to.',
      )
}

const checkDirectory: Check = ({ directory }) =>
  whole('data directory', async () => {
    const check = 'data directory'
    if (!(await exists(directory))) return checkParent(directory)
    const at = await stat(directory)
    if (!at.isDirectory()) return wrong(check, `${directory} is a file.`, 'Set TOOLYARD_DATA to a directory.')
    if (!(await allows(directory, constants.R_OK | constants.W_OK | constants.X_OK)))
      return wrong(
        check,
        `This user cannot write to ${directory}.`,
        `Change its owner to the user that runs the server: chown <user> ${directory}`,
      )
    const { bavail, bsize } = await statfs(directory)
    const free = bavail * bsize
    if (free < minFree)
      return warn(
        check,
        `${directory} has ${inMiB(free)} left; below ${inMiB(minFree)} the server accepts no new work.`,
        'Free some space.',
      )
    if (free < wantedFree)
      return warn(
        check,
        `${directory} has only ${inMiB(free)} left.`,
        'Free some space before the server must refuse work.',
      )
    if (process.platform !== 'win32' && (at.mode & 0o077) !== 0)
      return warn(
        check,
        `${directory} is accessible to other users (mode ${(at.mode & 0o777).toString(8)}).`,
        `Run: chmod 700 ${directory}`,
      )
    return ok(check, `${directory}, ${inMiB(free)} free`)
  })

/** Whether the database of the directory is still there, if it had one. */
const checkDatabase: Check = ({ configuration: { databaseUrl }, directory, isServed }) =>
  whole('database', async () => {
    if (databaseUrl === undefined && !isServed) await checkMarker(directory)
    return undefined
  })

const readKeys = ({ configuration, directory }: Start) => findKeyring(keySettings(configuration, directory))

const checkKey: Check = (start) =>
  whole('master key', async () => {
    // Another check reports a file in place of the directory.
    if ((await exists(start.directory)) && !(await stat(start.directory)).isDirectory()) return undefined
    const keys = (await readKeys(start))?.keys
    if (!keys) return ok('master key', 'There is none yet; the start creates it, unless something is already sealed.')
    const source = start.configuration.sources.TOOLYARD_MASTER_KEY ?? join(start.directory, 'master.key')
    return ok('master key', `${keys[0]!.id}, from ${source}${keys.length > 1 ? `, and ${keys.length - 1} former` : ''}`)
  })

/** Whether the stored secrets can be decrypted with the available keys. */
export const checkSecrets: Check = async (start) => {
  const { configuration, directory, isServed } = start
  const database = join(directory, 'toolyard.db')
  if (isServed || !(await exists(database))) return []
  // An unreadable key has its own finding.
  const keyring = await readKeys(start).catch((thrown: unknown) => failed('master key', thrown))
  if (keyring && 'state' in keyring) return []
  return whole('stored secrets', async () => {
    await checkStoredSecrets(database, keyring, configuration.lostMasterKeys)
    return ok('stored secrets', keyring ? 'can be decrypted with the available keys' : 'There are none yet.')
  })
}

const checkListening: Check = ({ configuration, directory, isServed }) =>
  whole('address', async () => {
    if (isServed) return undefined
    const { host, port } = configuration
    const note = await readServerNote(directory)
    if (note && (await (await import('./request.ts')).isLive(note.address)))
      throw fail(
        'unavailable',
        `The data directory ${directory} is in use by process ${note.pid}, at ${note.address}. Use that server (the command line does so automatically), or stop it first.`,
      )
    await requireAddress(configuration)
    return ok('address', port === 0 ? `${host}, any free port` : `${host}, port ${port} is free`)
  })

/** A server with a tracer provider of its own sends no traces by these settings. */
const checkTraces: Check = ({ configuration: { traces } }) =>
  whole('traces', async () => {
    if (!traces || isTracingRegistered()) return undefined
    if ('refused' in traces) return warn('traces', traces.refused.reason, traces.refused.remedy)
    const { readTraceSettings } = await import('../../traces/settings.ts')
    return ok('traces', `are sent to ${new URL(readTraceSettings(traces.read()).url).origin}`)
  })

/** All checks that a start runs before it creates or opens anything; `doctor` shows the same. */
const checks: Check[] = [
  checkWireFile,
  checkProfiles,
  checkJwtFile,
  checkIdentity,
  checkLogin,
  checkLimitsFile,
  checkBrand,
  checkApprovalRules,
  checkLocales,
  checkTraces,
  checkToken,
  checkDirectory,
  checkDatabase,
  checkKey,
  checkSecrets,
  checkListening,
]

/** The findings of all checks, in order. Changes nothing. */
export const checkStart = async (start: Start): Promise<Finding[]> =>
  (await Promise.all(checks.map((check) => check(start)))).flat()

/** @throws Failure: the first problem, with its remedy */
export const requireStart = async (start: Start): Promise<void> => {
  const finding = (await checkStart(start)).find(({ state }) => state === 'wrong')
  if (!finding) return
  throw (
    finding.failure ??
    fail('unavailable', [finding.says, finding.remedy].filter((text) => text !== undefined).join(' '))
  )
}
