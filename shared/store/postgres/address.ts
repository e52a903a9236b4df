import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { failField } from '#kit'

/**
 * Values that are understood. The driver silently takes any other text for one of them and would connect differently
 * from what was asked.
 */
const knownParameters: Record<string, { values: string[]; remedy?: string }> = {
  sslmode: {
    values: ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'],
    remedy: 'All but the first encrypt the connection; the last two check the certificate of the server.',
  },
  ssl: { values: ['true', '1', '0', 'no-verify'], remedy: 'sslmode=disable connects without encryption.' },
  sslnegotiation: { values: ['postgres', 'direct'] },
  uselibpqcompat: { values: ['true', 'false'] },
}

const requireKnownValue = (setting: string, said: string, name: string, value: string) => {
  const { values, remedy } = knownParameters[name]!
  if (values.includes(value)) return
  const choices = `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
  throw failField(
    setting,
    `${setting} ${said}${value.slice(0, 40)}. Give ${choices}.${remedy === undefined ? '' : ` ${remedy}`}`,
  )
}

/** Parameters of TLS, which the driver reads in its own way and warns of. It gets `ssl` in their place. */
const certificateFiles = ['sslrootcert', 'sslcert', 'sslkey']
const tlsParameters = [...Object.keys(knownParameters), ...certificateFiles]

/**
 * How strictly the connection is encrypted: by `sslmode`, otherwise by `ssl`, which the driver knows besides libpq's
 * parameters. undefined: not at all.
 */
const modeOf = (parameters: URLSearchParams): string | undefined => {
  const mode = parameters.get('sslmode')
  if (mode !== null) return mode === 'disable' ? undefined : mode
  const ssl = parameters.get('ssl')
  if (ssl !== null) return ssl === '0' ? undefined : ssl === 'no-verify' ? ssl : 'verify-full'
  const wantsTls =
    parameters.get('sslnegotiation') === 'direct' || certificateFiles.some((name) => parameters.has(name))
  return wantsTls ? 'verify-full' : undefined
}

/** The file of a certificate or key. `sslrootcert=system`: the authorities that are trusted anyway. */
const readPem = (parameters: URLSearchParams, name: string): string | undefined => {
  const file = parameters.get(name)
  if (file === null || (name === 'sslrootcert' && file === 'system')) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw failField(
      'DATABASE_URL',
      `DATABASE_URL has ${name}=${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}). Name a PEM file that this user can read.`,
    )
  }
}

/**
 * TLS options in the meaning of libpq. `require` checks the certificate only against a given authority, and `verify-ca`
 * not its name. Without a given authority, anybody can get a certificate of a trusted one, so `verify-ca` checks the
 * name too.
 */
const tlsOf = (parameters: URLSearchParams): false | ConnectionOptions => {
  const mode = modeOf(parameters)
  // As with libpq, a socket of this machine is never encrypted.
  if (mode === undefined || parameters.get('host')?.startsWith('/')) return false
  const [ca, cert, key] = certificateFiles.map((name) => readPem(parameters, name))
  const checks = mode.startsWith('verify-') || (mode === 'require' && ca !== undefined)
  const checksName = mode === 'verify-full' || (mode === 'verify-ca' && ca === undefined)
  return {
    rejectUnauthorized: checks,
    ...(checks && !checksName ? { checkServerIdentity: () => undefined } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

type ReadOptions = { from?: string; sslMode?: string | undefined }

/**
 * Checks the address of a PostgreSQL database, and returns it. `from`: the setting that holds it. `sslMode`: PGSSLMODE
 * of the environment, which is added to an address without `sslmode` and `ssl`.
 * @throws Failure `invalid_input`; its message does not repeat the address, which may hold a password
 */
export const readDatabaseUrl = (text: string, { from = 'DATABASE_URL', sslMode }: ReadOptions = {}): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2)
    throw failField(
      from,
      `${from} is not the address of a PostgreSQL database. Give one like postgres://user:password@host:5432/database, or unset it.`,
    )
  for (const [name, value] of url.searchParams)
    if (Object.hasOwn(knownParameters, name)) requireKnownValue(from, `has ${name}=`, name, value)
  const parameters = url.searchParams
  const isFromEnvironment = sslMode !== undefined && !parameters.has('sslmode') && !parameters.has('ssl')
  if (isFromEnvironment) {
    requireKnownValue('PGSSLMODE', 'is ', 'sslmode', sslMode)
    parameters.set('sslmode', sslMode)
  }
  if (parameters.get('sslnegotiation') === 'direct' && modeOf(parameters) === undefined)
    throw failField(
      from,
      `${from} has sslnegotiation=direct without encryption. Give sslmode=verify-full, or leave out sslnegotiation.`,
    )
  return isFromEnvironment ? url.href : text
}

/**
 * What the driver needs to connect to an address.
 * @throws Failure `invalid_input` for an address that cannot be used, and for a certificate that cannot be read
 */
export const driverOptions = (address: string) => {
  const text = readDatabaseUrl(address)
  const url = new URL(text)
  const ssl = tlsOf(url.searchParams)
  const sslnegotiation =
    url.searchParams.get('sslnegotiation') === 'direct' ? ('direct' as const) : ('postgres' as const)
  const extra = tlsParameters.filter((name) => url.searchParams.has(name))
  for (const name of extra) url.searchParams.delete(name)
  return { connectionString: extra.length === 0 ? text : url.href, ssl, sslnegotiation }
}
