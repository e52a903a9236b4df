import type { Method, Vocabulary } from '#kit'

/**
 * Plain words as people and agents write them, shared by everything that is searched by them. They hold no word of a
 * single provider.
 */

export const asWords = (text: string): string[] =>
  text
    .replaceAll(/['’]s\b/g, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !/^\d+$/.test(word))

/**
 * Cuts off the endings of English words, as far as a search needs it: all forms of a word give the same stem, which
 * need not be a word.
 */
export const stem = (word: string): string => {
  let cut = word
  if (cut.endsWith('ies') && cut.length > 4) cut = `${cut.slice(0, -3)}y`
  else if (/(ss|x|ch|sh)es$/.test(cut)) cut = cut.slice(0, -2)
  else if (/[^sui]s$/.test(cut) && cut.length > 3) cut = cut.slice(0, -1)
  if (cut.endsWith('ing') && cut.length > 5) cut = cut.slice(0, -3)
  else if (cut.endsWith('ed') && cut.length > 4) cut = cut.slice(0, -2)
  if (/([bdgmnprt])\1$/.test(cut) && cut.length > 4) cut = cut.slice(0, -1)
  return cut.length > 3 && cut.endsWith('e') ? cut.slice(0, -1) : cut
}
export const stemsOf = (text: string) => asWords(text).map(stem)
const asStems = (words: string) => words.split(' ').map(stem)

export const idle = new Set(
  asStems(
    'a an the i me my we us our you your he she it its they them their this that these those someone somebody something everything anything any some one ' +
      'is are was were be been being am do does did done have has had can could should would will may might must want wants need needs like please ' +
      'how what which who whom whose where when why there here of in on at to for from by with without into onto out off up down about as than then so if or and ' +
      'not no id ids api call endpoint endpoints way work works let lets tell only just also still currently already right now certain given particular specific ' +
      'own belong via through between within under over more most much many each every other another such same whether',
  ),
)

/** HTTP methods that a verb suggests, the best first. */
const verbs: [words: string, methods: Method[]][] = [
  [
    'get show list find fetch read see view retrieve look know count search browse lookup check display inspect',
    ['GET'],
  ],
  ['create make new insert post upload generate start build open register save write', ['POST', 'PUT', 'PATCH']],
  ['add give grant attach invite assign enable put apply vote star react reply comment', ['POST', 'PUT', 'PATCH']],
  ['update change edit modify rename set adjust replace alter switch toggle turn', ['PUT', 'PATCH', 'POST']],
  [
    'move mark archive unarchive close reopen restore complete tick promote demote deactivate reactivate transfer reorder reposition decline',
    ['PUT', 'PATCH', 'POST'],
  ],
  [
    'delete remove erase destroy drop revoke unassign detach disable kick unstar strip clear take',
    ['DELETE', 'PUT', 'PATCH'],
  ],
]
/**
 * Words after which a verb is meant as one. Elsewhere, as in "which list", the same word is the subject of the
 * question.
 */
export const beforeVerbs = new Set('to i we you me us can could should please do and lets let then'.split(' '))
/** A question that begins with one of these asks to read something. */
export const asking = new Set('which who whose whom what where when'.split(' '))
export const methodsByVerb = new Map(
  verbs.flatMap(([words, methods]) => asStems(words).map((word): [string, Method[]] => [word, methods])),
)

/** Synonyms that hold for any provider. */
const alike = [
  'get show list find fetch read see view retrieve look',
  'create add make new insert',
  'delete remove erase destroy',
  'update change edit modify rename set',
  'search find lookup',
  'person people member user',
  'company firm business employer',
  'email mail',
  'picture image photo',
  'several many multiple bulk batch',
]
export const generalWords: Vocabulary = Object.fromEntries(
  alike.flatMap((row) =>
    row.split(' ').map((word): [string, string[]] => [word, row.split(' ').filter((other) => other !== word)]),
  ),
)

/** Phrases with their meanings as stems, longest first, so that "check list item" is found before "check list". */
export const phrasesOf = (vocabulary: Vocabulary): [phrase: string[], meanings: string[][]][] =>
  Object.entries(vocabulary)
    .map(([phrase, meanings]): [string[], string[][]] => [stemsOf(phrase), meanings.map(stemsOf)])
    .toSorted(([phrase], [other]) => other.length - phrase.length)
