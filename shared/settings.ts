import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { failField } from '#kit'
import { readDatabaseUrl } from './pack.ts'

/** What an operator sets in the environment, checked. */
export type Configuration = {
  /** Data directory, absolute. */
  data: string
  /** PostgreSQL that several servers share, in place of the database in the data directory. */
  databaseUrl: string | undefined
  host: string
  /** 0: any free port. */
  port: number
  token: string | undefined
  masterKey: string | undefined
  previousMasterKeys: string | undefined
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
  /** Addresses of reverse proxies whose X-Forwarded headers count. */
  trustedProxies: string[]
  /** Whether agents' responses are stored and shown. */
  agentAnswers: boolean
  /** Whether single lookups that arrive together go out as one bulk request. */
  mergeLookups: boolean
  /** What a call takes that names no connection. */
  defaultAccount: 'personal' | 'shared' | 'personal-then-shared' | 'any'
  oauthServer: 'on' | 'off' | 'default'
  oauthClientsFile: string | undefined
  approvalRulesFile: string | undefined
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
}
export type Environment = Record<string, string | undefined>

const keptRows =
  'payloads, starts, runs, approvals, audit, gaps, deleted, ids, usage, lookups, noMatches, samples, jobs'

/** Every setting with its meaning; --help shows them. */
export const settings = {
  TOOLYARD_DATA: 'data directory; default: .toolyard in the working directory',
  DATABASE_URL:
    'PostgreSQL that several servers share, as postgres://user:password@host/database; default: a database in the data directory',
  TOOLYARD_HOST: 'address to listen on; default 127.0.0.1',
  TOOLYARD_PORT: 'port to listen on; default 8750, 0 for any free one',
  TOOLYARD_TOKEN: 'bearer token of the server, at least 16 characters; default: created at the first start',
  TOOLYARD_MASTER_KEY: 'seals secrets, 32 bytes as base64 or hex; default: a key file in the data directory',
  TOOLYARD_OLD_MASTER_KEYS:
    'former master keys, comma-separated; used for reading until "keys rotate" has resealed everything',
  TOOLYARD_LOST_MASTER_KEYS:
    'ids of lost master keys, comma-separated; secrets sealed under them must be entered again',
  TOOLYARD_JWT:
    'JSON file describing an identity provider whose tokens are accepted: issuer, audience, jwksUrl, claims',
  TOOLYARD_LOGIN:
    'JSON file describing an OpenID provider that signs people into the console: issuer, clientId, clientSecret, domains, claims',
  TOOLYARD_OAUTH:
    'on or off: whether people may sign in here and let programs in; default: on for data made by this version or a later one, with a public address and without TOOLYARD_JWT',
  TOOLYARD_OAUTH_CLIENTS: 'JSON file with programs that need not register: client_id, client_name, redirect_uris',
  TOOLYARD_APPROVAL_RULES:
    'JSON file with approval rules for every workspace: a list of { name, when, by, expiresMinutes }',
  TOOLYARD_DEFAULT_ACCOUNT:
    'what a call takes that names no connection: personal, shared, personal-then-shared (default), or any (for one version more, as it was before there were people)',
  TOOLYARD_WIRE: 'JSON file with wire overrides by integration id',
  TOOLYARD_PROFILES:
    'wire profile by integration id, comma-separated: contact-data=<profile>,anz-data=<profile>; default: documented',
  TOOLYARD_LIMITS:
    'JSON file with limits per tenant: connections, subscriptions, labels, keyedMegabytes, files, running, waiting and others',
  TOOLYARD_LOCALES: 'folder with translations of the manifests: one JSON file per language, such as de.json',
  TOOLYARD_PUBLIC_URL: 'public address of this server; providers deliver webhooks there',
  TOOLYARD_PRIVATE_ORIGINS: 'origins of providers that may be private or plain http, comma-separated',
  TOOLYARD_AGENT_ORIGINS: 'origins of agents that may be private or plain http, comma-separated',
  TOOLYARD_FILE_ORIGINS:
    'origins that files may be fetched from although they are private or plain http, comma-separated',
  TOOLYARD_RETURN_ORIGINS: 'origins that a browser may return to after connecting an account, comma-separated',
  TOOLYARD_TRUSTED_PROXIES:
    'addresses of reverse proxies whose X-Forwarded headers count, comma-separated: IP addresses or ranges like 10.0.0.0/8',
  TOOLYARD_AGENT_ANSWERS: "1: store and show the beginning of agents' responses; default: status and size only",
  TOOLYARD_MERGE_LOOKUPS:
    '0: never send single lookups that arrive together as one bulk request, unless a call asks for it; default 1',
  TOOLYARD_SCAN_SECONDS: 'polling interval in seconds, 10 to 3600; default 60',
  TOOLYARD_MAX_CONNECTIONS: 'maximum number of open client connections, 10 to 100000; default 4000',
  TOOLYARD_RETENTION: `how long rows are kept, comma-separated: runs=30d,payloads=12h; names: ${keptRows}`,
  TOOLYARD_MAX_STORE_MB:
    'size in MB above which the oldest finished rows are removed before their age, 64 or more; default: no limit',
  TOOLYARD_PRODUCTION: '1: never call this machine itself, and require TOOLYARD_TOKEN',
  TOOLYARD_LOG: 'json or text; default: text on a terminal, else json',
  TOOLYARD_LOG_LEVEL: 'minimum log level: debug, info, warn or error; default info',
  TOOLYARD_URL: 'server that commands talk to; default: the one running on the data directory',
} as const
export type Setting = keyof typeof settings

