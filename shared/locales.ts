import { readdir, readFile } from 'node:fs/promises'
import type { LocaleFile, LocaleFiles } from './runtime/catalogue/locales.ts'

const folder = new URL('../manifests/locales/', import.meta.url)
const ending = '.json'

const isMissing = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code === 'ENOENT'

/** A translation that ships with the pack; undefined when there is none for this language. */
export const readShippedLocale = async (locale: string): Promise<LocaleFile | undefined> => {
  try {
    return JSON.parse(await readFile(new URL(`${locale}${ending}`, folder), 'utf8')) as LocaleFile
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}

const shippedNames = async (): Promise<string[]> => {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length))
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw thrown
  }
}

/** The shipped translations, each read when it is first needed, and those of the platform, which take precedence. */
export const localeFiles = (own: Record<string, LocaleFile> = {}): LocaleFiles => {
  let names: Promise<string[]> | undefined
  const shipped = new Map<string, Promise<LocaleFile | undefined>>()
  const loadNames = () => (names ??= shippedNames())
  const named = (all: string[], locale: string) => all.find((name) => name.toLowerCase() === locale.toLowerCase())
  return {
    names: async () => [...new Set([...Object.keys(own), ...(await loadNames())])],
    async read(locale) {
      const ofOwn = named(Object.keys(own), locale)
      const name = named(await loadNames(), locale)
      if (name !== undefined && !shipped.has(name)) shipped.set(name, readShippedLocale(name))
      const file = name === undefined ? undefined : await shipped.get(name)
      return [...(ofOwn === undefined ? [] : [own[ofOwn]!]), ...(file ? [file] : [])]
    },
  }
}
