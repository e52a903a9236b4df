/**
 * Texts in the form that n8n's linter requires: title case, "ID" and "URL" in capitals, one sentence without a full
 * stop, "Whether …" for switches.
 */

/** Words that the linter requires in lower case. */
const small = new Set([
  'a',
  'an',
  'and',
  'as',
  'at',
  'but',
  'by',
  'for',
  'if',
  'in',
  'nor',
  'of',
  'on',
  'or',
  'per',
  'so',
  'the',
  'to',
  'up',
  'via',
  'with',
])

const inCapitals = (text: string) =>
  text
    .replace(/\b[Ii]d\b/g, 'ID')
    .replace(/\b[Ii]ds\b/g, 'IDs')
    .replace(/\b[Uu]rl(s?)\b/g, 'URL$1')
    .replace(/\b[Jj]son\b/g, 'JSON')

/** With each part of a compound in capitals, as the linter of n8n wants it: Sub-Industry. */
const capital = (word: string) => word.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())

export const titleCase = (text: string): string => {
  const words = text
    .replace(/\bE-mail/g, 'Email')
    .replace(/\be-mail/g, 'email')
    .split(' ')
  return inCapitals(
    words
      .map((word, index) => (index > 0 && small.has(word.toLowerCase()) ? word.toLowerCase() : capital(word)))
      .join(' '),
  )
}

/** The title for an identifier such as "dateLastActivity" or "due_date". */
export const titleOfWord = (word: string): string =>
  titleCase(word.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' '))

/**
 * The text for what an operation does: the first word is capitalised, the others are not, except for words in capitals,
 * which may not come first.
 */
export const sentenceCase = (text: string): string => {
  const words = (/^[A-Z]{2}/.test(text) ? `Make ${text}` : text).split(' ')
  return inCapitals(
    words
      .map((word, index) => (/^[A-Z]{2,}/.test(word) ? word : index === 0 ? capital(word) : word.toLowerCase()))
      .join(' '),
  )
}

/** For example, "Boards and lists" becomes "Board and List". */
export const singular = (text: string): string =>
  titleCase(text.replace(/\w+/g, (word) => word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')))

export const camelCase = (text: string): string => pascalCase(text).replace(/^./, (letter) => letter.toLowerCase())
export const pascalCase = (text: string): string =>
  text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const isOneSentence = (text: string) => !/[.!?](\s)/.test(text.replace(/"[^"]*"/g, ''))

/** A single sentence ends without a full stop; several sentences end with one. */
export const description = (text: string): string => {
  const clean = inCapitals(text.trim()).replace(/\s+/g, ' ')
  const bare = clean.replace(/\.$/, '')
  return isOneSentence(bare) ? bare : `${bare}.`
}

/** Whether a text says no more than the title: "The card" of the field "Card". The linter refuses such a description. */
export const repeatsTitle = (title: string, text: string): boolean =>
  text.replace(/^(?:the|an?)\s+/i, '').toLowerCase() === title.toLowerCase()

/** The description of a switch. */
export const whether = (title: string, text: string): string =>
  description(
    /^Whether\b/.test(text)
      ? text
      : `Whether ${title.charAt(0).toLowerCase()}${title.slice(1)} is on${text === '' ? '' : `. ${text}`}`,
  )
