import { linkedinCompanyUrl, linkedinPersonUrl, normaliseDomain, normaliseEmail, textOf } from '#kit'
import type { Normalised, Row } from '#kit'

type Kind = 'person' | 'company'

const ignoredDomains = ['trello.com', 'linkedin.com']
const isAddress = (text: string) => /^(?:https?:\/\/|www\.)/i.test(text)

/** The words of a text, without the brackets, quotes and full stops that people write around an address. */
const wordsOf = (text: string): string[] =>
  text.split(/[\s()[\]<>{}"'`|,;]+/).map((word) => {
    let end = word.length
    while ('.:!?*_'.includes(word[end - 1] ?? ' ')) end -= 1
    return word.slice(0, end)
  })

const firstOf = (words: readonly string[], read: (word: string) => Normalised): string | undefined => {
  for (const word of words) {
    const result = read(word)
    if (result.ok) return result.value
  }
  return undefined
}

const readers = {
  email: (words: readonly string[]) =>
    firstOf(
      words.filter((word) => word.includes('@')),
      normaliseEmail,
    ),
  person: (words: readonly string[]) => firstOf(words.filter(isAddress), linkedinPersonUrl),
  company: (words: readonly string[]) => firstOf(words.filter(isAddress), linkedinCompanyUrl),
  domain: (words: readonly string[]) =>
    firstOf(words.filter(isAddress), (word) => {
      const domain = normaliseDomain(word)
      return domain.ok && ignoredDomains.includes(domain.value)
        ? { ok: false, reason: 'Not a page of the company.' }
        : domain
    }),
}

const rowOf = (card: Row, kind: Kind): Record<string, string> | undefined => {
  const title = textOf(card, 'name').trim()
  const words = wordsOf(`${title}\n${textOf(card, 'desc')}`)
  const values: Record<string, string | undefined> =
    kind === 'person'
      ? { fullName: title, email: readers.email(words), linkedinUrl: readers.person(words) }
      : { name: title, domain: readers.domain(words), linkedin: readers.company(words) }
  const isKnown = kind === 'company' ? title !== '' : (values.email ?? values.linkedinUrl) !== undefined
  if (!isKnown) return undefined
  const row = { ...values, card: textOf(card, 'url') }
  return Object.fromEntries(Object.entries(row).filter((entry): entry is [string, string] => !!entry[1]))
}

/**
 * The people or companies on cards. As a company, a card is named by its title; the first web address in its title or
 * description is the company's, the first company page on LinkedIn its profile. A person is identified by the first
 * e-mail address or LinkedIn profile; cards with neither are left out.
 */
export const cardRows = (output: unknown, kind: Kind): Record<string, string>[] =>
  (output as { cards: Row[] }).cards.map((card) => rowOf(card, kind)).filter((row) => row !== undefined)
