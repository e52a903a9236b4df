import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import { jwtSettings, knownClients, loginSettings, operatorRules, tenantLimits } from './pack.ts'
import { brandSettings } from './api/resources/brand.ts'
import type { Brand } from './api/resources/brand.ts'
import type { NewApprovalRule } from './api/resources/approval-rule.ts'
import type { JwtSettings } from './runtime/admin/jwt-settings.ts'
import type { LoginSettings } from './runtime/admin/login-settings.ts'
import type { LocaleFile } from './runtime/catalogue/locales.ts'
import type { KnownClient } from './runtime/oauth/settings.ts'
import type { TenantLimits } from './runtime/ports/index.ts'
import { settingFailure } from './settings.ts'
import type { Setting } from './settings.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readJsonFile = async (name: Setting | '--wire', file: string): Promise<unknown> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw settingFailure(name, `names ${file}, which cannot be read (${error.code}).`)
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    // The message quotes the text, which holds a secret here.
    const why = name === 'TOOLYARD_LOGIN' ? '' : `: ${(error as Error).message}`
    throw settingFailure(name, `names ${file}, which is not JSON${why}.`)
  }
}

/** The identity provider whose tokens are accepted beside ours. */
export const readJwtFile = async (file: string | undefined): Promise<JwtSettings | undefined> => {
  if (file === undefined) return undefined
  const parsed = jwtSettings().safeParse(await readJsonFile('TOOLYARD_JWT', file))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw settingFailure(
    'TOOLYARD_JWT',
    `names ${file}, where ${issue?.path.join('.') || 'it'} is not usable: ${issue?.message}. It holds { "issuer", "audience", "jwksUrl" } and, if they differ, names of claims.`,
  )
}

/** The OpenID provider that signs people in. */
export const readLoginFile = async (file: string | undefined): Promise<LoginSettings | undefined> => {
  if (file === undefined) return undefined
  const parsed = loginSettings().safeParse(await readJsonFile('TOOLYARD_LOGIN', file))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw settingFailure(
    'TOOLYARD_LOGIN',
    `names ${file}, where ${issue?.path.join('.') || 'it'} is not usable: ${issue?.message}. It holds { "issuer", "clientId", "clientSecret", "domains" } and, if they differ, names of claims.`,
  )
}

/** Clients that need not register. */
export const readClientsFile = async (file: string | undefined): Promise<KnownClient[] | undefined> => {
  if (file === undefined) return undefined
  const parsed = knownClients().safeParse(await readJsonFile('TOOLYARD_OAUTH_CLIENTS', file))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw settingFailure(
    'TOOLYARD_OAUTH_CLIENTS',
    `names ${file}, where ${issue?.path.join('.') || 'it'} is not usable: ${issue?.message}. It holds [{ "client_id", "client_name", "redirect_uris" }] and, if they have one, "client_secret".`,
  )
}

/** Approval rules for every tenant. */
export const readApprovalRulesFile = async (file: string | undefined): Promise<NewApprovalRule[] | undefined> => {
  if (file === undefined) return undefined
  const parsed = operatorRules().safeParse(await readJsonFile('TOOLYARD_APPROVAL_RULES', file))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw settingFailure(
    'TOOLYARD_APPROVAL_RULES',
    `names ${file}, where ${issue?.path.join('.') || 'it'} is not usable: ${issue?.message}. It holds [{ "name", "when", "by", "expiresMinutes" }], all of them optional.`,
  )
}

const maxLogo = 256 * 1024
const logoTypes: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
}
const dataAddress = /^data:(image\/(?:svg\+xml|png|webp|jpeg))(;[^,]*)?,(.*)$/s