export const settingFailure = (name: Setting | '--wire' | '--profile', why: string) => failField(name, `${name} ${why}`)

const readUrl = (name: Setting, text: string, remedy: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const plain =
    url &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === ''
  if (!plain) throw settingFailure(name, `is not usable: "${text}". ${remedy}`)
  return url
}

const readPort = (text: string) => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw settingFailure('TOOLYARD_PORT', `is not a port: "${text}". Give a number from 0 to 65535.`)
  return Number(text)
}

const readHost = (text: string) => {
  if (!/^[\w.:-]+$/.test(text))
    throw settingFailure(
      'TOOLYARD_HOST',
      `is not an address to listen on: "${text}". Give an IP address or a host name, without scheme and port.`,
    )
  return text
}

const readScan = (text: string) => {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (seconds < 10 || seconds > 3600)
    throw settingFailure('TOOLYARD_SCAN_SECONDS', `is not usable: "${text}". Give whole seconds from 10 to 3600.`)
  return seconds * 1000
}

const readMaxConnections = (text: string) => {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (count < 10 || count > 100_000)
    throw settingFailure('TOOLYARD_MAX_CONNECTIONS', `is not usable: "${text}". Give a whole number from 10 to 100000.`)
  return count
}

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

const readRetention = (text: string): Record<string, number> => {
  const remedy = `Give <rows>=<age>, comma-separated, like runs=30d,payloads=12h. Rows: ${keptRows}; units: m, h, d.`
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [, name = '', count = '', unit = ''] = /^\s*(\w+)=(\d{1,5})([mhd])\s*$/.exec(part) ?? []
      if (!keptRows.split(', ').includes(name) || Number(count) < 1)
        throw settingFailure('TOOLYARD_RETENTION', `is not usable: "${part.trim()}". ${remedy}`)
      return [name, Number(count) * unitMs[unit]!]
    }),
  )
}

const readMaxStore = (text: string) => {
  const megabytes = /^\d{1,8}$/.test(text) ? Number(text) : 0
  if (megabytes < 64)
    throw settingFailure('TOOLYARD_MAX_STORE_MB', `is not usable: "${text}". Give whole megabytes, 64 or more.`)
  return megabytes * 2 ** 20
}

const readOrigins = (
  name: 'TOOLYARD_PRIVATE_ORIGINS' | 'TOOLYARD_AGENT_ORIGINS' | 'TOOLYARD_FILE_ORIGINS' | 'TOOLYARD_RETURN_ORIGINS',
  text: string,
) =>
  text.split(',').map((part) => {
    const remedy = 'Give origins like http://10.0.0.5:9000, comma-separated and without a path.'
    const url = readUrl(name, part.trim(), remedy)
    if (url.origin !== part.trim().toLowerCase())
      throw settingFailure(name, `holds "${part.trim()}", which is more than an origin. ${remedy}`)
    return url.origin
  })

const readProxies = (text: string) =>
  text.split(',').map((part) => {
    const [address = '', bits, ...more] = part.trim().split('/')
    const max = isIP(address) === 4 ? 32 : 128
    const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= max)
    if (isIP(address) === 0 || !isRange || more.length > 0)
      throw settingFailure(
        'TOOLYARD_TRUSTED_PROXIES',
        `holds "${part.trim()}", which is no IP address or range. Give them like 127.0.0.1 or 10.0.0.0/8.`,
      )
    return part.trim()
  })

