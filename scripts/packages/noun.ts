const ending = (word: string) =>
  word === 'People'
    ? 'Person'
    : word
        .replace(/ies$/, 'y')
        .replace(/sses$/, 'ss')
        .replace(/([^s])s$/, '$1')

const article = /^(?:an?|the|all)$/i
const preposition = /^(?:at|from|in|of|on|to)$/i
/** The participle with which a trigger's title says what happened: "Card Moved". */
const participle = /ed$/

/** Titles of steps that begin with no verb. */
const isName = (last: string) => ['Call', 'Usage'].includes(last)
const isTask = (last: string) => ['Enrichment', 'Search'].includes(last)

const objectOf = (words: string[]): string[] => {
  const last = words.at(-1)!
  if (isName(last)) return words
  if (isTask(last)) return words.slice(0, -1)
  // "Search and Enrich Contacts" has two verbs.
  return words.slice(words[1] === 'and' ? 3 : 1)
}

const subjectOf = (words: string[]): string[] => {
  const named = words[0] === 'New' ? words.slice(1) : words
  const end = named.findIndex((word) => participle.test(word))
  return end === -1 ? named : end === 0 ? named.slice(1) : named.slice(0, end)
}

/**
 * The thing that a step or trigger is about, in the singular, from its title: "Card" of "Create Card", "Card Moved" and
 * "Archive All Cards". "Result" where the title names none.
 */
export const nounOf = (title: string, kind: 'step' | 'trigger'): string => {
  const words = title.split(' ').filter((word) => !article.test(word))
  const thing = kind === 'step' ? objectOf(words) : subjectOf(words)
  const begin = preposition.test(thing[0] ?? '') ? thing.slice(1) : thing
  const end = begin.findIndex((word) => preposition.test(word))
  const own = end === -1 ? begin : begin.slice(0, end)
  return own.length === 0 ? 'Result' : [...own.slice(0, -1), ending(own.at(-1)!)].join(' ')
}
