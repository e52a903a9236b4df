import { join, resolve } from 'node:path'
import { failField } from '#kit'
import { readDatabaseUrl } from './pack.ts'
import type { CreditPrices } from './pack.ts'
import { readSecrets } from './secret-files.ts'
import type { Secrets } from './secret-files.ts'
import { isTraceSetting, settingFailure, settings } from './setting-names.ts'
import type { Environment, SecretSetting, Setting } from './setting-names.ts'
import {
  readAddress,
  readDatabasePool,
  readHost,
  readKeyIds,
  readMaxConnections,
  readMaxStore,
  readOneOf,
  readOrigins,
  readPort,
  readPrices,
  readProfiles,
  readProxies,
  readRetention,
  readRunContents,
  readScan,
  readSwitch,
  readToken,
  unitMs,
} from './setting-values.ts'
import { readTraceEnvironment } from './trace-environment.ts'
import type { TraceEnvironment } from './trace-environment.ts'

/** What an operator sets in the environment, checked. */
export type Configuration = {
  /** Data directory, absolute. */
  data: string
  /** PostgreSQL that several servers share, in place of the database in the data directory. */
  databaseUrl: string | undefined
  /** Maximum number of connections to it; undefined: the store's default. */
  databasePool: number | undefined
  host: string
  /** 0: any free port. */
  port: number
  token: string | undefined
  masterKey: string | undefined
  previousMasterKeys: string | undefined
  /** Where secrets are from, for messages: the variable, or the one that names a file, with the file. */
  sources: Partial<Record<SecretSetting, string>>
  /** Ids of master keys that are lost. */
  lostMasterKeys: string[]
  jwtFile: string | undefined
  loginFile: string | undefined
  wireFile: string | undefined
  /** Ready wire profile by integration id. */
  profiles: Record<string, string>
  /** The option that picked them; absent: TOOLYARD_PROFILES. */
  profilesFrom?: '--profile'
  limitsFile: string | undefined
  localesFolder: string | undefined
  publicUrl: string | undefined
  /** The server the command line talks to, when it is not the one on the data directory. */
  url: string | undefined
  privateOrigins: string[]
  /** Origins of agents that may be private or plain http. */
  agentOrigins: string[]
  fileOrigins: string[]
  /** Origins of the platform that a browser may return to after connecting. */
  returnOrigins: string[]
  /** Origins of the platform whose pages may show the connect pages in a frame, and are told how they ended. */
  embedOrigins: string[]
  /** Addresses of reverse proxies whose X-Forwarded headers count. */
  trustedProxies: string[]
  /** Whether agents' responses are stored and shown. */
  agentAnswers: boolean
  /** How long input and output of runs are stored, in ms; `default`: only in the sandbox, for a day. */
  runContents: number | 'off' | 'default'
  /** What a credit costs, by integration id. */
  creditPrices: CreditPrices
  /** Whether single lookups that arrive together go out as one bulk request. */
  mergeLookups: boolean
  /** What a call takes that names no connection. */
  defaultAccount: 'personal' | 'shared' | 'personal-then-shared' | 'any'
  oauthServer: 'on' | 'off' | 'default'
  oauthClientsFile: string | undefined
  approvalRulesFile: string | undefined
  brandFile: string | undefined
  /** Polling interval in ms; undefined: the pack's default. */
  scanMs: number | undefined
  production: boolean
  /** Maximum number of open client connections; undefined: the server's default. */
  maxConnections: number | undefined
  /** Ages of stored rows in ms, and how large the embedded store may become. */
  retention: { ages: Record<string, number>; maxBytes?: number }
  /** undefined: text on a terminal, else json. */
  logFormat: 'json' | 'text' | undefined
  logLevel: 'debug' | 'info' | 'warn' | 'error' | undefined
  /** What OpenTelemetry's settings ask for; undefined: no traces. */
  traces: TraceEnvironment | undefined
}
export { settingFailure, settings }
export type { Environment, Setting }

const isThisMachine = (origin: string) => /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(origin)

const checkProduction = (configuration: Configuration) => {
  const { publicUrl, privateOrigins, agentOrigins, fileOrigins, returnOrigins, embedOrigins } = configuration
  if (publicUrl?.startsWith('http:')) throw settingFailure('TOOLYARD_PUBLIC_URL', 'must be https in production.')
  for (const [name, origins] of [
    ['TOOLYARD_RETURN_ORIGINS', returnOrigins],
    ['TOOLYARD_EMBED_ORIGINS', embedOrigins],
  ] as const) {
    const plain = origins.find((origin) => origin.startsWith('http:'))
    if (plain !== undefined) throw settingFailure(name, `holds ${plain}, and must be https in production.`)
  }
  for (const [name, origins] of [
    ['TOOLYARD_PRIVATE_ORIGINS', privateOrigins],
    ['TOOLYARD_AGENT_ORIGINS', agentOrigins],
    ['TOOLYARD_FILE_ORIGINS', fileOrigins],
  ] as const) {
    const own = origins.find(isThisMachine)
    if (own !== undefined)
      throw settingFailure(
        name,
        `holds ${own}, which is this machine, and TOOLYARD_PRODUCTION never calls that. Give the address of another machine, or unset TOOLYARD_PRODUCTION.`,
      )
  }
}