const readKeyIds = (text: string) =>
  text.split(',').map((part) => {
    if (!/^[\w-]{1,64}$/.test(part.trim()))
      throw settingFailure(
        'TOOLYARD_LOST_MASTER_KEYS',
        `holds "${part.trim()}", which is no id of a master key. Give the ids the server asked for.`,
      )
    return part.trim()
  })

const readProfiles = (
  text: string,
  from: 'TOOLYARD_PROFILES' | '--profile' = 'TOOLYARD_PROFILES',
): Record<string, string> => {
  const pairs = text.split(',').map((part) => part.trim().split('='))
  const remedy = 'Give <integration>=<profile>, comma-separated, like contact-data=documented.'
  const profiles: Record<string, string> = {}
  for (const [id = '', name = '', ...more] of pairs) {
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(id) || !/^[a-z0-9][a-z0-9.-]{0,63}$/.test(name) || more.length > 0)
      throw settingFailure(from, `is not usable: "${text}". ${remedy}`)
    if (Object.hasOwn(profiles, id)) throw settingFailure(from, `names ${id} twice. ${remedy}`)
    profiles[id] = name
  }
  return profiles
}

const readSwitch = (name: Setting, text: string) => {
  if (/^(1|true)$/i.test(text)) return true
  if (/^(0|false)$/i.test(text)) return false
  throw settingFailure(name, `is not a switch: "${text}". Give 1 or 0.`)
}

const readOneOf =
  <T extends string>(name: Setting, values: readonly T[]) =>
  (text: string): T => {
    const knownValue = values.find((value) => value === text.toLowerCase())
    if (knownValue === undefined)
      throw settingFailure(
        name,
        `is not usable: "${text}". Give ${values.slice(0, -1).join(', ')} or ${values.at(-1)}.`,
      )
    return knownValue
  }

const readToken = (text: string) => {
  // The text is a secret, so the message does not repeat it.
  if (!/^[\x21-\x7e]{16,512}$/.test(text))
    throw settingFailure('TOOLYARD_TOKEN', 'is not usable: give 16 to 512 visible ASCII characters.')
  return text
}

const address = (name: Setting, text: string) =>
  readUrl(name, text, 'Give an address like https://tools.example.org.').href.replace(/\/$/, '')

const isThisMachine = (origin: string) => /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(origin)

