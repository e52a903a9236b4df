import { shippedAliases } from '../../pack.ts'
import type { AgentStart } from '../../runtime/triggers/index.ts'
import { plain } from './table.ts'

type Fields = Record<string, unknown>

const subjects = ['subject', ...shippedAliases.subject]
const containers = ['container', ...shippedAliases.container]

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
/** The first of the named fields that is present. */
const pick = (from: Fields, names: string[]): unknown =>
  names.map((name) => from[name]).find((value) => value !== undefined)

const nameOf = (thing: unknown): string | undefined => {
  const { name, username, id } = fieldsOf(thing)
  return [name, username, id].find((text) => typeof text === 'string')
}

const isNamed = (thing: unknown) => {
  const { id, name } = fieldsOf(thing)
  return typeof id === 'string' && typeof name === 'string'
}

/**
 * The name of a place: of the thing itself, or of the first of several nested things, where the container is the least
 * informative.
 */
const placeOf = (place: Fields): string =>
  nameOf(place) ??
  Object.entries(place)
    .filter(([field]) => !containers.includes(field))
    .map(([, thing]) => nameOf(thing))
    .find((name) => name !== undefined) ??
  nameOf(pick(place, containers)) ??
  '?'

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

const notesOf = ({ test, late, via, start }: AgentStart['data']) => [
  ...(test ? ['test'] : []),
  ...(late ? ['late'] : []),
  via,
  `start ${start.slice(0, 12)}…`,
]

/**
 * One line about an event: its sentence. Without one its subject or container, other things it names, from where to where, and by whom. The
 * event's JSON has the rest.
 */
export const formatStart = ({ timestamp, data }: AgentStart, title: string): string => {
  const time = timestamp.slice(11, 19)
  // A server of an earlier version sends none.
  if (data.summary) return plain(`${time} ${data.summary}  (${[title, ...notesOf(data)].join(', ')})`)
  const { by, from, to, text, changed, ...event } = fieldsOf(data.event)
  const mainFields = [...subjects, ...containers]
  const main = mainFields.find((field) => event[field] !== undefined)
  const fields = Object.keys(event)
  // Fields before the subject only say where it is.
  const otherFields = fields
    .slice(main === undefined ? 0 : fields.indexOf(main) + 1)
    .filter((field) => !mainFields.includes(field) && isNamed(event[field]))
  const things = (main === undefined ? otherFields : [main, ...otherFields]).flatMap(
    (field) => nameOf(event[field]) ?? [],
  )
  const parts = [
    ...things.map((name) => `"${name}"`),
    ...(from && to ? [`${placeOf(fieldsOf(from))} → ${placeOf(fieldsOf(to))}`] : []),
    ...(Array.isArray(changed) ? [changed.join(', ')] : []),
    ...(typeof text === 'string' ? [shorten(text)] : []),
    ...(by ? [`by ${nameOf(by)}`] : []),
  ]
  return plain(`${time} ${title}: ${parts.join(', ')}  (${notesOf(data).join(', ')})`)
}
