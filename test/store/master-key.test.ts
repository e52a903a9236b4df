import { randomBytes } from 'node:crypto'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readMasterKey } from '../../shared/store/index.ts'
import { failsWith } from './fails.ts'
import { testFolder } from './folder.ts'

const keyFile = async () => join(await testFolder(), 'keys', 'master.key')

describe('the master key', () => {
  test('is created at the first start with mode 600 and read at the next', async () => {
    const file = await keyFile()
    const made = await readMasterKey({ file })
    expect(made.key).toHaveLength(32)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readMasterKey({ file })).toEqual(made)
    expect(await readdir(join(file, '..'))).toEqual(['master.key'])
    expect((await readMasterKey({ file: await keyFile() })).key.equals(made.key)).toBe(false)
  })

  test('two first starts at once agree on one key', async () => {
    const file = await keyFile()
    const made = await Promise.all(Array.from({ length: 8 }, () => readMasterKey({ file })))
    expect(new Set(made.map(({ keyId }) => keyId)).size).toBe(1)
  })

  test.each([0o640, 0o604, 0o620, 0o602, 0o660, 0o644, 0o666, 0o777, 0o601])(
    'a key file with mode %o is refused with the remedy',
    async (mode) => {
      const file = await keyFile()
      await readMasterKey({ file })
      await chmod(file, mode)
      expect(await failsWith(readMasterKey({ file }), 'invalid_input')).toContain(`chmod 600 ${file}`)
    },
  )

  test('a key file with a broken key is refused, not replaced', async () => {
    const file = await keyFile()
    await readMasterKey({ file })
    for (const text of ['', 'not a key', randomBytes(16).toString('base64')]) {
      await writeFile(file, text)
      await failsWith(readMasterKey({ file }), 'invalid_input')
      expect(await readFile(file, 'utf8')).toBe(text)
    }
  })

  test('from the environment: base64, base64url and hex of 32 bytes', async () => {
    const key = randomBytes(32)
    const file = await keyFile()
    for (const env of [
      key.toString('base64'),
      key.toString('base64url'),
      key.toString('hex'),
      key.toString('hex').toUpperCase(),
      ` ${key.toString('base64')}\n`,
    ]) {
      expect((await readMasterKey({ env, file })).key.equals(key), env).toBe(true)
    }
    await expect(stat(file)).rejects.toThrow()
  })

  test.each([
    ['empty', ''],
    ['too short', randomBytes(31).toString('base64')],
    ['too long', randomBytes(33).toString('base64')],
    ['short hex', randomBytes(31).toString('hex')],
    ['a passphrase', 'correct horse battery staple correct horse!'],
    [
      'base64 with a stray character',
      `${randomBytes(32).toString('base64').slice(0, 20)}*${randomBytes(32).toString('base64').slice(21)}`,
    ],
  ])('from the environment, %s: refused, and the value is not repeated', async (_, env) => {
    const message = await failsWith(readMasterKey({ env, file: await keyFile() }), 'invalid_input')
    if (env) expect(message).not.toContain(env)
    expect(message).toContain('openssl rand')
  })
})