const checkProduction = ({ publicUrl, privateOrigins, agentOrigins, fileOrigins, returnOrigins }: Configuration) => {
  if (publicUrl?.startsWith('http:')) throw settingFailure('TOOLYARD_PUBLIC_URL', 'must be https in production.')
  const plain = returnOrigins.find((origin) => origin.startsWith('http:'))
  if (plain !== undefined)
    throw settingFailure('TOOLYARD_RETURN_ORIGINS', `holds ${plain}, and must be https in production.`)
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

/**
 * Reads the settings. Pure: the environment and the working directory are parameters.
 * @throws Failure `invalid_input` naming the variable, what is wrong with it and the remedy
 */
export const readConfiguration = (env: Environment, cwd: string): Configuration => {
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('TOOLYARD_') && name !== 'DATABASE_URL') continue
    if (!(name in settings))
      throw failField(name, `${name} is not a setting. Known settings: ${Object.keys(settings).join(', ')}.`)
    if (value?.trim() === '') throw failField(name, `${name} is empty. Give a value or unset it.`)
  }
  const readSetting = <T>(name: Setting, read: (text: string) => T) =>
    env[name] === undefined ? undefined : read(env[name])
  const maxBytes = readSetting('TOOLYARD_MAX_STORE_MB', readMaxStore)
  const configuration: Configuration = {
    data: resolve(cwd, env.TOOLYARD_DATA ?? '.toolyard'),
    databaseUrl: readSetting('DATABASE_URL', (text) => readDatabaseUrl(text, { sslMode: env['PGSSLMODE'] })),
    host: readSetting('TOOLYARD_HOST', readHost) ?? '127.0.0.1',
    port: readSetting('TOOLYARD_PORT', readPort) ?? 8750,
    token: readSetting('TOOLYARD_TOKEN', readToken),
    masterKey: env.TOOLYARD_MASTER_KEY,
    previousMasterKeys: env.TOOLYARD_OLD_MASTER_KEYS,
    lostMasterKeys: readSetting('TOOLYARD_LOST_MASTER_KEYS', readKeyIds) ?? [],
    jwtFile: readSetting('TOOLYARD_JWT', (text) => resolve(cwd, text)),
    loginFile: readSetting('TOOLYARD_LOGIN', (text) => resolve(cwd, text)),
    wireFile: readSetting('TOOLYARD_WIRE', (text) => resolve(cwd, text)),
    profiles: readSetting('TOOLYARD_PROFILES', (text) => readProfiles(text)) ?? {},
    limitsFile: readSetting('TOOLYARD_LIMITS', (text) => resolve(cwd, text)),
    localesFolder: readSetting('TOOLYARD_LOCALES', (text) => resolve(cwd, text)),
    publicUrl: readSetting('TOOLYARD_PUBLIC_URL', (text) => address('TOOLYARD_PUBLIC_URL', text)),
    url: readSetting('TOOLYARD_URL', (text) => address('TOOLYARD_URL', text)),
    privateOrigins:
      readSetting('TOOLYARD_PRIVATE_ORIGINS', (text) => readOrigins('TOOLYARD_PRIVATE_ORIGINS', text)) ?? [],
    agentOrigins: readSetting('TOOLYARD_AGENT_ORIGINS', (text) => readOrigins('TOOLYARD_AGENT_ORIGINS', text)) ?? [],
    fileOrigins: readSetting('TOOLYARD_FILE_ORIGINS', (text) => readOrigins('TOOLYARD_FILE_ORIGINS', text)) ?? [],
    returnOrigins: readSetting('TOOLYARD_RETURN_ORIGINS', (text) => readOrigins('TOOLYARD_RETURN_ORIGINS', text)) ?? [],
    trustedProxies: readSetting('TOOLYARD_TRUSTED_PROXIES', readProxies) ?? [],
    agentAnswers: readSetting('TOOLYARD_AGENT_ANSWERS', (text) => readSwitch('TOOLYARD_AGENT_ANSWERS', text)) ?? false,
    mergeLookups: readSetting('TOOLYARD_MERGE_LOOKUPS', (text) => readSwitch('TOOLYARD_MERGE_LOOKUPS', text)) ?? true,
    defaultAccount:
      readSetting(
        'TOOLYARD_DEFAULT_ACCOUNT',
        readOneOf('TOOLYARD_DEFAULT_ACCOUNT', ['personal', 'shared', 'personal-then-shared', 'any']),
      ) ?? 'personal-then-shared',
    oauthServer: readSetting('TOOLYARD_OAUTH', readOneOf('TOOLYARD_OAUTH', ['on', 'off'])) ?? 'default',
    approvalRulesFile: readSetting('TOOLYARD_APPROVAL_RULES', (text) => resolve(cwd, text)),
    oauthClientsFile: readSetting('TOOLYARD_OAUTH_CLIENTS', (text) => resolve(cwd, text)),
    scanMs: readSetting('TOOLYARD_SCAN_SECONDS', readScan),
    maxConnections: readSetting('TOOLYARD_MAX_CONNECTIONS', readMaxConnections),
    retention: {
      ages: readSetting('TOOLYARD_RETENTION', readRetention) ?? {},
      ...(maxBytes === undefined ? {} : { maxBytes }),
    },
    production: readSetting('TOOLYARD_PRODUCTION', (text) => readSwitch('TOOLYARD_PRODUCTION', text)) ?? false,
    logFormat: readSetting('TOOLYARD_LOG', readOneOf('TOOLYARD_LOG', ['json', 'text'])),
    logLevel: readSetting('TOOLYARD_LOG_LEVEL', readOneOf('TOOLYARD_LOG_LEVEL', ['debug', 'info', 'warn', 'error'])),
  }
  if (configuration.databaseUrl !== undefined && maxBytes !== undefined)
    throw settingFailure(
      'TOOLYARD_MAX_STORE_MB',
      'limits the database in the data directory only, and DATABASE_URL names another. Unset it, and shorten ages with TOOLYARD_RETENTION.',
    )
  if (configuration.production) checkProduction(configuration)
  return configuration
}

/** The settings that the pack takes unchanged. */
export const packSettings = ({
  agentOrigins,
  returnOrigins,
  agentAnswers,
  mergeLookups,
  defaultAccount,
  oauthServer,
  retention,
}: Configuration) => ({
  agentOrigins,
  returnOrigins,
  agentAnswers,
  mergeLookups,
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
