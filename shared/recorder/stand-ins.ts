import { peopleIn } from './people.ts'
import type { Person } from './people.ts'

/** First and last names of people who do not exist. */
const fictional = [
  ['Odette', 'Vane'],
  ['Tomas', 'Rill'],
  ['Ines', 'Calder'],
  ['Jonas', 'Pike'],
  ['Mira', 'Thorne'],
  ['Emeka', 'Stroud'],
  ['Lucie', 'Marsh'],
  ['Anders', 'Quill'],
  ['Priya', 'Fenn'],
  ['Mateo', 'Hale'],
  ['Sunniva', 'Crane'],
  ['Kofi', 'Larch'],
  ['Hana', 'Brook'],
  ['Rafael', 'Dunn'],
  ['Zofia', 'Wren'],
  ['Callum', 'Ash'],
] as const

/** The fictional person with a number from 0: after all names were used, the last name gets a number. */
const standIn = (number: number) => {
  const [firstName, family] = fictional[number % fictional.length]!
  const round = Math.floor(number / fictional.length)
  const lastName = round === 0 ? family : `${family} ${round + 1}`
  const username = `${firstName}${lastName}`.toLowerCase().replaceAll(' ', '')
  return {
    name: `${firstName} ${lastName}`,
    firstName,
    lastName,
    username,
    email: `${username}@example.com`,
    // Numbers that no telephone company gives to anybody.
    phone: `+1 202-555-01${String(number % 100).padStart(2, '0')}`,
    picture: `https://example.com/people/${username}.png`,
  }
}

/** Texts that say who somebody is, so that two mentions with the same one are of the same person. */
const tokensOf = ({ id, name, username, email }: Person): string[] => [
  ...(email === undefined ? [] : [`email ${email.toLowerCase()}`]),
  ...(username === undefined ? [] : [`username ${username.toLowerCase()}`]),
  // A short number may be that of a person and of something else.
  ...(id === undefined || id.length < 4 ? [] : [`id ${id}`]),
  ...(name === undefined ? [] : [`name ${name.toLowerCase()}`]),
]

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

export type StandIns = {
  /** Gives everybody whom the value names a stand-in. The same person keeps theirs as long as the recorder lives. */
  learn(value: unknown): void
  /** Puts stand-ins in place of the names, user names, addresses, telephone numbers and pictures in a text. */
  replace(text: string): string
}

/** Fictional people in place of real ones. Ids of accounts stay, as paths and matches need them. */
export const createStandIns = (): StandIns => {
  const numbers = new Map<string, number>()
  const replacements = new Map<string, string>()
  /** Texts too short to be replaced inside others: "An" is a name, and a word. */
  const short = new Map<string, string>()
  let people = 0
  let pattern: RegExp | undefined

  const note = (text: string | undefined, replacement: string, shortest: number) => {
    if (text === undefined) return
    if (text.length < shortest) {
      if (!short.has(text)) short.set(text, replacement)
      return
    }
    // In paths and queries it is encoded.
    const forms = new Map([
      [text, replacement],
      [encodeURIComponent(text), encodeURIComponent(replacement)],
    ])
    for (const [form, stands] of forms)
      if (!replacements.has(form.toLowerCase())) replacements.set(form.toLowerCase(), stands)
    pattern = undefined
  }

  const noteNames = (person: Person, fictional: ReturnType<typeof standIn>) => {
    const words = person.name?.trim().split(/\s+/) ?? []
    note(person.email, fictional.email, 3)
    note(person.name, words.length > 1 ? fictional.name : fictional.firstName, 3)
    note(person.username, fictional.username, 3)
    note(person.phone, fictional.phone, 6)
    note(person.picture, person.picture?.includes(':') ? fictional.picture : '0'.repeat(person.picture?.length ?? 0), 6)
    note(person.firstName ?? (words.length > 1 ? words[0] : undefined), fictional.firstName, 3)
    note(person.lastName ?? (words.length > 1 ? words.at(-1) : undefined), fictional.lastName, 3)
  }

  const patternOf = () => {
    const longestFirst = [...replacements.keys()].toSorted((a, b) => b.length - a.length)
    return new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  }

  return {
    learn(value) {
      for (const person of peopleIn(value)) {
        const tokens = tokensOf(person)
        const token = tokens.find((text) => numbers.has(text))
        const number = token === undefined ? people++ : numbers.get(token)!
        for (const text of tokens) if (!numbers.has(text)) numbers.set(text, number)
        noteNames(person, standIn(number))
      }
    },
    replace(text) {
      const whole = short.get(text)
      if (whole !== undefined || replacements.size === 0) return whole ?? text
      pattern ??= patternOf()
      return text.replaceAll(pattern, (match) => {
        const replacement = replacements.get(match.toLowerCase())!
        // A handler may have written a text in lower case, and would write its stand-in so.
        return match === match.toLowerCase() ? replacement.toLowerCase() : replacement
      })
    },
  }
}

/** Keeps everybody as they are: for a provider whose people are fictional already. */
export const keepPeople: StandIns = { learn: () => {}, replace: (text) => text }
