import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, isFailure, isUnauthenticated } from '#kit'
import { exposureOf } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import type { Configuration } from '../../settings.ts'

export const tokenFile = (directory: string) => join(directory, 'token')

/**
 * The token stored in the data directory, or undefined.
 * @throws Failure `invalid_input` when other users can read the file
 */
export const readTokenFile = async (directory: string): Promise<string | undefined> => {
  const file = tokenFile(directory)
  try {
    const exposure = exposureOf(file, await stat(file))
    if (exposure !== undefined) throw fail('invalid_input', `The token file ${file} ${exposure}`)
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (isFailure(error)) throw error
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw fail('unavailable', `The token file ${file} cannot be read (${code}); check its owner and mode.`, {
      cause: error,
    })
  }
}

const isAccepted = async (pack: Pack, text: string) => {
  try {
    await pack.tokens.authenticate(text)
    return true
  } catch (thrown) {
    if (isUnauthenticated(thrown)) return false
    throw thrown
  }
}

/** @throws Failure `invalid_input`: in production no token is stored in a file, so one must be given */
export const requireToken = ({ token, production }: Configuration) => {
  if (production && token === undefined)
    throw fail(
      'invalid_input',
      'TOOLYARD_TOKEN or TOOLYARD_TOKEN_FILE must be given in production, so that the server stores no token of its own. "openssl rand -hex 24" creates one.',
    )
}

/**
 * The first token: from the environment, otherwise the one stored in the data directory, otherwise a new one. The
 * database holds only its hash; the text is in a file with mode 600, so that the command line can use it.
 */
export const firstToken = async (
  pack: Pack,
  configuration: Configuration,
  directory: string,
): Promise<{ text: string; from: 'environment' | 'file' }> => {
  const { token } = configuration
  if (token !== undefined) {
    await pack.tokens.useOwn(token)
    if (!(await isAccepted(pack, token)))
      throw fail(
        'invalid_input',
        'TOOLYARD_TOKEN is a token of this server that has expired or was revoked. Give another one.',
      )
    // The token in the file is no longer valid.
    await rm(tokenFile(directory), { force: true })
    return { text: token, from: 'environment' }
  }
  requireToken(configuration)
  await pack.tokens.useOwn(undefined)
  const stored = await readTokenFile(directory)
  if (stored !== undefined && (await isAccepted(pack, stored))) return { text: stored, from: 'file' }
  const text = await pack.tokens.makeFirst()
  await writeFile(tokenFile(directory), `${text}\n`, { mode: 0o600 })
  return { text, from: 'file' }
}