const readLogo = async (logo: string, folder: string): Promise<Brand['logo']> => {
  const refuse = (why: string) => settingFailure('TOOLYARD_BRAND', `has a logo that ${why}`)
  const [, dataType, parameters = '', text = ''] = dataAddress.exec(logo) ?? []
  if (logo.startsWith('data:') && dataType === undefined)
    throw refuse('is no image: a data: address has the type svg+xml, png, webp or jpeg.')
  const type = dataType ?? logoTypes[extname(logo).toLowerCase()]
  if (type === undefined) throw refuse(`is no svg, png, webp or jpeg: ${logo}.`)
  const bytes =
    dataType === undefined
      ? await readFile(resolve(folder, logo)).catch((error: NodeJS.ErrnoException) => {
          throw refuse(`cannot be read: ${resolve(folder, logo)} (${error.code}).`)
        })
      : parameters.includes('base64')
        ? Buffer.from(text, 'base64')
        : Buffer.from(decodeURIComponent(text))
  if (bytes.length > maxLogo) throw refuse(`has ${bytes.length} bytes; ${maxLogo} is the most.`)
  return { type, bytes }
}

/** What the pages for people look like. */
export const readBrandFile = async (file: string | undefined): Promise<Brand | undefined> => {
  if (file === undefined) return undefined
  const parsed = brandSettings().safeParse(await readJsonFile('TOOLYARD_BRAND', file))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw settingFailure(
      'TOOLYARD_BRAND',
      `names ${file}, where ${issue?.path.join('.') || 'it'} is not usable: ${issue?.message}. It holds { "name", "logo", "colour" }, all of them optional.`,
    )
  }
  const { name, colour, logo } = parsed.data
  return { name, colour, ...(logo === undefined ? {} : { logo: await readLogo(logo, dirname(file)) }) }
}

/** Limits of the tenants whose policy sets none. */
export const readLimitsFile = async (file: string | undefined): Promise<TenantLimits> => {
  if (file === undefined) return {}
  const parsed = tenantLimits().safeParse(await readJsonFile('TOOLYARD_LIMITS', file))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const limitNames = Object.keys(tenantLimits().shape).join(', ')
  throw settingFailure(
    'TOOLYARD_LIMITS',
    `names ${file}, where ${issue?.path.join('.') || 'it'} is not usable: ${issue?.message}. It holds whole numbers by name: ${limitNames}.`,
  )
}

/**
 * The operator's wire overrides: `{ "<integration>": { … } }`. Its contents are checked when they are merged into the
 * profile. `from`: the setting or option that names the file, for messages.
 */
export const readWireFile = async (
  file: string | undefined,
  from: 'TOOLYARD_WIRE' | '--wire' = 'TOOLYARD_WIRE',
): Promise<Record<string, Record<string, unknown>>> => {
  if (file === undefined) return {}
  const parsed = await readJsonFile(from, file)
  if (!isObject(parsed) || !Object.values(parsed).every(isObject)) {
    throw settingFailure(
      from,
      `names ${file}, which must hold one object by integration id, like { "<integration>": { "baseUrl": "https://…" } }.`,
    )
  }
  return parsed as Record<string, Record<string, unknown>>
}

/** The operator's translations of the manifests: the files of a folder, by the language each is named after. */
export const readLocales = async (folder: string | undefined): Promise<Record<string, LocaleFile>> => {
  if (folder === undefined) return {}
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw settingFailure('TOOLYARD_LOCALES', `names ${folder}, which cannot be read (${error.code}).`)
  })
  const files = names
    .filter((name) => name.endsWith('.json'))
    .map(async (name) => {
      const file = join(folder, name)
      const locale = name.slice(0, -'.json'.length)
      if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(locale))
        throw settingFailure(
          'TOOLYARD_LOCALES',
          `has ${file}, whose name is not a language tag. Name it like de.json or pt-BR.json.`,
        )
      const texts = await readJsonFile('TOOLYARD_LOCALES', file)
      if (!isObject(texts))
        throw settingFailure(
          'TOOLYARD_LOCALES',
          `has ${file}, which must hold one object of texts by key, as manifests/locales/en.json does.`,
        )
      return [locale, texts] as const
    })
  return Object.fromEntries(await Promise.all(files))
}
