import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { isFailure } from '#kit'
import { exposureOf } from './pack.ts'
import { fileSettings, isTraceSetting, settingFailure } from './setting-names.ts'
import type { Environment, FileSetting, SecretSetting } from './setting-names.ts'

/** A setting that is or names a secret, and the file that it was read from. */
export type Secret = { text: string; from: SecretSetting | FileSetting; file?: string }
export type Secrets = Partial<Record<SecretSetting, Secret>>

/** Far more than any secret needs, so that a wrong file is not read whole. */
const maxBytes = 64 * 1024

/** Settings whose value already is the name of a file. */
const namesFile = (name: SecretSetting) => name === 'TOOLYARD_LOGIN' || name === 'TOOLYARD_OAUTH_CLIENTS'

/**
 * Whether this process is in a container, where nobody else can read its files. There, Docker and Kubernetes decide the
 * modes of mounted secrets: 0444 and 0644 unless told otherwise. `container` is set by Podman, by systemd-nspawn and in
 * our image, the other variable in every pod.
 */
const isContained = (env: Environment) => env['container'] !== undefined || env['KUBERNETES_SERVICE_HOST'] !== undefined

/** The text of a file, or undefined if it is too large. */
const readText = (descriptor: number): string | undefined => {
  const buffer = Buffer.alloc(maxBytes + 1)
  let length = 0
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    read = readSync(descriptor, buffer, length, buffer.length - length, null)
  return length > maxBytes ? undefined : buffer.toString('utf8', 0, length)
}

const readSecretFile = (from: FileSetting, file: string, env: Environment): string => {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    // Check the open file, so that it cannot be replaced between the check and the read.
    const exposure = isContained(env) ? undefined : exposureOf(file, fstatSync(descriptor))
    if (exposure !== undefined)
      throw settingFailure(
        from,
        `names ${file}, which ${exposure} (or, in a container, where nobody else is, set container=oci).`,
      )
    const text = readText(descriptor)
    if (text === undefined)
      throw settingFailure(from, `names ${file}, which is larger than ${maxBytes} bytes. Name the file of the secret.`)
    if (text.trim() === '')
      throw settingFailure(from, `names ${file}, which is empty. Write the secret into it, or unset ${from}.`)
    return text
  } catch (thrown) {
    if (isFailure(thrown)) throw thrown
    const { code } = thrown as NodeJS.ErrnoException
    throw settingFailure(
      from,
      `names ${file}, which cannot be read (${code}). Name a file that this user can read, or unset ${from}.`,
    )
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/**
 * A setting that is a secret or names one, from its variable or from the file that `<variable>_FILE` names. One newline
 * at the end of a file is dropped.
 * @throws Failure `invalid_input` for a setting that is set in both ways, and for a file that is empty, cannot be read,
 * or can be read by others
 */
export const readSecret = (fileSetting: FileSetting, env: Environment, cwd: string): Secret | undefined => {
  const name = fileSettings[fileSetting]
  const text = env[name]
  const path = env[fileSetting]
  if (text !== undefined && path !== undefined)
    throw settingFailure(fileSetting, `and ${name} are both set. Unset one of them.`)
  if (path === undefined) return text === undefined ? undefined : { text, from: name }
  const file = resolve(cwd, path)
  const content = readSecretFile(fileSetting, file, env).replace(/\r?\n$/, '')
  return { text: namesFile(name) ? file : content, from: fileSetting, file }
}

/**
 * The secrets that every command reads: those of traces are for a server that sends them.
 * @throws Failure like {@link readSecret}
 */
export const readSecrets = (env: Environment, cwd: string): Secrets => {
  const secrets: Secrets = {}
  for (const [fileSetting, name] of Object.entries(fileSettings) as [FileSetting, SecretSetting][]) {
    const secret = isTraceSetting(name) ? undefined : readSecret(fileSetting, env, cwd)
    if (secret) secrets[name] = secret
  }
  return secrets
}
