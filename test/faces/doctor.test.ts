import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readConfiguration } from '../../shared/settings.ts'
import { checkStart } from '../../shared/faces/cli/start-checks.ts'
import { checkDatabase, checkNode } from '../../shared/faces/cli/doctor/machine.ts'
import type { Finding } from '../../shared/faces/cli/doctor/finding.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { hook, start, subscription } from '../store/make.ts'
import { openHttpWorld } from '../support/http-world.ts'
import { secretsOf } from '../support/world.ts'
import { makeData, start as startProcess, toolyard, withDirectory } from './process.ts'
import { linesOver } from '../support/command-line.ts'

type Told = { code: number | null; findings: Finding[] }
const doctor = async (env: Record<string, string>, ...args: string[]): Promise<Told> => {
  const { code, out, err } = await toolyard(['doctor', '--json', ...args], { TOOLYARD_PORT: '0', ...env })
  expect(err).toBe('')
  return { code, findings: (JSON.parse(out) as { findings: Finding[] }).findings }
}
const of = ({ findings }: Told, check: string) => findings.find((finding) => finding.check === check)

describe('toolyard doctor', () => {
  it('finds nothing wrong with a sandbox that runs, and says what it looked at', () =>
    withDirectory(async (folder) => {
      const env = { TOOLYARD_DATA: folder }
      const server = startProcess(['serve', '--sandbox'], { ...env, TOOLYARD_PORT: '0' })
      onTestFinished(() => server.kill('SIGKILL'))
      await server.printed('curl')
      const report = await doctor(env)
      const plain = await toolyard(['doctor'], env)
      server.kill('SIGTERM')
      await server.ended
      expect([report.code, report.findings.filter(({ state }) => state === 'wrong' || state === 'warn')]).toEqual([
        0,
        [],
      ])
      for (const check of [
        'node',
        'settings',
        'data directory',
        'database',
        'master key',
        'server',
        'public address',
        'stored secrets',
        'connection "Sandbox board"',
        'connection "Sandbox ANZ"',
        'settings of work-board',
        'hooks',
        'agent starts',
      ])
        expect(
          of(report, check),
          `${check} among ${report.findings.map((finding) => finding.check).join(', ')}`,
        ).toBeDefined()
      expect([plain.code, plain.out]).toEqual([0, expect.stringMatching(/^ok +node +Node 24[^]*No problems\.\n$/)])
    }))

  const broken: [
    what: string,
    arrange: (data: string) => Promise<Record<string, string>>,
    check: string,
    says: RegExp,
    remedy: RegExp,
  ][] = [
    ['a wrong setting', async () => ({ TOOLYARD_PORT: 'x' }), 'settings', /TOOLYARD_PORT is not a port/, /^$/],
    [
      'a secret file that is empty',
      async (data) => {
        await writeFile(`${data}.token`, '\n', { mode: 0o600 })
        return { TOOLYARD_TOKEN_FILE: `${data}.token` }
      },
      'settings',
      /TOOLYARD_TOKEN_FILE names .*\.token, which is empty/,
      /^$/,
    ],
    [
      'a wire file that is not there',
      async () => ({ TOOLYARD_WIRE: '/nowhere/wire.json' }),
      'wire file',
      /ENOENT/,
      /^$/,
    ],
    [
      'a data directory that is a file',
      async (data) => (await writeFile(data, ''), {}),
      'data directory',
      /is a file/,
      /TOOLYARD_DATA/,
    ],
    [
      'a database without its key',
      async (data) => {
        await makeData(data)
        await rm(join(data, 'master.key'))
        return {}
      },
      'stored secrets',
      /sealed under the master key \w+; here: none\. Put the key back/,
      /^$/,
    ],
    [
      'a key that others can read',
      async (data) => {
        await makeData(data)
        await chmod(join(data, 'master.key'), 0o644)
        return {}
      },
      'master key',
      /chmod 600/,
      /^$/,
    ],
    [
      'a damaged database',
      async (data) => {
        await mkdir(data, { mode: 0o700 })
        await writeFile(
          join(data, 'toolyard.db'),
          'not a database, but longer than the header of one would be: '.repeat(20),
        )
        return { TOOLYARD_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
      },
      'database',
      /is damaged/,
      /toolyard(\.js| --)? restore <file>/,
    ],
    [
      'a server that is not there',
      async () => ({ TOOLYARD_URL: 'http://127.0.0.1:9', TOOLYARD_TOKEN: 'x'.repeat(20) }),
      'server',
      /cannot be reached/,
      /^$/,
    ],
    // What `serve` checks before it starts.
    [
      'an address that this machine does not have',
      async () => ({ TOOLYARD_HOST: '192.0.2.1' }),
      'address',
      /no address 192\.0\.2\.1/,
      /^$/,
    ],
    [
      'production without a token',
      async () => ({ TOOLYARD_PRODUCTION: '1' }),
      'server token',
      /TOOLYARD_TOKEN or TOOLYARD_TOKEN_FILE must be given/,
      /^$/,
    ],
    ['a master key that is none', async () => ({ TOOLYARD_MASTER_KEY: 'abc' }), 'master key', /32 random bytes/, /^$/],
    [
      'former master keys without the present one',
      async () => ({ TOOLYARD_OLD_MASTER_KEYS: 'abc' }),
      'master key',
      /not the present one/,
      /^$/,
    ],
    [
      'a wire setting that does not exist',
      async (data) => {
        await writeFile(`${data}.json`, '{"work-board":{"oauth":{"v1":{"accessUrl":"https://board.example/token"}}}}')
        return { TOOLYARD_WIRE: `${data}.json` }
      },
      'wire file',
      /TOOLYARD_WIRE names .*accessUrl/,
      /^$/,
    ],
    [
      'a folder of translations that is not there',
      async () => ({ TOOLYARD_LOCALES: '/nowhere' }),
      'translations',
      /TOOLYARD_LOCALES names \/nowhere.*ENOENT/,
      /^$/,
    ],
    [
      'a file of translations that is named after no language',
      async (data) => {
        await mkdir(`${data}-locales`)
        await writeFile(join(`${data}-locales`, 'texts_1.json'), '{}')
        return { TOOLYARD_LOCALES: `${data}-locales` }
      },
      'translations',
      /texts_1\.json, whose name is not a language tag/,
      /^$/,
    ],
    [
      'a profile that there is not',
      async () => ({ TOOLYARD_PROFILES: 'contact-data=nobody' }),
      'wire profiles',
      /^TOOLYARD_PROFILES is not usable.*contact-data has no profile "nobody".*Its profiles: documented/,
      /^$/,
    ],
    [
      'a profile that the wire file contradicts',
      async (data) => {
        await writeFile(`${data}.json`, '{"contact-data":{"profile":"own","baseUrl":"https://provider.example"}}')
        return { TOOLYARD_WIRE: `${data}.json`, TOOLYARD_PROFILES: 'contact-data=documented' }
      },
      'wire profiles',
      /TOOLYARD_PROFILES picks "documented" for contact-data, but the file with wire overrides "own"/,
      /^$/,
    ],
  ]
  it('warns of translations that are not used', () =>
    withDirectory(async (folder) => {
      const locales = join(folder, 'locales')
      await mkdir(locales)
      const texts = {
        'work-board.title': 'Tafel',
        '@work-board.title': { source_text: 'Taskboard' },
        'work-board.steps.fly.title': 'Fliegen',
      }
      await writeFile(join(locales, 'de.json'), JSON.stringify(texts))
      const env = { TOOLYARD_DATA: join(folder, 'data'), TOOLYARD_LOCALES: locales }
      const report = await doctor(env)
      expect(report.code).toBe(0)
      expect(of(report, 'translations')).toMatchObject({
        state: 'warn',
        says: 'Not used: de: "work-board.steps.fly.title" is not a text of the manifests; de: the English text of "work-board.title" has changed.',
      })
      await writeFile(join(locales, 'de.json'), JSON.stringify({ 'work-board.title': 'Tafel' }))
      expect(of(await doctor(env), 'translations')).toMatchObject({ state: 'ok' })
    }))

  it.each(broken)('explains %s', async (_what, arrange, check, says, remedy) =>
    withDirectory(async (folder) => {
      const data = join(folder, 'data')
      const report = await doctor({ TOOLYARD_DATA: data, ...(await arrange(data)) })
      expect(report.code).toBe(1)
      expect(report.findings.filter(({ state }) => state === 'wrong').map((finding) => finding.check)).toEqual([check])
      expect(of(report, check)!.says).toMatch(says)
      expect(of(report, check)!.remedy ?? '').toMatch(remedy)
    }),
  )

  it('finds accounts that do not work, providers that are away, and settings that are missing', () =>
    withDirectory(async (data) => {
      const store = createMemoryStore()
      const face = await openHttpWorld({ store })
      const caller = { tenant: 'default' }
      const contacts = face.sandbox.accounts.find(({ integration }) => integration === 'contact-data')!
      await face.pack.connections.create(caller, {
        integration: 'contact-data',
        type: contacts.type,
        name: 'Contacts',
        secrets: contacts.secrets,
      })
      await face.pack.connections.create(caller, {
        integration: 'work-board',
        type: 'key-token',
        name: 'Off',
        secrets: secretsOf(face.sandbox),
      })
      const off = (await face.pack.connections.list(caller)).find(({ name }) => name === 'Off')!
      await face.pack.connections.patch(caller, off.id, { disabled: true })
      const { command } = linesOver(face, { cwd: data, pack: undefined })
      const ask = async (): Promise<Told> => {
        const { code, out } = await command(['doctor', '--json'], 'remote')
        expect(out).not.toContain(face.token)
        return { code, findings: (JSON.parse(out) as { findings: Finding[] }).findings }
      }
      const well = await ask()
      expect(of(well, 'connection "Board"')).toMatchObject({ state: 'ok' })
      expect(of(well, 'connection "Off"')).toMatchObject({ state: 'skip' })
      expect(of(well, 'connection "Contacts"')).toMatchObject({
        state: 'ok',
        says: expect.stringContaining('its provider can be reached'),
      })
      expect(of(well, 'endpoints of "Contacts"')).toMatchObject({
        state: 'skip',
        says: expect.stringContaining('toolyard wire check contact-data'),
      })
      expect(of(well, 'endpoints of "Board"')).toBeUndefined()
      expect(of(well, 'public address')).toMatchObject({
        state: 'warn',
        remedy: expect.stringContaining('TOOLYARD_PUBLIC_URL'),
      })
      expect(well.code).toBe(0)
      face.sandbox.board.control.fault({ match: {}, times: 99, answer: { status: 401, body: 'invalid token' } })
      await face.sandbox.contact.close()
      await store.hooks.attach(
        hook('default', 'h1', { state: 'broken', stateReason: 'The provider gave it up after 30 failures.' }),
        's1',
      )
      await store.hooks.attach(hook('default', 'h2', { model: 'other', state: 'active' }), 's1')
      await store.subscriptions.add(subscription('default', 's1', { secrets: {} }))
      await store.ingest({ starts: [start('default', 'dead-1', { subscription: 's1', state: 'dead' })] })
      const ill = await ask()
      // The connection is tested, and its state is not told a second time.
      expect((await ask()).findings.filter(({ check }) => check === 'connection "Board"')).toHaveLength(1)
      expect(of(ill, 'hooks')).toMatchObject({
        state: 'wrong',
        says: expect.stringContaining('gave it up after 30 failures'),
      })
      expect(of(ill, 'agent starts')).toMatchObject({
        state: 'warn',
        says: expect.stringMatching(/^Failed for good, .*: 1\.$/),
      })
      expect(of(ill, 'connection "Board"')).toMatchObject({
        state: 'wrong',
        says: expect.stringContaining('needs_reconnect'),
        remedy: expect.stringContaining('toolyard connect work-board -c'),
      })
      expect(of(ill, 'connection "Contacts"')).toMatchObject({
        state: 'wrong',
        says: expect.stringContaining('ECONNREFUSED'),
      })
      expect(ill.code).toBe(1)
      await face.http.close()
      await face.pack.close()
    }))

  it('says how much space is free, in groups of three digits, without reading the data of a locale', () =>
    withDirectory(async (directory) => {
      const format = vi.spyOn(Number.prototype, 'toLocaleString')
      onTestFinished(() => format.mockRestore())
      const configuration = readConfiguration({ TOOLYARD_PORT: '0' }, directory)
      const findings = await checkStart({ configuration, directory, isServed: false })
      const text = findings.find(({ check }) => check === 'data directory')!.says
      const size = / ([\d,]+) MiB (?:free|left)/.exec(text)?.[1]
      expect([size, format.mock.calls]).toEqual([expect.stringMatching(/^\d{1,3}(?:,\d{3})*$/), []])
    }))

  it('leaves nothing behind in a data directory that no server uses', () =>
    withDirectory(async (data) => {
      await makeData(data)
      const before = await readdir(data)
      const configuration = readConfiguration({ TOOLYARD_DATA: data, TOOLYARD_PORT: '0' }, data)
      expect(await checkDatabase(data, { isServed: false, isElsewhere: false }, {})).toMatchObject({ state: 'ok' })
      expect(
        (await checkStart({ configuration, directory: data, isServed: false })).filter(({ state }) => state !== 'ok'),
      ).toEqual([])
      expect(await readdir(data)).toEqual(before)
    }))

  it('checks the settings of traces where the server reads them', () =>
    withDirectory(async (folder) => {
      const findings = async (env: Record<string, string>) => {
        const configuration = readConfiguration({ TOOLYARD_PORT: '0', ...env }, folder)
        const all = await checkStart({ configuration, directory: folder, isServed: false })
        return all.filter(({ check }) => check === 'traces')
      }
      const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/canary' }
      expect(await findings({ OTEL_EXPORTER_OTLP_TIMEOUT: '10s' })).toEqual([])
      expect(await findings(endpoint)).toEqual([
        { check: 'traces', state: 'ok', says: 'are sent to http://127.0.0.1:4318' },
      ])
      expect(await findings({ ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '10s' })).toMatchObject([
        { state: 'wrong', says: expect.stringContaining('OTEL_EXPORTER_OTLP_TIMEOUT is not usable: "10s"') },
      ])
      expect(await findings({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS_FILE: 'none' })).toMatchObject([
        { state: 'wrong', says: expect.stringContaining('which cannot be read (ENOENT)') },
      ])
      expect(await findings({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toMatchObject([
        { state: 'warn', remedy: expect.stringContaining('Set it to http/protobuf') },
      ])
    }))

  it('does not say that there is no database where the settings name one', () =>
    withDirectory(async (folder) => {
      const report = await doctor({ TOOLYARD_DATA: folder, DATABASE_URL: 'postgres://toolyard@127.0.0.1:1/toolyard' })
      expect(of(report, 'database')).toMatchObject({
        state: 'skip',
        says: expect.stringMatching(/^DATABASE_URL names/),
      })
    }))

  it('judges Node by its version', () => {
    expect(['22.20.0', '24.11.9', '24.12.0', '25.3.0', '26.0.0'].map((version) => checkNode(version).state)).toEqual([
      'wrong',
      'wrong',
      'ok',
      'warn',
      'ok',
    ])
  })
})
