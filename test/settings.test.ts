import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deprecatedSettings, readConfiguration, runContentsMs } from '../shared/settings.ts'
import { readWireFile } from '../shared/settings-files.ts'

const read = (env: Record<string, string>) => readConfiguration(env, '/srv/pack')

describe('configuration', () => {
  it('has defaults that work', () => {
    expect(read({ PATH: '/bin', OTHER: '' })).toEqual({
      data: '/srv/pack/.toolyard',
      host: '127.0.0.1',
      port: 8750,
      token: undefined,
      masterKey: undefined,
      sources: {},
      wireFile: undefined,
      publicUrl: undefined,
      url: undefined,
      lostMasterKeys: [],
      profiles: {},
      privateOrigins: [],
      agentOrigins: [],
      fileOrigins: [],
      returnOrigins: [],
      embedOrigins: [],
      trustedProxies: [],
      agentAnswers: false,
      runContents: 'default',
      creditPrices: {},
      mergeLookups: true,
      defaultAccount: 'personal-then-shared',
      oauthServer: 'default',
      scanMs: undefined,
      production: false,
      retention: { ages: {} },
      logLevel: undefined,
    })
  })

  it('reads every setting', () => {
    expect(
      read({
        TOOLYARD_DATA: 'data',
        TOOLYARD_HOST: '::1',
        TOOLYARD_PORT: '0',
        TOOLYARD_TOKEN: 'a-token-of-some-length',
        TOOLYARD_MASTER_KEY: 'key',
        TOOLYARD_WIRE: 'wire.json',
        TOOLYARD_PROFILES: 'contact-data=lusha-v3, anz-data=firmable',
        TOOLYARD_LIMITS: 'limits.json',
        TOOLYARD_LOCALES: 'locales',
        TOOLYARD_PUBLIC_URL: 'https://tools.example/pack/',
        TOOLYARD_URL: 'http://127.0.0.1:9000',
        TOOLYARD_PRIVATE_ORIGINS: 'http://10.0.0.5:9000, https://agents.internal.example',
        TOOLYARD_AGENT_ORIGINS: 'http://10.0.0.6:9001',
        TOOLYARD_FILE_ORIGINS: 'http://10.0.0.7:9002',
        TOOLYARD_RETURN_ORIGINS: 'https://platform.example',
        TOOLYARD_EMBED_ORIGINS: 'https://app.platform.example',
        TOOLYARD_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8',
        TOOLYARD_AGENT_ANSWERS: '1',
        TOOLYARD_RUN_CONTENTS: '36h',
        TOOLYARD_CREDIT_PRICES: '{"contact-data":{"amount":0.02,"currency":"EUR"}}',
        TOOLYARD_MERGE_LOOKUPS: '0',
        TOOLYARD_DEFAULT_ACCOUNT: 'any',
        TOOLYARD_OAUTH: 'on',
        TOOLYARD_OAUTH_CLIENTS: 'clients.json',
        TOOLYARD_SCAN_SECONDS: '90',
        TOOLYARD_PRODUCTION: 'true',
        TOOLYARD_LOG: 'TEXT',
        TOOLYARD_LOG_LEVEL: 'debug',
        TOOLYARD_RETENTION: 'runs=30d, payloads=12h,ids=5m',
        TOOLYARD_MAX_STORE_MB: '2048',
      }),
    ).toEqual({
      data: '/srv/pack/data',
      host: '::1',
      port: 0,
      token: 'a-token-of-some-length',
      masterKey: 'key',
      sources: {
        TOOLYARD_TOKEN: 'TOOLYARD_TOKEN',
        TOOLYARD_MASTER_KEY: 'TOOLYARD_MASTER_KEY',
        TOOLYARD_OAUTH_CLIENTS: 'TOOLYARD_OAUTH_CLIENTS',
      },
      wireFile: '/srv/pack/wire.json',
      profiles: { 'contact-data': 'lusha-v3', 'anz-data': 'firmable' },
      limitsFile: '/srv/pack/limits.json',
      localesFolder: '/srv/pack/locales',
      publicUrl: 'https://tools.example/pack',
      url: 'http://127.0.0.1:9000',
      lostMasterKeys: [],
      privateOrigins: ['http://10.0.0.5:9000', 'https://agents.internal.example'],
      agentOrigins: ['http://10.0.0.6:9001'],
      fileOrigins: ['http://10.0.0.7:9002'],
      returnOrigins: ['https://platform.example'],
      embedOrigins: ['https://app.platform.example'],
      trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
      agentAnswers: true,
      runContents: 36 * 3_600_000,
      creditPrices: { 'contact-data': { amount: 0.02, currency: 'EUR' } },
      mergeLookups: false,
      defaultAccount: 'any',
      oauthServer: 'on',
      oauthClientsFile: '/srv/pack/clients.json',
      scanMs: 90_000,
      production: true,
      retention: { ages: { runs: 30 * 86_400_000, payloads: 12 * 3_600_000, ids: 300_000 }, maxBytes: 2 ** 31 },
      logFormat: 'text',
      logLevel: 'debug',
    })
  })

  const wrong: [Record<string, string>, RegExp][] = [
    ...['nginx', '10.0.0.0/40', '::1/129', '10.0.0.1/8/8', '*'].map((text): [Record<string, string>, RegExp] => [
      { TOOLYARD_TRUSTED_PROXIES: text },
      /TOOLYARD_TRUSTED_PROXIES holds ".+", which is no IP address or range/,
    ]),
    [
      { TOOLYARD_RETURN_ORIGINS: 'https://platform.example/app' },
      /TOOLYARD_RETURN_ORIGINS holds "https:\/\/platform.example\/app", which is more than an origin/,
    ],
    [
      { TOOLYARD_RETURN_ORIGINS: 'http://platform.example', TOOLYARD_PRODUCTION: '1' },
      /TOOLYARD_RETURN_ORIGINS holds http:\/\/platform.example, and must be https/,
    ],
    [
      { TOOLYARD_EMBED_ORIGINS: 'http://platform.example', TOOLYARD_PRODUCTION: '1' },
      /TOOLYARD_EMBED_ORIGINS holds http:\/\/platform.example, and must be https/,
    ],
    [{ DATABASE_URL: 'mysql://u:p@db.example.com/t' }, /DATABASE_URL is not the address of a PostgreSQL database/],
    [
      { DATABASE_URL: 'postgres://u:p@db.example.com/t?sslmode=nonsense' },
      /^DATABASE_URL has sslmode=nonsense. Give disable, no-verify, prefer, require, verify-ca or verify-full./,
    ],
    [{ DATABASE_URL: 'postgres://u:p@db.example.com/t?sslmode=require&sslmode=off' }, /has sslmode=off/],
    [
      { DATABASE_URL: 'postgres://u:p@db.example.com/t?ssl=false' },
      /has ssl=false. Give true, 1, 0 or no-verify. sslmode=disable connects/,
    ],
    [
      { DATABASE_URL: 'postgres://u:p@db.example.com/t?sslnegotiation=fast' },
      /has sslnegotiation=fast. Give postgres or direct/,
    ],
    [
      { DATABASE_URL: 'postgres://u:p@db.example.com/t', PGSSLMODE: 'required' },
      /^PGSSLMODE is required. Give disable/,
    ],
    [
      { DATABASE_URL: 'postgres://u:p@db.example.com/t?sslmode=disable&sslnegotiation=direct' },
      /^DATABASE_URL has sslnegotiation=direct without encryption. Give sslmode=verify-full/,
    ],
    [{ TOOLYARD_DATABASE_POOL: '10' }, /TOOLYARD_DATABASE_POOL is for PostgreSQL, and DATABASE_URL is not set/],
    ...['3', '201', 'many'].map((text): [Record<string, string>, RegExp] => [
      { DATABASE_URL: 'postgres://u:p@db.example.com/t', TOOLYARD_DATABASE_POOL: text },
      /TOOLYARD_DATABASE_POOL is not usable: ".+". Give a whole number from 4 to 200/,
    ]),
    [{ TOOLYARD_PROT: '80' }, /TOOLYARD_PROT is not a setting. Known settings: TOOLYARD_DATA, /],
    [{ TOOLYARD_OAUTH: 'yes' }, /TOOLYARD_OAUTH/],
    [{ TOOLYARD_DATA: ' ' }, /TOOLYARD_DATA is empty/],
    [{ TOOLYARD_PORT: '80a' }, /TOOLYARD_PORT is not a port: "80a"/],
    [{ TOOLYARD_PORT: '65536' }, /TOOLYARD_PORT is not a port/],
    [{ TOOLYARD_PORT: '-1' }, /TOOLYARD_PORT is not a port/],
    [{ TOOLYARD_HOST: 'http://x' }, /TOOLYARD_HOST is not an address/],
    [{ TOOLYARD_TOKEN: 'short' }, /TOOLYARD_TOKEN is not usable/],
    [{ TOOLYARD_TOKEN: 'with a space in the middle' }, /TOOLYARD_TOKEN is not usable/],
    [{ TOOLYARD_PUBLIC_URL: 'tools.example' }, /TOOLYARD_PUBLIC_URL is not usable/],
    [{ TOOLYARD_PUBLIC_URL: 'ftp://tools.example' }, /TOOLYARD_PUBLIC_URL is not usable/],
    [{ TOOLYARD_PUBLIC_URL: 'https://a:b@tools.example' }, /TOOLYARD_PUBLIC_URL is not usable/],
    [{ TOOLYARD_PUBLIC_URL: 'https://tools.example/?a=1' }, /TOOLYARD_PUBLIC_URL is not usable/],
    [
      { TOOLYARD_PUBLIC_URL: 'http://tools.example', TOOLYARD_PRODUCTION: '1' },
      /TOOLYARD_PUBLIC_URL must be https in production/,
    ],
    [
      { TOOLYARD_PRIVATE_ORIGINS: 'http://127.0.0.1:9000', TOOLYARD_PRODUCTION: '1' },
      /TOOLYARD_PRIVATE_ORIGINS holds http:\/\/127\.0\.0\.1:9000, which is this machine, and TOOLYARD_PRODUCTION never calls that\. Give the address of another/,
    ],
    [
      { TOOLYARD_AGENT_ORIGINS: 'http://localhost:9000', TOOLYARD_PRODUCTION: '1' },
      /TOOLYARD_AGENT_ORIGINS holds http:\/\/localhost:9000, which is this machine/,
    ],
    [{ TOOLYARD_PRIVATE_ORIGINS: 'http://10.0.0.5/path' }, /TOOLYARD_PRIVATE_ORIGINS holds .* more than an origin/],
    [{ TOOLYARD_PRIVATE_ORIGINS: 'http://10.0.0.5,,' }, /TOOLYARD_PRIVATE_ORIGINS is not usable/],
    [{ TOOLYARD_AGENT_ORIGINS: 'agents.example' }, /TOOLYARD_AGENT_ORIGINS is not usable/],
    [
      { TOOLYARD_AGENT_ORIGINS: 'http://10.0.0.6:9001/start' },
      /TOOLYARD_AGENT_ORIGINS holds "http:\/\/10.0.0.6:9001\/start", which is more than an origin/,
    ],
    [{ TOOLYARD_SCAN_SECONDS: '5' }, /TOOLYARD_SCAN_SECONDS is not usable: "5". Give whole seconds from 10 to 3600/],
    [
      { TOOLYARD_MAX_CONNECTIONS: '3' },
      /TOOLYARD_MAX_CONNECTIONS is not usable: "3". Give a whole number from 10 to 100000/,
    ],
    [{ TOOLYARD_RETENTION: 'runs=30d,logs=1d' }, /TOOLYARD_RETENTION is not usable: "logs=1d". Give <rows>=<age>/],
    [{ TOOLYARD_RETENTION: 'runs=0d' }, /TOOLYARD_RETENTION is not usable: "runs=0d"/],
    [
      { TOOLYARD_MAX_STORE_MB: '2048', DATABASE_URL: 'postgres://u:p@db.example.com/t' },
      /TOOLYARD_MAX_STORE_MB limits the database in the data directory only, and DATABASE_URL names another/,
    ],
    [{ TOOLYARD_MAX_STORE_MB: '10' }, /TOOLYARD_MAX_STORE_MB is not usable: "10". Give whole megabytes, 64 or more/],
    [{ TOOLYARD_RUN_CONTENTS: '24' }, /TOOLYARD_RUN_CONTENTS is not usable: "24". Give a duration like 24h or 7d/],
    [{ TOOLYARD_RUN_CONTENTS: '0h' }, /TOOLYARD_RUN_CONTENTS is not usable: "0h"/],
    [{ TOOLYARD_CREDIT_PRICES: '0.02' }, /TOOLYARD_CREDIT_PRICES is not usable/],
    [{ TOOLYARD_CREDIT_PRICES: 'EUR 0.02' }, /TOOLYARD_CREDIT_PRICES is not JSON. Give JSON like/],
    [
      { TOOLYARD_CREDIT_PRICES: '{"contact-data":{"amount":-1,"currency":"EUR"}}' },
      /TOOLYARD_CREDIT_PRICES is not usable: contact-data.amount/,
    ],
    [
      { TOOLYARD_CREDIT_PRICES: '{"contact-data":{"amount":1,"currency":"euro"}}' },
      /TOOLYARD_CREDIT_PRICES is not usable: contact-data.currency/,
    ],
    [{ TOOLYARD_SCAN_SECONDS: '1.5' }, /TOOLYARD_SCAN_SECONDS is not usable/],
    [{ TOOLYARD_PRODUCTION: 'maybe' }, /TOOLYARD_PRODUCTION is not a switch/],
    [{ TOOLYARD_URL: 'localhost:1' }, /TOOLYARD_URL is not usable/],
  ]
  it('takes how the database is reached, with PGSSLMODE where the address does not say', () => {
    const address = 'postgres://u:p@db.example.com/t'
    const readDatabase = (env: Record<string, string>) => {
      const { databaseUrl, databasePool } = read(env)
      return [databaseUrl, databasePool]
    }
    expect(readDatabase({ DATABASE_URL: address, TOOLYARD_DATABASE_POOL: '40' })).toEqual([address, 40])
    expect(readDatabase({ DATABASE_URL: address, PGSSLMODE: 'verify-full' })).toEqual([
      `${address}?sslmode=verify-full`,
      undefined,
    ])
    expect(readDatabase({ DATABASE_URL: `${address}?sslmode=disable`, PGSSLMODE: 'require' })[0]).toBe(
      `${address}?sslmode=disable`,
    )
  })

  it('stores contents of runs in the sandbox for a day, and elsewhere only where it is set', () => {
    const kept = (env: Record<string, string>) => [true, false].map((sandbox) => runContentsMs(read(env), sandbox))
    expect(kept({})).toEqual([86_400_000, undefined])
    expect(kept({ TOOLYARD_RUN_CONTENTS: 'off' })).toEqual([undefined, undefined])
    expect(kept({ TOOLYARD_RUN_CONTENTS: '2h' })).toEqual([7_200_000, 7_200_000])
  })

  it('names what is deprecated, with what to do', () => {
    expect(deprecatedSettings(read({ TOOLYARD_DEFAULT_ACCOUNT: 'personal' }))).toEqual([])
    expect(deprecatedSettings(read({ TOOLYARD_DEFAULT_ACCOUNT: 'any' }))).toEqual([
      { setting: 'TOOLYARD_DEFAULT_ACCOUNT', reason: expect.stringContaining('toolyard doctor') },
    ])
  })

  it.each(wrong)('refuses %o', (env, message) => {
    expect(() => read(env)).toThrow(message)
    expect(() => read(env)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })

  it('does not repeat a token it refuses', () => {
    expect(() => read({ TOOLYARD_TOKEN: 'hush hush hush hush' })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hush') }),
    )
  })
})

describe('wire file', () => {
  const refused: [string, RegExp][] = [
    ['{', /TOOLYARD_WIRE names .*, which is not JSON/],
    ['[]', /must hold one object by integration id/],
    ['{"work-board":"https://x"}', /must hold one object by integration id/],
  ]
  it.each(refused)('refuses %s', async (text, message) => {
    const folder = await mkdtemp(join(tmpdir(), 'toolyard-wire-'))
    const file = join(folder, 'wire.json')
    await writeFile(file, text)
    await expect(readWireFile(file)).rejects.toThrow(message)
    await rm(folder, { recursive: true })
  })

  it('reads one, and none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolyard-wire-'))
    const file = join(folder, 'wire.json')
    await writeFile(file, '{"work-board":{"baseUrl":"https://board.example"}}')
    expect(await readWireFile(file)).toEqual({ 'work-board': { baseUrl: 'https://board.example' } })
    expect(await readWireFile(undefined)).toEqual({})
    await expect(readWireFile(join(folder, 'none.json'))).rejects.toThrow(/cannot be read \(ENOENT\)/)
    await rm(folder, { recursive: true })
  })
})
