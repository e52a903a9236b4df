import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { failures } from '../../shared/kit/index.ts'
import { start, toolyard, withDirectory } from './process.ts'

/** The table in docs/refusals.md of what the server does not start on: each row is tried with a server of its own. */
const page = await readFile(fileURLToPath(new URL('../../docs/refusals.md', import.meta.url)), 'utf8')
const rows = [
  ...page
    .split('<!-- refusals -->')[1]!
    .split('<!-- /refusals -->')[0]!
    .matchAll(/^\| (.+?) \| (.+?) \|$/gm),
]
  .map(([, settingText, said]) => ({ given: settingText!, said: said! }))
  .filter(({ given: settingText }) => settingText !== 'Started with' && !settingText.startsWith('---'))

type Arranged = { env?: Record<string, string>; nodeArgs?: string[]; done?: () => Promise<unknown> | void }
const fileOf =
  (setting: string, content: string) =>
  async (data: string): Promise<Arranged> => {
    const file = join(data, '..', 'given.json')
    await writeFile(file, content)
    return { env: { [setting]: file } }
  }
const keptFile =
  (name: string, content: string, mode: number) =>
  async (data: string): Promise<Arranged> => {
    await mkdir(data)
    await writeFile(join(data, name), content, { mode })
    return {}
  }

/** Rows that take more than settings. */
const arrangements: Record<string, (data: string) => Promise<Arranged>> = {
  'a wire file that is not JSON': fileOf('TOOLYARD_WIRE', '{'),
  'a wire file for an integration there is not': fileOf(
    'TOOLYARD_WIRE',
    '{"work-bord":{"baseUrl":"https://board.example"}}',
  ),
  'a wire file with a setting that does not fit': fileOf(
    'TOOLYARD_WIRE',
    '{"work-board":{"pace":{"concurrency":"many"}}}',
  ),
  'an identity-provider file without an issuer': fileOf(
    'TOOLYARD_JWT',
    '{"audience":"toolyard","jwksUrl":"https://id.example/keys"}',
  ),
  'a sign-in file without domains': fileOf('TOOLYARD_LOGIN', '{"issuer":"https://id.example","clientId":"toolyard"}'),
  'an approval-rules file with a condition that does not exist': fileOf(
    'TOOLYARD_APPROVAL_RULES',
    '[{"when":{"effect":["delete"]}}]',
  ),
  'a port in use': async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((done) => other.once('listening', done))
    return { env: { TOOLYARD_PORT: String((other.address() as AddressInfo).port) }, done: () => void other.close() }
  },
  'a data directory in use': async (data) => {
    const server = start(['serve'], { TOOLYARD_DATA: data, TOOLYARD_PORT: '0' })
    await server.printed('curl')
    return {
      done: () => {
        server.kill('SIGKILL')
        return server.ended
      },
    }
  },
  'a data directory that cannot be made': async (data) => {
    await writeFile(data, 'a file')
    return { env: { TOOLYARD_DATA: join(data, 'inside') } }
  },
  'a key file that others can read': keptFile('master.key', `${Buffer.alloc(32, 7).toString('base64')}\n`, 0o644),
  'a token file that others can read': keptFile('token', 'ty_some-token-that-was-kept-here\n', 0o644),
  'a secret file that others can read': async (data) => {
    const file = `${data}.token`
    await writeFile(file, 'a-token-of-some-length\n', { mode: 0o644 })
    return { env: { TOOLYARD_TOKEN_FILE: file } }
  },
  'a database of a newer version': async (data) => {
    await mkdir(data)
    const { DatabaseSync } = await import('node:sqlite')
    const later = new DatabaseSync(join(data, 'toolyard.db'))
    later.exec('create table meta (name text); pragma user_version = 9999')
    later.close()
    return {}
  },
  'a database that is damaged': keptFile(
    'toolyard.db',
    'not a database, but longer than the header of one would be: '.repeat(20),
    0o600,
  ),
  'an older Node': async () => ({
    nodeArgs: ['--import', `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'22.20.0'})`],
  }),
}

const settingsIn = (settingText: string): Record<string, string> => {
  const code = settingText.startsWith('`--') ? settingText.split('`')[3]! : (/^`(.+)`$/.exec(settingText)?.[1] ?? '')
  return Object.fromEntries(
    code
      .split(' ')
      .map((assignment) => [
        assignment.slice(0, assignment.indexOf('=')),
        assignment.slice(assignment.indexOf('=') + 1),
      ]),
  )
}

describe('serve does not start with', () => {
  it('what the table of docs/refusals.md names, and the table has all that is arranged here', () => {
    expect(rows.length).toBeGreaterThan(25)
    expect(
      rows
        .filter(({ given: settingText }) => !settingText.startsWith('`'))
        .map(({ given: settingText }) => settingText),
    ).toEqual(Object.keys(arrangements))
  })

  it.concurrent.each(rows)('$given', async ({ given: settingText, said }) =>
    withDirectory(async (folder) => {
      const data = join(folder, 'data')
      const flags = settingText.startsWith('`--') ? [settingText.split('`')[1]!] : []
      const {
        env = settingText.startsWith('`') ? settingsIn(settingText) : {},
        nodeArgs = [],
        done,
      } = (await arrangements[settingText]?.(data)) ?? {}
      const { code, out, err } = await toolyard(
        ['serve', ...flags],
        { TOOLYARD_DATA: data, TOOLYARD_PORT: '0', ...env },
        { nodeArgs },
      )
      await done?.()
      // One or two plain lines on standard error, nothing on standard output, no stack.
      expect(out).toBe('')
      expect(err).toContain(said)
      expect(err).not.toMatch(/^\s+at |Error:/m)
      const isOlder = settingText === 'an older Node'
      expect(
        err
          .trim()
          .split('\n')
          .filter((line) => !line.startsWith('{')),
      ).toHaveLength(isOlder ? 1 : 2)
      expect(isOlder ? [1] : [failures.invalid_input.exit, failures.unavailable.exit]).toContain(code)
    }),
  )
})

it('mcp does not start a sandbox in production either', () =>
  withDirectory(async (folder) => {
    const env = { TOOLYARD_DATA: join(folder, 'data'), TOOLYARD_PRODUCTION: '1', TOOLYARD_TOKEN: 'a'.repeat(20) }
    const { code, err } = await toolyard(['mcp', '--sandbox'], env)
    expect([code, err]).toEqual([failures.invalid_input.exit, expect.stringContaining('TOOLYARD_PRODUCTION is set')])
  }))