const sourcesOf = (secrets: Secrets): Configuration['sources'] =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, { from, file }]) => [name, file === undefined ? from : `${from} (${file})`]),
  )

/**
 * Reads the settings. The environment and the working directory are parameters; only files with secrets are read.
 * @throws Failure `invalid_input` naming the variable, what is wrong with it and the remedy
 */
export const readConfiguration = (env: Environment, cwd: string): Configuration => {
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('TOOLYARD_') && !Object.hasOwn(settings, name)) continue
    if (!(name in settings))
      throw failField(name, `${name} is not a setting. Known settings: ${Object.keys(settings).join(', ')}.`)
    if (value?.trim() === '' && !isTraceSetting(name))
      throw failField(name, `${name} is empty. Give a value or unset it.`)
  }
  const readSetting = <T>(name: Setting, read: (text: string) => T) =>
    env[name] === undefined ? undefined : read(env[name])
  const secrets = readSecrets(env, cwd)
  const readSecret = <T>(name: SecretSetting, read: (text: string, from: Setting) => T) => {
    const secret = secrets[name]
    return secret && read(secret.text, secret.from)
  }
  const maxBytes = readSetting('TOOLYARD_MAX_STORE_MB', readMaxStore)
  const configuration: Configuration = {
    data: resolve(cwd, env.TOOLYARD_DATA ?? '.toolyard'),
    databaseUrl: readSecret('DATABASE_URL', (text, from) => readDatabaseUrl(text, { from, sslMode: env['PGSSLMODE'] })),
    databasePool: readSetting('TOOLYARD_DATABASE_POOL', readDatabasePool),
    host: readSetting('TOOLYARD_HOST', readHost) ?? '127.0.0.1',
    port: readSetting('TOOLYARD_PORT', readPort) ?? 8750,
    token: readSecret('TOOLYARD_TOKEN', readToken),
    masterKey: secrets.TOOLYARD_MASTER_KEY?.text,
    previousMasterKeys: secrets.TOOLYARD_OLD_MASTER_KEYS?.text,
    sources: sourcesOf(secrets),
    lostMasterKeys: readSetting('TOOLYARD_LOST_MASTER_KEYS', readKeyIds) ?? [],
    jwtFile: readSetting('TOOLYARD_JWT', (text) => resolve(cwd, text)),
    loginFile: readSecret('TOOLYARD_LOGIN', (text) => resolve(cwd, text)),
    wireFile: readSetting('TOOLYARD_WIRE', (text) => resolve(cwd, text)),
    profiles: readSetting('TOOLYARD_PROFILES', (text) => readProfiles(text)) ?? {},
    limitsFile: readSetting('TOOLYARD_LIMITS', (text) => resolve(cwd, text)),
    localesFolder: readSetting('TOOLYARD_LOCALES', (text) => resolve(cwd, text)),
    publicUrl: readSetting('TOOLYARD_PUBLIC_URL', (text) => readAddress('TOOLYARD_PUBLIC_URL', text)),
    url: readSetting('TOOLYARD_URL', (text) => readAddress('TOOLYARD_URL', text)),
    privateOrigins:
      readSetting('TOOLYARD_PRIVATE_ORIGINS', (text) => readOrigins('TOOLYARD_PRIVATE_ORIGINS', text)) ?? [],
    agentOrigins: readSetting('TOOLYARD_AGENT_ORIGINS', (text) => readOrigins('TOOLYARD_AGENT_ORIGINS', text)) ?? [],
    fileOrigins: readSetting('TOOLYARD_FILE_ORIGINS', (text) => readOrigins('TOOLYARD_FILE_ORIGINS', text)) ?? [],
    returnOrigins: readSetting('TOOLYARD_RETURN_ORIGINS', (text) => readOrigins('TOOLYARD_RETURN_ORIGINS', text)) ?? [],
    embedOrigins: readSetting('TOOLYARD_EMBED_ORIGINS', (text) => readOrigins('TOOLYARD_EMBED_ORIGINS', text)) ?? [],
    trustedProxies: readSetting('TOOLYARD_TRUSTED_PROXIES', readProxies) ?? [],
    agentAnswers: readSetting('TOOLYARD_AGENT_ANSWERS', (text) => readSwitch('TOOLYARD_AGENT_ANSWERS', text)) ?? false,
    runContents: readSetting('TOOLYARD_RUN_CONTENTS', readRunContents) ?? 'default',
    creditPrices: readSetting('TOOLYARD_CREDIT_PRICES', readPrices) ?? {},
    mergeLookups: readSetting('TOOLYARD_MERGE_LOOKUPS', (text) => readSwitch('TOOLYARD_MERGE_LOOKUPS', text)) ?? true,
    defaultAccount:
      readSetting(
        'TOOLYARD_DEFAULT_ACCOUNT',
        readOneOf('TOOLYARD_DEFAULT_ACCOUNT', ['personal', 'shared', 'personal-then-shared', 'any']),
      ) ?? 'personal-then-shared',
    oauthServer: readSetting('TOOLYARD_OAUTH', readOneOf('TOOLYARD_OAUTH', ['on', 'off'])) ?? 'default',
    brandFile: readSetting('TOOLYARD_BRAND', (text) => resolve(cwd, text)),
    approvalRulesFile: readSetting('TOOLYARD_APPROVAL_RULES', (text) => resolve(cwd, text)),
    oauthClientsFile: readSecret('TOOLYARD_OAUTH_CLIENTS', (text) => resolve(cwd, text)),
    scanMs: readSetting('TOOLYARD_SCAN_SECONDS', readScan),
    maxConnections: readSetting('TOOLYARD_MAX_CONNECTIONS', readMaxConnections),
    retention: {
      ages: readSetting('TOOLYARD_RETENTION', readRetention) ?? {},
      ...(maxBytes === undefined ? {} : { maxBytes }),
    },
    production: readSetting('TOOLYARD_PRODUCTION', (text) => readSwitch('TOOLYARD_PRODUCTION', text)) ?? false,
    logFormat: readSetting('TOOLYARD_LOG', readOneOf('TOOLYARD_LOG', ['json', 'text'])),
    logLevel: readSetting('TOOLYARD_LOG_LEVEL', readOneOf('TOOLYARD_LOG_LEVEL', ['debug', 'info', 'warn', 'error'])),
    traces: readTraceEnvironment(env, cwd),
  }
  if (configuration.databaseUrl !== undefined && maxBytes !== undefined)
    throw settingFailure(
      'TOOLYARD_MAX_STORE_MB',
      'limits the database in the data directory only, and DATABASE_URL names another. Unset it, and shorten ages with TOOLYARD_RETENTION.',
    )
  if (configuration.databaseUrl === undefined && configuration.databasePool !== undefined)
    throw settingFailure(
      'TOOLYARD_DATABASE_POOL',
      'is for PostgreSQL, and DATABASE_URL is not set. Set DATABASE_URL, or unset it.',
    )
  if (configuration.production) checkProduction(configuration)
  return configuration
}

