import { randomBytes } from 'node:crypto'
import { link, mkdir, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '#kit'
import { keyIdOf } from './envelope.ts'

/**
 * The master key: from the environment's value if given (32 bytes as base64 or hex), else from the key file, which is made with mode 600
 * at the first start.
 * @throws Failure `invalid_input` for a key of the wrong length or spelling, or a key file that others can read or write
 */
export const readMasterKey = async (source: { env?: string | undefined; file: string }): Promise<{ key: Buffer; keyId: string }> => {
  const key = source.env !== undefined ? parseKey(source.env, 'The master key in the environment') : await readKeyFile(source.file)
  return { key, keyId: keyIdOf(key) }
}

const parseKey = (text: string, what: string): Buffer => {
  const trimmed = text.trim()
  const isHex = /^[0-9a-f]{64}$/i.test(trimmed)
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(trimmed)
  const key = Buffer.from(trimmed, isHex ? 'hex' : 'base64')
  if ((!isHex && !isBase64) || key.length !== 32) {
    throw fail('invalid_input', `${what} must be 32 random bytes, written as base64 or as 64 hex digits. "openssl rand -base64 32" prints one.`)
  }
  return key
}

const readKeyFile = async (file: string): Promise<Buffer> => {
  const text = (await readIfPresent(file)) ?? (await makeKeyFile(file))
  return parseKey(text, `The master key in ${file}`)
}

const readIfPresent = async (file: string): Promise<string | undefined> => {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw fail('unavailable', `The key file ${file} cannot be read (${error.code}); check its owner and mode.`, { cause: error })
  })
  if (!handle) return undefined
  try {
    // Asked of the open file, so that it cannot be exchanged between the check and the reading.
    const { mode } = await handle.stat()
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw fail('invalid_input', `The key file ${file} can be read or written by others (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${file}`)
    }
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/** Written beside and linked into place: a crash leaves either no key or a whole one, and two first starts agree on one. */
const makeKeyFile = async (file: string): Promise<string> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(randomBytes(32).toString('base64') + '\n')
    await handle.sync()
  } finally {
    await handle.close()
  }
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(draft)
  const folder = await open(dirname(file), 'r')
  await folder.sync().finally(() => folder.close())
  return (await readIfPresent(file))!
}
