import type { Json } from '#kit'
import type { SuppressionList } from '../gate/pass.ts'

/** Removes what names a suppressed person from records about something else, such as a person in a company's data. */

type JsonObject = { [name: string]: Json }
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isWhole = (value: Json | undefined) => typeof value !== 'object' || value === null

const namedIn = (privacy: SuppressionList, value: JsonObject) =>
  privacy.suppressed(Object.entries(value).map(([name, part]) => ({ [name]: part })))

/** Fields by which a person is reached name the person whom the object is about, also if they are lists. */
const identifies = /mail|phone|mobile|tel|linked|social/i

/** Whether an object is about somebody suppressed: it names that person itself, not only in a list of others. */
const isAbout = async (privacy: SuppressionList, value: JsonObject): Promise<boolean> => {
  const named = await namedIn(privacy, value)
  for (const [at, [name, part]] of Object.entries(value).entries()) {
    if (!named[at]) continue
    if (isWhole(part) || identifies.test(name) || (isObject(part) && (await isAbout(privacy, part)))) return true
  }
  return false
}

/** The value without the parts that name somebody suppressed; undefined when it is about that person as a whole. */
const partsOf = async (privacy: SuppressionList, value: Json): Promise<Json | undefined> => {
  if (Array.isArray(value)) return listOf(privacy, value)
  if (!isObject(value) || (await isAbout(privacy, value))) return undefined
  return fieldsOf(privacy, value)
}

const listOf = async (privacy: SuppressionList, items: Json[]): Promise<Json> => {
  const named = await privacy.suppressed(items)
  const left = await Promise.all(items.map(async (item, at) => (named[at] ? partsOf(privacy, item) : item)))
  return left.filter((item) => item !== undefined)
}

const fieldsOf = async (privacy: SuppressionList, value: JsonObject): Promise<JsonObject> => {
  const named = await namedIn(privacy, value)
  const left = await Promise.all(
    Object.entries(value).map(async ([name, part], at) => [name, named[at] ? await partsOf(privacy, part) : part]),
  )
  return Object.fromEntries(left.filter(([, part]) => part !== undefined)) as JsonObject
}

/**
 * Returns the record without the parts that name somebody suppressed. The record is about something else, so only single
 * fields are removed; the caller checks whether the rest still names somebody.
 */
export const withoutNamed = async (privacy: SuppressionList, record: Json): Promise<Json> =>
  isObject(record) ? fieldsOf(privacy, record) : ((await partsOf(privacy, record)) ?? null)
