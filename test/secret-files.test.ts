import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fileSettings, isTraceSetting, settings } from '../shared/setting-names.ts'
import type { FileSetting } from '../shared/setting-names.ts'
import { keySettings, readConfiguration } from '../shared/settings.ts'
import { exposureOf } from '../shared/store/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolyard-secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A file of this user. */
const fileWith = (name: string, text: string, mode = 0o600) => {
  const file = join(folder, name)
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}
const read = (env: Record<string, string>) => readConfiguration(env, folder)

const token = 'a-token-of-some-length'
const values: Record<FileSetting, string> = {
  DATABASE_URL_FILE: 'postgres://u:p@db.example.com/t',
  TOOLYARD_TOKEN_FILE: token,
  TOOLYARD_MASTER_KEY_FILE: Buffer.alloc(32, 7).toString('base64'),
  TOOLYARD_OLD_MASTER_KEYS_FILE: Buffer.alloc(32, 8).toString('base64'),
  TOOLYARD_LOGIN_FILE: '{"clientSecret":"from the provider"}',
  TOOLYARD_OAUTH_CLIENTS_FILE: '[]',
  OTEL_EXPORTER_OTLP_HEADERS_FILE: 'authorization=Bearer%20key',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE: 'authorization=Bearer%20own',
}
/** Those that every command reads. */
const serverFiles = Object.fromEntries(Object.entries(fileSettings).filter(([name]) => !isTraceSetting(name)))
const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
const readTraces = (env: Record<string, string>) => {
  const { traces } = read({ ...collector, ...env })
  if (!traces || !('read' in traces)) throw new Error('no traces')
  return traces.read()
}

