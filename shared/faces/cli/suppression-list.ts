import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { emailKey, fail, linkedinPersonSlug, normalisePhone } from '#kit'
import type { Input } from './operations.ts'

type Entry = Input<'privacy.addSuppressions'>['entries'][number]

const atOnce = 500

/** The identifier in a cell of a list; undefined for anything else. */
const readCell = (cell: string): Entry | undefined => {
  const text = cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
  if (/^[0-9a-f]{64}$/i.test(text)) return { emailSha256: text }
  if (text.includes('@')) return emailKey(text).ok ? { email: text } : undefined
  if (/linkedin\.com\//i.test(text)) return linkedinPersonSlug(text).ok ? { linkedin: text } : undefined
  return normalisePhone(text).ok ? { phone: text } : undefined
}

export type ListPart = {
  entries: Entry[]
  /** Lines read so far. `unread`: numbers of those without an identifier. */ lines: number
  unread: number[]
}

/**
 * Reads the identifiers in a file, some at a time: one per line, or the cells of a CSV file. Cells count if they are an
 * e-mail address or its SHA-256, a LinkedIn profile, or a phone number with its country.
 * @throws Failure `invalid_input` when the file cannot be read
 */
export const readSuppressionFile = async function* (path: string): AsyncGenerator<ListPart> {
  const stream = createReadStream(path, 'utf8')
  const missing = new Promise<never>((_, reject) =>
    stream.once('error', (cause) =>
      reject(fail('invalid_input', `The list ${path} cannot be read. Check its path.`, { cause })),
    ),
  )
  missing.catch(() => {})
  await Promise.race([missing, new Promise<void>((resolve) => stream.once('open', () => resolve()))])
  let part: ListPart = { entries: [], lines: 0, unread: [] }
  for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
    part.lines += 1
    if (line.trim() === '') continue
    const entries = line
      .replace(/^\uFEFF/, '')
      .split(/[,;\t]/)
      .flatMap((cell) => readCell(cell) ?? [])
    if (entries.length === 0) part.unread.push(part.lines)
    for (const entry of entries) {
      if (part.entries.push(entry) < atOnce) continue
      yield part
      part = { entries: [], lines: part.lines, unread: [] }
    }
  }
  yield part
}
