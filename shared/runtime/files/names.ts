import { failField, visible } from '#kit'

const maxNameBytes = 200
const partsOfPath = /[/\\]/
/** Control and format characters, which hide or reverse parts of a name, and invalid ones. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u

const problemOf = (name: string): string | undefined => {
  if (name.trim() === '') return 'is empty'
  if (partsOfPath.test(name)) return 'holds "/" or "\\", so it is a path'
  if (/^\.+$/.test(name)) return 'consists of dots'
  if (unseen.test(name)) return 'holds a control character or another character that cannot be seen'
  if (Buffer.byteLength(name) > maxNameBytes) return `is longer than ${maxNameBytes} bytes`
  return undefined
}

/** Validates a file name from a caller. @throws Failure `invalid_input` for one that is not a plain name */
export const checkName = (name: string, field: string): string => {
  const problem = problemOf(name)
  if (problem === undefined) return name
  throw failField(
    field,
    `The file name "${visible(name).slice(0, 60)}" ${problem}. Give a plain name like "report.pdf".`,
  )
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Turns a name from a provider or a URL into a plain name; `fallback` when nothing of it remains. */
export const plainName = (givenName: string | undefined, fallback = 'file'): string => {
  const last = decoded(givenName ?? '')
    .split(partsOfPath)
    .at(-1)!
    .replace(new RegExp(unseen, 'gu'), '')
    .trim()
  // Each character takes at least one byte.
  let name = last.slice(-maxNameBytes)
  while (Buffer.byteLength(name) > maxNameBytes) name = name.slice(1)
  return problemOf(name) === undefined ? name : fallback
}

/** The file name in a `Content-Disposition` header (RFC 6266). */
export const dispositionName = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  const extended = /(?:^|;)\s*filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(header)?.[1]
  if (extended !== undefined) return decoded(extended)
  const [, quoted, token] = /(?:^|;)\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? token
}
