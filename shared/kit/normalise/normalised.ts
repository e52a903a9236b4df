import { oneLine } from '../visible-text.ts'

/**
 * The result of a normaliser. A normaliser never throws, whatever its input, and normalising a value it returned gives
 * the same value. `reason` is a sentence that names what is wrong and the remedy, fit for an `invalid_input` message.
 */
export type Normalised<T = string> = { ok: true; value: T } | { ok: false; reason: string }

export const accept = <T>(value: T): Normalised<T> => ({ ok: true, value })
export const refuse = (reason: string): { ok: false; reason: string } => ({ ok: false, reason })

/** Quotes at most 60 characters: reasons end up in logs and tables, which a hostile input must not fill. */
export const quote = (text: string): string => `"${text.length > 60 ? `${text.slice(0, 57)}...` : text}"`

/** Invisible characters and line breaks make two different identifiers look alike; lone surrogates have no UTF-8. */
const isPlain = (text: string) => oneLine(text) === text

/** The trimmed text of an input, or why there is none. `what` starts the sentence, e.g. "The e-mail address". */
export const readText = (input: unknown, what: string, remedy: string): Normalised => {
  if (typeof input !== 'string') return refuse(`${what} has to be text. ${remedy}`)
  const text = input.trim()
  if (text === '') return refuse(`${what} is empty. ${remedy}`)
  if (text.length > 2048) return refuse(`${what} is longer than 2048 characters. ${remedy}`)
  if (!isPlain(text)) return refuse(`${what} holds invisible characters. Type it again instead of pasting it.`)
  return accept(text)
}

/** `new URL` without the exception. */
export const readUrl = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Whether the text names its scheme, as in `https://host`; `host:443/path` does not. */
export const hasScheme = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
