/** What the log records of something thrown that is not a `Failure`. */
export type Defect = { error: string; message: string; stack: string }

const maxMessage = 500
const maxStack = 4_000

/** Text that looks like a credential, whatever its source. */
const credentials: [RegExp, string][] = [
  [/\b(bearer|basic)\s+[^\s"',;]+/gi, '$1 ***'],
  [
    /((?:key|token|secret|password|authorization|cookie|signature|code|state)["']?\s*(?:[=:]|\bis\b)\s*["']?)[^\s&"',;)}]{4,}/gi,
    '$1***',
  ],
  // Long runs of letters and digits together: keys, tokens and ids, which are not needed to find a defect.
  [/(?<![\w/-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}(?![\w./-])/g, '***'],
]

/** Text that identifies a person, for messages written by others. */
const personal: [RegExp, string][] = [
  [/[^\s<>()[\]",;:|\\'`=@]{1,64}@[^\s<>()[\]",;:|\\'`/?&#@]{1,200}\.[A-Za-z]{2,24}/g, '***@***'],
  [/(linkedin\.com\/(?:in|pub)\/)[^\s<>"',:;|\\)]{1,200}/gi, '$1***'],
  [/\+\d[\d\s().-]{6,20}\d/g, '+***'],
]

const scrub = (text: string, secrets: readonly string[]): string => {
  let clean = text
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '***')
  for (const [pattern, by] of credentials) clean = clean.replace(pattern, by)
  return clean
}

/** Every match of these patterns contains one of these. Most texts contain none, and skip the patterns. */
const maybePersonal = /[@+]|linkedin\.com/i

/** More characters than any of these patterns matches for one person, so that the cut before masking splits none. */
const spare = 400
/** The first `most` characters of a text, with e-mail addresses, profile addresses and phone numbers masked. */
export const withoutPersons = (text: string, most: number): string => {
  let clean = text.slice(0, most + spare)
  if (!maybePersonal.test(clean)) return clean.slice(0, most)
  for (const [pattern, by] of personal) clean = clean.replace(pattern, by)
  return clean.slice(0, most)
}

/**
 * Name, message and stack of a defect, for the operator's log only: the caller learns no more than that something went
 * wrong. Masks `secrets`, text that looks like a credential, and text that identifies a person.
 */
export const describeDefect = (thrown: unknown, secrets: readonly string[] = []): Defect => {
  const { name, message, stack = '' } = thrown instanceof Error ? thrown : new Error(String(thrown))
  // The stack begins with the message, which may have many lines.
  const frames = stack.slice(Math.max(0, stack.search(/^[ \t]+at /m)))
  return {
    error: name,
    message: withoutPersons(scrub(message, secrets), maxMessage),
    stack: withoutPersons(scrub(frames, secrets), maxStack),
  }
}