/** Settings that are set to something deprecated, with what to do. */
export const deprecatedSettings = ({ defaultAccount }: Configuration): { setting: Setting; reason: string }[] =>
  defaultAccount === 'any'
    ? [
        {
          setting: 'TOOLYARD_DEFAULT_ACCOUNT',
          reason:
            'The value "any" is deprecated and goes with the next version. Callers name a person or a connection instead; "toolyard doctor" lists those that rely on it.',
        },
      ]
    : []

/** How long input and output of runs are stored, in ms; undefined: not at all. */
export const runContentsMs = ({ runContents }: Configuration, sandbox: boolean): number | undefined =>
  typeof runContents === 'number' ? runContents : runContents === 'default' && sandbox ? unitMs['d'] : undefined

/** Where the master keys are: in settings, or in a file of the data directory. */
export const keySettings = (configuration: Configuration, directory: string) => ({
  env: configuration.masterKey,
  previous: configuration.previousMasterKeys,
  from: configuration.sources.TOOLYARD_MASTER_KEY,
  file: join(directory, 'master.key'),
})

/** The settings that the pack takes unchanged. */
export const packSettings = ({
  agentOrigins,
  returnOrigins,
  agentAnswers,
  mergeLookups,
  creditPrices: prices,
  defaultAccount,
  oauthServer,
  retention,
}: Configuration) => ({
  agentOrigins,
  returnOrigins,
  agentAnswers,
  mergeLookups,
  creditPrices: prices,
  defaultAccount,
  oauthServer,
  retention,
})

/** The configuration with the profiles that --profile picks, which take precedence over TOOLYARD_PROFILES. */
export const withPicked = (configuration: Configuration, picked: string[]): Configuration => {
  if (picked.length === 0) return configuration
  return {
    ...configuration,
    profiles: { ...configuration.profiles, ...readProfiles(picked.join(','), '--profile') },
    profilesFrom: '--profile',
  }
}

/** The sandbox has its own data: no real credential may reach a sandbox, and no sandbox credential a provider. */
export const directoryOf = ({ data }: Configuration, sandbox: boolean) => (sandbox ? join(data, 'sandbox') : data)

/**
 * Refuses the sandbox in production: it plays the providers on ports of this machine, and its accounts and their
 * secrets are the same everywhere.
 * @throws Failure `invalid_input`
 */
export const requireTrial = ({ production }: Configuration): void => {
  if (production)
    throw settingFailure(
      'TOOLYARD_PRODUCTION',
      'is set, and the sandbox is for trying things out. Leave out --sandbox, or unset TOOLYARD_PRODUCTION.',
    )
}