describe('secrets from files', () => {
  it('are read like the settings they stand for, without the newline at the end', () => {
    const files = Object.fromEntries(
      Object.entries(values).map(([name, text], n) => [name, fileWith(name, `${text}${n % 2 === 0 ? '\n' : '\r\n'}`)]),
    )
    const { sources, ...fromFiles } = read(files)
    const { sources: _, ...fromVariables } = read(
      Object.fromEntries(
        Object.entries(values).map(([name, text]) => {
          const setting = fileSettings[name as FileSetting]
          return [setting, setting.endsWith('LOGIN') || setting.endsWith('CLIENTS') ? files[name]! : text]
        }),
      ),
    )
    expect(fromFiles).toEqual(fromVariables)
    expect(fromFiles).toMatchObject({ token, loginFile: files['TOOLYARD_LOGIN_FILE'] })
    expect(sources).toEqual(
      Object.fromEntries(Object.entries(serverFiles).map(([name, of]) => [of, `${name} (${files[name]})`])),
    )
  })

  it('exist for every setting that holds a secret', () => {
    const isSecret = /(TOKEN|MASTER_KEYS?|DATABASE_URL|LOGIN|CLIENTS|HEADERS|SECRETS?|PASSWORD|CREDENTIALS?)$/
    const ids = new Set(['TOOLYARD_LOST_MASTER_KEYS'])
    expect(Object.values(fileSettings).toSorted()).toEqual(
      Object.keys(settings)
        .filter((name) => isSecret.test(name) && !ids.has(name))
        .toSorted(),
    )
  })

  it('may be relative to the working directory, and lose one newline only', () => {
    fileWith('relative', `${token}\n`)
    expect(read({ TOOLYARD_TOKEN_FILE: 'relative' }).token).toBe(token)
    fileWith('two-lines', `${token}\n\n`)
    expect(() => read({ TOOLYARD_TOKEN_FILE: 'two-lines' })).toThrow(
      'TOOLYARD_TOKEN_FILE is not usable: give 16 to 512 visible ASCII characters.',
    )
  })

  it.each(Object.entries(serverFiles) as [FileSetting, string][])(
    '%s and %s at once are refused',
    (fileSetting, setting) => {
      const both = { [setting]: 'a', [fileSetting]: fileWith('both', values[fileSetting]) }
      expect(() => read(both)).toThrow(`${fileSetting} and ${setting} are both set. Unset one of them.`)
      expect(() => read({ [fileSetting]: ' ' })).toThrow(`${fileSetting} is empty. Give a value or unset it.`)
    },
  )

  const traceFiles = ['OTEL_EXPORTER_OTLP_HEADERS_FILE', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE'] as const
  it.each(traceFiles)('%s is read by a server that sends traces, and checked by it alone', (fileSetting) => {
    const setting = fileSettings[fileSetting]
    const file = fileWith('headers', `${values[fileSetting]}\n`)
    expect(readTraces({ [fileSetting]: file })).toMatchObject({ [setting]: values[fileSetting] })
    expect(readTraces({ [fileSetting]: file, [setting]: '' })).toMatchObject({ [setting]: values[fileSetting] })
    expect(readTraces({ [fileSetting]: ' ', [setting]: 'key=a' })).toEqual({ ...collector, [setting]: 'key=a' })
    const wrong: [env: Record<string, string>, says: string][] = [
      [{ [fileSetting]: file, [setting]: 'a=b' }, `${fileSetting} and ${setting} are both set. Unset one of them.`],
      [{ [fileSetting]: join(folder, 'none') }, 'which cannot be read (ENOENT)'],
      [{ [fileSetting]: fileWith('open-headers', 'a=b', 0o640) }, '(mode 640). Run: chmod 600'],
    ]
    for (const [env, says] of wrong) {
      expect(() => readTraces(env)).toThrow(says)
      expect(read(env).traces).toBeUndefined()
      expect(() => read({ ...collector, ...env })).not.toThrow()
    }
  })

  it('with the headers for traces alone take precedence', () => {
    const [all, own] = traceFiles
    const env = { [all]: join(folder, 'none'), [own]: fileWith('own-headers', 'key=own') }
    expect(readTraces(env)).toMatchObject({ OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'key=own' })
  })

  const refused: [what: string, file: () => string, says: RegExp][] = [
    ['not there', () => join(folder, 'none'), /names .*none, which cannot be read \(ENOENT\)\. Name a file that this/],
    ['a folder', () => folder, /which cannot be read \(EISDIR\)\. Name a file/],
    ['empty', () => fileWith('empty', '\n'), /which is empty\. Write the secret into it, or unset TOOLYARD_TOKEN_FILE/],
    ['too large', () => fileWith('large', 'x'.repeat(70_000)), /larger than 65536 bytes\. Name the file of the secret/],
    [
      'readable by others',
      () => fileWith('open', token, 0o604),
      /can be read or written by others \(mode 604\)\. Run: chmod 600 .*open \(or, in a container, .* set container=oci\)/,
    ],
    [
      'readable by a group, although it is ours',
      () => fileWith('group', token, 0o640),
      /\(mode 640\)\. Run: chmod 600/,
    ],
  ]
  it.each(refused)('are refused when the file is %s', (_what, file, says) => {
    const env = { TOOLYARD_TOKEN_FILE: file() }
    expect(() => read(env)).toThrow(says)
    expect(() => read(env)).toThrow(/^TOOLYARD_TOKEN_FILE names /)
    expect(() => read(env)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.not.stringContaining(token) }),
    )
  })

  it('have any mode in a container, where Docker and Kubernetes decide it', () => {
    const env = { TOOLYARD_TOKEN_FILE: fileWith('mounted', token, 0o444) }
    expect(() => read(env)).toThrow(/mode 444/)
    expect(read({ ...env, container: 'oci' }).token).toBe(token)
    expect(read({ ...env, KUBERNETES_SERVICE_HOST: '10.0.0.1' }).token).toBe(token)
  })

  it('may be given by root to the group of the server, but not to everybody', () => {
    const exposure = (mode: number, uid: number) => exposureOf('/run/token', { mode: 0o100_000 | mode, uid }, 1000)
    expect([exposure(0o600, 1000), exposure(0o400, 1000), exposure(0o640, 0), exposure(0o440, 0)]).toEqual(
      Array.from({ length: 4 }, () => undefined),
    )
    expect(exposure(0o640, 1000)).toBe('can be read or written by others (mode 640). Run: chmod 600 /run/token')
    expect(exposure(0o660, 0)).toBe('can be read or written by others (mode 660). Run: chmod 640 /run/token')
    expect(exposure(0o644, 0)).toBe('can be read or written by others (mode 644). Run: chmod 640 /run/token')
  })

  it('name the setting of a file whose content is wrong, and do not repeat it', () => {
    const database = { DATABASE_URL_FILE: fileWith('database', 'mysql://u:hush@db.example.com/t\n') }
    expect(() => read(database)).toThrow(/^DATABASE_URL_FILE is not the address of a PostgreSQL database/)
    expect(() => read(database)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hush') }))
    const file = fileWith('key', 'abc')
    expect(keySettings(read({ TOOLYARD_MASTER_KEY_FILE: file }), '/data')).toEqual({
      env: 'abc',
      previous: undefined,
      from: `TOOLYARD_MASTER_KEY_FILE (${file})`,
      file: '/data/master.key',
    })
  })
})
