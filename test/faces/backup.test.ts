import { chmod, copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { saveStream } from '../../shared/faces/cli/save-stream.ts'
import { failures } from '../../shared/kit/index.ts'
import { openHttpWorld } from '../support/http-world.ts'
import { makeData, start, toolyard, withDirectory } from './process.ts'

const serving = async <T>(env: Record<string, string>, work: () => Promise<T>) => {
  const server = start(['serve', '--sandbox'], { TOOLYARD_PORT: '0', ...env })
  onTestFinished(() => server.kill('SIGKILL'))
  try {
    await server.printed('curl')
    return await work()
  } finally {
    server.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
  }
}
const accounts = async (env: Record<string, string>) =>
  JSON.parse((await toolyard(['run', 'work-board', 'get-boards', '--sandbox', '--json'], env)).out).output
    .count as number

describe('backup and restore', () => {
  it('of a running server, into a fresh directory, where everything is as it was', () =>
    withDirectory(async (folder) => {
      const env = { TOOLYARD_DATA: join(folder, 'data') }
      const file = join(folder, 'kept', 'one.db')
      await mkdir(join(folder, 'kept'))
      await serving(env, async () => {
        expect((await toolyard(['tenants', 'add', 'Paper mill', '--id', 'paper-mill'], env)).code).toBe(0)
        // Runs go on meanwhile.
        const [made, run] = await Promise.all([
          toolyard(['backup', file], env),
          toolyard(['run', 'work-board', 'get-boards'], env),
        ])
        expect([made.code, run.code], made.err).toEqual([0, 0])
        expect(made.out).toMatch(/bytes, verified\.\n[^]*connections +3\n[^]*does not contain the master key/)
        expect((await stat(file)).mode & 0o077).toBe(0)
        expect(await readdir(join(folder, 'kept'))).toEqual(['one.db'])
        // A name that is taken is not written over.
        const again = await toolyard(['backup', file, '--json'], env)
        expect([again.code, JSON.parse(again.err)]).toMatchObject([failures.conflict.exit, { code: 'conflict' }])
        // Nor does a restore touch what a server uses.
        const used = await toolyard(['restore', file, '--sandbox'], env)
        expect([used.code, used.err]).toEqual([
          failures.unavailable.exit,
          expect.stringContaining('is in use by process'),
        ])
      })
      const taken = await toolyard(['restore', file, '--sandbox'], env)
      expect([taken.code, taken.err]).toEqual([
        failures.conflict.exit,
        expect.stringContaining('holds a database already'),
      ])

      const fresh = { TOOLYARD_DATA: join(folder, 'fresh') }
      // Without the key that its secrets need, nothing is written.
      const keyless = await toolyard(['restore', file, '--sandbox'], fresh)
      expect([keyless.code, keyless.err]).toEqual([
        failures.unavailable.exit,
        expect.stringMatching(/Nothing was restored: .* here: none/),
      ])
      expect(await readdir(folder)).not.toContain('fresh')
      await mkdir(join(folder, 'fresh', 'sandbox'), { recursive: true })
      await copyFile(join(folder, 'data', 'sandbox', 'master.key'), join(folder, 'fresh', 'sandbox', 'master.key'))
      const restored = await toolyard(['restore', file, '--sandbox'], fresh)
      expect([restored.code, restored.out, restored.err]).toEqual([0, expect.stringMatching(/connections +3/), ''])
      await serving(fresh, async () => {
        expect((await toolyard(['tenants'], fresh)).out).toContain('paper-mill')
        expect(await accounts(fresh)).toBe(2)
      })
    }))

  it('of a data directory without a server, and says when the key is there', () =>
    withDirectory(async (folder) => {
      const [data, env] = [join(folder, 'data'), { TOOLYARD_DATA: join(folder, 'data') }]
      await makeData(data)
      const file = join(folder, 'one.db')
      const made = await toolyard(['backup', file, '--json'], env)
      expect([made.code, JSON.parse(made.out)]).toMatchObject([0, { file, rows: { tenants: 1, connections: 0 } }])
      const lost = await toolyard(['backup', join(folder, 'nowhere', 'one.db')], env)
      expect([lost.code, lost.err]).toEqual([
        failures.invalid_input.exit,
        expect.stringMatching(/The folder .*nowhere does not exist\. Create it/),
      ])
      expect((await readdir(folder)).toSorted()).toEqual(['data', 'one.db'])
      await mkdir(join(folder, 'fresh'))
      await copyFile(join(data, 'master.key'), join(folder, 'fresh', 'master.key'))
      const restored = await toolyard(['restore', file, '--json'], { TOOLYARD_DATA: join(folder, 'fresh') })
      expect([restored.code, restored.err, JSON.parse(restored.out)]).toMatchObject([
        0,
        '',
        { hasKey: true, rows: { tenants: 1 } },
      ])
    }))

  it('refuses what is no whole backup, and a later schema, leaving nothing behind', () =>
    withDirectory(async (folder) => {
      const env = { TOOLYARD_DATA: join(folder, 'fresh') }
      const bad = join(folder, 'bad.db')
      await writeFile(bad, 'SQLite format 3\0 but not really')
      for (const [file, words] of [
        [bad, 'is not a complete backup'],
        [join(folder, 'none.db'), 'There is no backup at'],
      ] as const) {
        const refused = await toolyard(['restore', file], env)
        expect([refused.code, refused.out, refused.err]).toEqual([
          failures.invalid_input.exit,
          '',
          expect.stringContaining(words),
        ])
      }
      const { DatabaseSync } = await import('node:sqlite')
      const later = new DatabaseSync(join(folder, 'later.db'))
      later.exec('create table meta (name text); pragma user_version = 9999')
      later.close()
      const refused = await toolyard(['restore', join(folder, 'later.db')], env)
      expect([refused.code, refused.err]).toEqual([
        failures.invalid_input.exit,
        expect.stringMatching(/has schema 9999; this version reads 1 to \d+\./),
      ])
      await mkdir(env.TOOLYARD_DATA, { recursive: true })
      expect((await readdir(env.TOOLYARD_DATA)).includes('toolyard.db')).toBe(false)
      // The server itself does not start on it either, and leaves it as it is.
      await copyFile(join(folder, 'later.db'), join(env.TOOLYARD_DATA, 'toolyard.db'))
      await chmod(join(env.TOOLYARD_DATA, 'toolyard.db'), 0o600)
      const started = await toolyard(['serve'], {
        ...env,
        TOOLYARD_PORT: '0',
        TOOLYARD_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      })
      expect([started.code, started.out, started.err]).toEqual([
        failures.unavailable.exit,
        '',
        expect.stringMatching(/schema 9999/),
      ])
    }))

  it('of data in memory is refused, with the reason', async () => {
    const face = await openHttpWorld()
    const reply = await face.ask('/v1/admin/backup', { method: 'POST' })
    expect([reply.status, reply.json]).toMatchObject([
      400,
      { code: 'invalid_input', detail: expect.stringContaining('in memory only') },
    ])
    await face.close()
  })

  it('keeps nothing of a transfer that breaks off', () =>
    withDirectory(async (folder) => {
      const file = join(folder, 'one.db')
      async function* half() {
        yield Buffer.from('12345')
      }
      await expect(saveStream(half(), file, 10)).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('5 of 10 bytes'),
      })
      async function* broken() {
        yield Buffer.from('12345')
        throw new Error('reset')
      }
      await expect(saveStream(broken(), file, 10)).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('closed the connection'),
      })
      expect(await readdir(folder)).toEqual([])
      expect(await saveStream(half(), file, 5)).toEqual({ bytes: 5 })
      expect(await readFile(file, 'utf8')).toBe('12345')
    }))
})
