import { jsonInText } from './texts.ts'

/** What a provider says of one person. `id` tells apart people of the same name. */
export type Person = {
  id?: string | undefined
  name?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  username?: string | undefined
  email?: string | undefined
  phone?: string | undefined
  picture?: string | undefined
}

/** The last word of a field that holds a person, in the singular. */
const roles = new Set(
  'user author sender owner member creator assignee actor contact person reporter requester customer employee recipient reviewer commenter by'.split(
    ' ',
  ),
)
/** Fields of a person by their names without separators. */
const fieldNames: { [field in keyof Person]-?: string[] } = {
  id: ['id', 'userid', 'memberid', 'accountid'],
  name: ['fullname', 'displayname', 'realname', 'name'],
  firstName: ['firstname', 'givenname'],
  lastName: ['lastname', 'surname', 'familyname'],
  username: ['username', 'login', 'handle', 'nick', 'nickname', 'screenname'],
  email: ['email', 'emailaddress', 'mail'],
  phone: ['phone', 'mobile', 'phonenumber', 'mobilephone', 'workphone'],
  picture: ['avatar', 'avatarurl', 'avatarhash', 'photo', 'photourl', 'picture', 'gravatarid'],
}
const personFields = Object.keys(fieldNames) as (keyof Person)[]

/** A text of letters that begins like a name: "Ada Lindqvist". */
const looksLikeName = (text: string) => /^\p{Lu}[\p{L}'’.-]{1,30}( [\p{L}'’.-]{1,30}){1,4}$/u.test(text)
export const emailsIn = (text: string): string[] =>
  text.match(/[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}/g) ?? []

const namesRole = (field: string): boolean => {
  const word = field
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[\s._-]/)
    .at(-1)!
    .toLowerCase()
  return word === 'people' || roles.has(word) || (word.endsWith('s') && roles.has(word.slice(0, -1)))
}

const plain = (field: string) => field.toLowerCase().replaceAll(/[\s._-]/g, '')

const textOf = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value : typeof value === 'number' ? String(value) : undefined

/** A person, where the object has a person's fields or stands where one is expected. */
const readPerson = (value: Record<string, unknown>, isExpected: boolean): Person | undefined => {
  const byName = new Map(Object.entries(value).map(([field, inner]) => [plain(field), textOf(inner)]))
  const person: Person = {}
  for (const field of personFields) {
    const text = fieldNames[field].map((name) => byName.get(name)).find((inner) => inner !== undefined)
    if (text !== undefined) person[field] = text
  }
  const { name, firstName, lastName, username, email } = person
  const isPerson =
    isExpected ||
    (email !== undefined && emailsIn(email)[0] === email) ||
    (firstName !== undefined && lastName !== undefined) ||
    (username !== undefined && name !== undefined)
  const isNamed = [name, firstName, lastName, username, email].some((text) => text !== undefined)
  return isPerson && isNamed ? person : undefined
}

/**
 * The people that a JSON value names: objects with a name beside a user name, or with an email address, what stands in
 * a field like `author` or `members`, and every email address in a text.
 */
export const peopleIn = (value: unknown, field = ''): Person[] => {
  if (typeof value === 'string') {
    const json = jsonInText(value)
    if (json !== undefined) return peopleIn(json, field)
    if (namesRole(field) && looksLikeName(value)) return [{ name: value }]
    return emailsIn(value).map((email) => ({ email }))
  }
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => peopleIn(item, field))
  const person = readPerson(value as Record<string, unknown>, namesRole(field))
  const inside = Object.entries(value).flatMap(([name, inner]) => peopleIn(inner, name))
  return person ? [person, ...inside] : inside
}
