import { failField } from '#kit'

/** The rows whose age TOOLYARD_RETENTION sets. */
export const keptRows =
  'payloads, starts, runs, approvals, audit, gaps, deleted, ids, usage, lookups, noMatches, rates, samples, jobs'

/** Every setting with its meaning; --help shows them. */
export const settings = {
  TOOLYARD_DATA: 'data directory; default: .toolyard in the working directory',
  DATABASE_URL:
    'PostgreSQL that several servers share, as postgres://user:password@host/database; default: a database in the data directory',
  DATABASE_URL_FILE: 'file with the address that DATABASE_URL would hold, such as a mounted secret',
  TOOLYARD_DATABASE_POOL:
    'maximum number of connections to PostgreSQL for calls, deliveries, starts and jobs, 4 to 200; default 7. One more is for notifications',
  TOOLYARD_HOST: 'address to listen on; default 127.0.0.1',
  TOOLYARD_PORT: 'port to listen on; default 8750, 0 for any free one',
  TOOLYARD_TOKEN: 'bearer token of the server, at least 16 characters; default: created at the first start',
  TOOLYARD_TOKEN_FILE: 'file with the bearer token of the server',
  TOOLYARD_MASTER_KEY: 'seals secrets, 32 bytes as base64 or hex; default: a key file in the data directory',
  TOOLYARD_MASTER_KEY_FILE: 'file with the master key',
  TOOLYARD_OLD_MASTER_KEYS:
    'former master keys, comma-separated; used for reading until "keys rotate" has resealed everything',
  TOOLYARD_OLD_MASTER_KEYS_FILE: 'file with the former master keys, comma-separated',
  TOOLYARD_LOST_MASTER_KEYS:
    'ids of lost master keys, comma-separated; secrets sealed under them must be entered again',
  TOOLYARD_JWT:
    'JSON file describing an identity provider whose tokens are accepted: issuer, audience, jwksUrl, claims',
  TOOLYARD_LOGIN:
    'JSON file describing an OpenID provider that signs people into the console: issuer, clientId, clientSecret, domains, claims',
  TOOLYARD_LOGIN_FILE: 'the same as TOOLYARD_LOGIN, for a file that must be readable by this server alone',
  TOOLYARD_OAUTH:
    'on or off: whether people may sign in here and let programs in; default: on for data made by this version or a later one, with a public address and without TOOLYARD_JWT',
  TOOLYARD_OAUTH_CLIENTS: 'JSON file with programs that need not register: client_id, client_name, redirect_uris',
  TOOLYARD_OAUTH_CLIENTS_FILE:
    'the same as TOOLYARD_OAUTH_CLIENTS, for a file that must be readable by this server alone',
  TOOLYARD_APPROVAL_RULES:
    'JSON file with approval rules for every workspace: a list of { name, when, by, expiresMinutes }',
  TOOLYARD_BRAND: 'JSON file with what the pages to connect, sign in and let programs in look like: name, logo, colour',
  TOOLYARD_DEFAULT_ACCOUNT:
    'what a call takes that names no connection: personal, shared, personal-then-shared (default), or any (deprecated: as it was before there were people)',
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
  TOOLYARD_EMBED_ORIGINS:
    'origins whose pages may show the pages to connect an account in a frame, and are told how they ended, comma-separated',
  TOOLYARD_TRUSTED_PROXIES:
    'addresses of reverse proxies whose X-Forwarded headers count, comma-separated: IP addresses or ranges like 10.0.0.0/8',
  TOOLYARD_AGENT_ANSWERS: "1: store and show the beginning of agents' responses; default: status and size only",
  TOOLYARD_RUN_CONTENTS:
    'how long input and output of each run are stored, sealed, such as 24h or 7d; off: not at all; default: off, and 24h in the sandbox',
  TOOLYARD_CREDIT_PRICES:
    'what a credit costs, as JSON by integration id, so that use is shown in money too: {"contact-data":{"amount":0.02,"currency":"EUR"}}; default: credits alone',
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
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'address of an OpenTelemetry collector that the server sends traces to, by OTLP over HTTP; default: no traces',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'full address for traces, if it is not the one above with /v1/traces appended',
  OTEL_TRACES_EXPORTER: 'none, or any list without otlp: no traces, whatever else is set; default otlp',
  OTEL_EXPORTER_OTLP_HEADERS: 'headers for the collector, such as a key: name=value, comma-separated, percent-encoded',
  OTEL_EXPORTER_OTLP_HEADERS_FILE: 'file with the headers for the collector',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'the same, for traces alone',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE: 'file with the headers for traces alone',
  OTEL_EXPORTER_OTLP_TIMEOUT: 'timeout in ms of a request to the collector, 1 to 600000; default 10000',
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: 'the same, for traces alone',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf or http/json: traces are sent as JSON; grpc: no traces',
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'the same, for traces alone',
  OTEL_SERVICE_NAME: 'name of this service in traces; default toolyard',
  OTEL_RESOURCE_ATTRIBUTES:
    'attributes of this server in traces: name=value, comma-separated, percent-encoded, such as deployment.environment.name=test',
  OTEL_TRACES_SAMPLER:
    "which traces are recorded: always_on, always_off, traceidratio, or one of these with the prefix parentbased_, which follows the caller's decision if there is one; default parentbased_always_on",
  OTEL_TRACES_SAMPLER_ARG: 'for traceidratio: the share of traces that are recorded, 0 to 1; default 1',
  OTEL_SDK_DISABLED: 'true: no traces, whatever else is set; default false',
  TOOLYARD_URL: 'server that commands talk to; default: the one running on the data directory',
} as const
export type Setting = keyof typeof settings
export type Environment = Record<string, string | undefined>

/** Settings that name a file with a secret, and the setting that the file stands for. */
export const fileSettings = {
  DATABASE_URL_FILE: 'DATABASE_URL',
  TOOLYARD_TOKEN_FILE: 'TOOLYARD_TOKEN',
  TOOLYARD_MASTER_KEY_FILE: 'TOOLYARD_MASTER_KEY',
  TOOLYARD_OLD_MASTER_KEYS_FILE: 'TOOLYARD_OLD_MASTER_KEYS',
  TOOLYARD_LOGIN_FILE: 'TOOLYARD_LOGIN',
  TOOLYARD_OAUTH_CLIENTS_FILE: 'TOOLYARD_OAUTH_CLIENTS',
  OTEL_EXPORTER_OTLP_HEADERS_FILE: 'OTEL_EXPORTER_OTLP_HEADERS',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE: 'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
} as const satisfies Partial<Record<Setting, Setting>>
export type FileSetting = keyof typeof fileSettings
/** Settings of OpenTelemetry, which programs of all kinds read: only a server that sends traces checks them. */
export type TraceSetting = Extract<Setting, `OTEL_${string}`>
export const isTraceSetting = (name: string): name is TraceSetting =>
  name.startsWith('OTEL_') && Object.hasOwn(settings, name)
export type SecretSetting = (typeof fileSettings)[FileSetting]

export const settingFailure = (name: Setting | '--wire' | '--profile', why: string) => failField(name, `${name} ${why}`)
