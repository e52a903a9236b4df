import { failField } from '#kit'
import { mapTexts } from './manifest-texts.ts'
import type { Say } from './manifest-texts.ts'
import type { Manifest } from './manifest.ts'

/**
 * A translation file in the format of an Application Resource Bundle: key → text, `@key` → attributes of that text,
 * `@@locale` → language tag.
 */
export type LocaleFile = Record<string, unknown>
/** Translation files by locale; `read` returns the platform's own files before those of the pack. */
export type LocaleFiles = { names(): Promise<string[]>; read(locale: string): Promise<LocaleFile[]> }

export const english = 'en'

const textAt = (file: LocaleFile, key: string) => {
  const text = file[key]
  return typeof text === 'string' && text !== '' ? text : undefined
}
/** The English text that a translation was made from, if the file records it. */
const sourceAt = (file: LocaleFile, key: string) => {
  const about = file[`@${key}`]
  const source =
    typeof about === 'object' && about !== null ? (about as Record<string, unknown>).source_text : undefined
  return typeof source === 'string' ? source : undefined
}

/** `de-AT-1996` → itself, `de-AT`, `de`. */
const fallbacks = (locale: string) => {
  const parts = locale.split('-')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
}

/** Tags of an Accept-Language header, most preferred first. Invalid tags and those with q=0 are left out. */
const readAcceptLanguage = (header: string): string[] =>
  header
    .slice(0, 1_000)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((word) => word.trim())
      const quality = parameters
        .map((parameter) => /^q=([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1])
        .find((qualityText) => qualityText !== undefined)
      return { tag, quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ tag, quality }) => quality > 0 && /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i.test(tag))
    .toSorted((language, other) => other.quality - language.quality)
    .map(({ tag }) => tag)

/** @throws Failure `invalid_input` for a `locale` that is no language tag */
export const canonicalLocale = (locale: string): string => {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? english
  } catch {
    throw failField(
      'locale',
      `locale: "${locale.slice(0, 60)}" is not a language tag. Give one such as "de" or "pt-BR".`,
    )
  }
}

/** The requested language: a tag, which takes precedence, or an Accept-Language header. */
export type WantedLocale = { locale?: string | undefined; acceptLanguage?: string | undefined }

/**
 * The best of the available languages; English when none fits.
 * @throws Failure `invalid_input` for a `locale` that is no language tag
 */
export const chooseLocale = <L extends string>(
  { locale, acceptLanguage = '' }: WantedLocale,
  available: readonly L[],
): L | typeof english => {
  const preferredTags = locale === undefined ? readAcceptLanguage(acceptLanguage) : [canonicalLocale(locale)]
  const names: readonly (L | typeof english)[] = [english, ...available]
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name] as const))
  for (const tag of preferredTags) {
    const localeName = fallbacks(tag.toLowerCase()).find((name) => byLowerCase.has(name))
    if (localeName !== undefined) return byLowerCase.get(localeName)!
  }
  return english
}

export type Locales = {
  /**
   * The best available language; English when none fits.
   * @throws Failure `invalid_input` for a `locale` that is no language tag
   */
  choose(preference: WantedLocale): Promise<string>
  /** Looks single texts up, as `translate` does. */
  sayIn(locale: string): Promise<Say>
  /** The manifest in a language that `choose` returned; texts without a translation stay English. */
  translate(manifest: Manifest, locale: string): Promise<Manifest>
}

export const createLocales = (files: LocaleFiles): Locales => {
  const sayIn: Locales['sayIn'] = async (locale) => {
    if (locale === english) return (_key, text) => text
    const [own, sources] = await Promise.all([
      Promise.all(fallbacks(locale).map((name) => files.read(name))),
      files.read(english),
    ])
    const chain = own.flat()
    const first = new Map<string, string>()
    return (key, text) => {
      if (!first.has(key)) first.set(key, text)
      const file = chain.find((candidate) => textAt(candidate, key) !== undefined)
      if (!file) return text
      // A translation is used only if its English source is unchanged: a profile or a newer version may have another
      // text under the same key.
      const source =
        sourceAt(file, key) ??
        sources.map((candidate) => textAt(candidate, key)).find((sourceText) => sourceText !== undefined) ??
        first.get(key)
      return source === text ? textAt(file, key)! : text
    }
  }
  return {
    async choose(preference) {
      // Most requests name no language: then the folder is not read.
      const isLanguageNamed = preference.locale !== undefined || (preference.acceptLanguage ?? '') !== ''
      return chooseLocale(preference, isLanguageNamed ? await files.names() : [])
    },
    sayIn,
    async translate(manifest, locale) {
      return locale === english ? manifest : mapTexts(manifest, await sayIn(locale))
    },
  }
}

/**
 * Problems of a translation file, as lists of keys: `unknown` to every manifest; `stale`: the English text has changed
 * since; `missing`: not translated.
 */
export const localeProblems = (
  file: LocaleFile,
  source: LocaleFile,
): { unknown: string[]; stale: string[]; missing: string[] } => {
  const keys = Object.keys(file).filter((key) => !key.startsWith('@'))
  const sourceKeys = Object.keys(source).filter((key) => !key.startsWith('@'))
  return {
    unknown: keys.filter((key) => textAt(source, key) === undefined),
    stale: keys.filter(
      (key) =>
        textAt(source, key) !== undefined && (sourceAt(file, key) ?? textAt(source, key)) !== textAt(source, key),
    ),
    missing: sourceKeys.filter((key) => textAt(file, key) === undefined),
  }
}

/** Every text of a manifest by key. */
export const textsOf = (manifest: Manifest): Map<string, string> => {
  const texts = new Map<string, string>()
  mapTexts(manifest, (key, text) => {
    if (!texts.has(key)) texts.set(key, text)
    return text
  })
  return texts
}
