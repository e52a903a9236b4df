import { randomBytes } from 'node:crypto'
import { link, mkdir, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '#kit'
import type { Keyring, MasterKey, Store } from '../runtime/ports/index.ts'
import { keyIdOf } from './envelope.ts'
import { requireNothingSealed } from './key-check.ts'
import { exposureOf } from './private-file.ts'

type KeySettings = {
  env?: string | undefined
  previous?: string | undefined
  /** What holds `env`, for messages. */
  from?: string | undefined
  file: string
}
type Source = KeySettings & {
  /** No key is generated while this store holds sealed values. */
  store?: Pick<Store, 'sealed'>
  /** Ids of keys the operator has given up. */
  lost?: readonly string[]
}

/**
 * The master keys: from the environment if set (32 bytes as base64 or hex; `previous` separated by commas), otherwise
 * from the key file, which has one key per line: the present one first, then the former ones, which earlier backups
 * need. The file is created with mode 600 at the first start.
 * @throws Failure `invalid_input` for a key of the wrong length or encoding, or a key file that others can read or
 * write; `unavailable` if the key file is missing and the store holds sealed values
 */
export const readKeyring = async ({ store, lost, ...keySources }: Source): Promise<Keyring> => {
  const present = await findKeyring(keySources)
  if (present) return present
  if (store) await requireNothingSealed(store, lost)
  await createKeyFile(keySources.file)
  return (await findKeyring(keySources))!
}

/** Like `readKeyring`, but creates nothing: undefined if there is no key file. */
export const findKeyring = async ({
  env,
  previous,
  file,
  from = 'the environment',
}: KeySettings): Promise<Keyring | undefined> => {
  if (env === undefined) {
    if (previous !== undefined)
      throw fail(
        'invalid_input',
        'Previous master keys are given in the environment but not the present one. Give both, or leave both to the key file.',
      )
    const keys = await readKeyFile(file)
    return keys && { keys, save: (next) => replaceKeyFile(file, next) }
  }
  const former = previous?.split(',').map((text) => parseKey(text, 'A previous master key in the environment')) ?? []
  return { keys: [parseKey(env, `The master key in ${from}`), ...former].map(named) }
}

/** Like `readKeyring`, but returns only the present master key. */
export const readMasterKey = async (source: Source): Promise<{ key: Buffer; keyId: string }> => {
  const [present] = (await readKeyring(source)).keys
  return { key: present!.key, keyId: present!.id }
}

const named = (key: Buffer): MasterKey => ({ id: keyIdOf(key), key })

const parseKey = (text: string, what: string): Buffer => {
  const trimmed = text.trim()
  const isHex = /^[0-9a-f]{64}$/i.test(trimmed)
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(trimmed)
  const key = Buffer.from(trimmed, isHex ? 'hex' : 'base64')
  if ((!isHex && !isBase64) || key.length !== 32) {
    throw fail(
      'invalid_input',
      `${what} must be 32 random bytes, written as base64 or as 64 hex digits. "openssl rand -base64 32" prints one.`,
    )
  }
  return key
}

const readKeyFile = async (file: string): Promise<MasterKey[] | undefined> => {
  const text = await readIfPresent(file)
  return text
    ?.trim()
    .split('\n')
    .map((line) => named(parseKey(line, `The master key in ${file}`)))
}

const readIfPresent = async (file: string): Promise<string | undefined> => {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw fail('unavailable', `The key file ${file} cannot be read (${error.code}); check its owner and mode.`, {
      cause: error,
    })
  })
  if (!handle) return undefined
  try {
    // Check the open file, so that it cannot be replaced between the check and the read.
    const exposure = exposureOf(file, await handle.stat())
    if (exposure !== undefined) throw fail('invalid_input', `The key file ${file} ${exposure}`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

const writeDraft = async (file: string, text: string): Promise<string> => {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return draft
}

const syncFolder = async (file: string) => {
  const folder = await open(dirname(file), 'r')
  await folder.sync().finally(() => folder.close())
}

/**
 * Writes the key to a draft and links it into place: a crash leaves either no key or a whole one, and two simultaneous
 * first starts agree on one key.
 */
const createKeyFile = async (file: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = await writeDraft(file, randomBytes(32).toString('base64') + '\n')
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(draft)
  await syncFolder(file)
}

/** Durable before it returns: nothing may be sealed under a key that a power cut could lose. */
const replaceKeyFile = async (file: string, keys: MasterKey[]): Promise<void> => {
  const draft = await writeDraft(file, keys.map(({ key }) => `${key.toString('base64')}\n`).join(''))
  await rename(draft, file)
  await syncFolder(file)
}
