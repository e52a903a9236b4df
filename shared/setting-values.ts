import { isIP } from 'node:net'
import { creditPrices } from './pack.ts'
import type { CreditPrices } from './pack.ts'
import { keptRows, settingFailure } from './setting-names.ts'
import type { Setting } from './setting-names.ts'

// How the text of each setting is read. Each function refuses what it cannot use, with a message that names the
// setting and the remedy.

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

export const readPort = (text: string) => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw settingFailure('TOOLYARD_PORT', `is not a port: "${text}". Give a number from 0 to 65535.`)
  return Number(text)
}

export const readHost = (text: string) => {
  if (!/^[\w.:-]+$/.test(text))
    throw settingFailure(
      'TOOLYARD_HOST',
      `is not an address to listen on: "${text}". Give an IP address or a host name, without scheme and port.`,
    )
  return text
}

export const readScan = (text: string) => {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (seconds < 10 || seconds > 3600)
    throw settingFailure('TOOLYARD_SCAN_SECONDS', `is not usable: "${text}". Give whole seconds from 10 to 3600.`)
  return seconds * 1000
}

export const readDatabasePool = (text: string) => {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count < 4 || count > 200)
    throw settingFailure('TOOLYARD_DATABASE_POOL', `is not usable: "${text}". Give a whole number from 4 to 200.`)
  return count
}

export const readMaxConnections = (text: string) => {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (count < 10 || count > 100_000)
    throw settingFailure('TOOLYARD_MAX_CONNECTIONS', `is not usable: "${text}". Give a whole number from 10 to 100000.`)
  return count
}

export const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

export const readRetention = (text: string): Record<string, number> => {
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

export const readPrices = (text: string): CreditPrices => {
  const remedy = 'Give JSON like {"contact-data":{"amount":0.02,"currency":"EUR"}}.'
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw settingFailure('TOOLYARD_CREDIT_PRICES', `is not JSON. ${remedy}`)
  }
  const parsed = creditPrices().safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw settingFailure(
    'TOOLYARD_CREDIT_PRICES',
    `is not usable: ${issue?.path.join('.') || 'it'} ${issue?.message}. ${remedy}`,
  )
}

export const readRunContents = (text: string): number | 'off' => {
  if (text.toLowerCase() === 'off') return 'off'
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  if (Number(count) < 1)
    throw settingFailure(
      'TOOLYARD_RUN_CONTENTS',
      `is not usable: "${text}". Give a duration like 24h or 7d (units: m, h, d), or off.`,
    )
  return Number(count) * unitMs[unit]!
}

export const readMaxStore = (text: string) => {
  const megabytes = /^\d{1,8}$/.test(text) ? Number(text) : 0
  if (megabytes < 64)
    throw settingFailure('TOOLYARD_MAX_STORE_MB', `is not usable: "${text}". Give whole megabytes, 64 or more.`)
  return megabytes * 2 ** 20
}

export const readOrigins = (
  name:
    | 'TOOLYARD_PRIVATE_ORIGINS'
    | 'TOOLYARD_AGENT_ORIGINS'
    | 'TOOLYARD_FILE_ORIGINS'
    | 'TOOLYARD_RETURN_ORIGINS'
    | 'TOOLYARD_EMBED_ORIGINS',
  text: string,
) =>
  text.split(',').map((part) => {
    const remedy = 'Give origins like http://10.0.0.5:9000, comma-separated and without a path.'
    const url = readUrl(name, part.trim(), remedy)
    if (url.origin !== part.trim().toLowerCase())
      throw settingFailure(name, `holds "${part.trim()}", which is more than an origin. ${remedy}`)
    return url.origin
  })

export const readProxies = (text: string) =>
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

export const readKeyIds = (text: string) =>
  text.split(',').map((part) => {
    if (!/^[\w-]{1,64}$/.test(part.trim()))
      throw settingFailure(
        'TOOLYARD_LOST_MASTER_KEYS',
        `holds "${part.trim()}", which is no id of a master key. Give the ids the server asked for.`,
      )
    return part.trim()
  })

export const readProfiles = (
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

export const readSwitch = (name: Setting, text: string) => {
  if (/^(1|true)$/i.test(text)) return true
  if (/^(0|false)$/i.test(text)) return false
  throw settingFailure(name, `is not a switch: "${text}". Give 1 or 0.`)
}

export const readOneOf =
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

export const readToken = (text: string, from: Setting) => {
  // The text is a secret, so the message does not repeat it.
  if (!/^[\x21-\x7e]{16,512}$/.test(text))
    throw settingFailure(from, 'is not usable: give 16 to 512 visible ASCII characters.')
  return text
}

export const readAddress = (name: Setting, text: string) =>
  readUrl(name, text, 'Give an address like https://tools.example.org.').href.replace(/\/$/, '')
