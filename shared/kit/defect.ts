/** What a line of the log says about something thrown that is none of our failures. */
export type Defect = { error: string; message: string; stack: string }

const maxMessage = 500
const maxStack = 4_000

/** What is written like a credential, wherever it came from. */
const credentials: [RegExp, string][] = [
  [/\b(bearer|basic)\s+[^\s"',;]+/gi, '$1 ***'],
  [
    /((?:key|token|secret|password|authorization|cookie|signature|code|state)["']?\s*(?:[=:]|\bis\b)\s*["']?)[^\s&"',;)}]{4,}/gi,
    '$1***',
  ],
  // Long runs of letters and digits together: keys, tokens and ids, which are not needed to find a defect.
  [/(?<![\w/-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}(?![\w./-])/g, '***'],
]

/** What names a person, in texts of others. */
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

/** More than what names one person: so that nothing is cut in the middle of it. */
const spare = 400
/** At most so many characters of a text, in which no e-mail address, profile or phone number is left. */
export const withoutPersons = (text: string, most: number): string => {
  let clean = text.slice(0, most + spare)
  for (const [pattern, by] of personal) clean = clean.replace(pattern, by)
  return clean.slice(0, most)
}

/**
 * Name, message and stack of a defect, for the operator's log and nowhere else: whoever called learns that something
 * went wrong and a number. `secrets` are taken out, and so is what is written like one, or names a person.
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
