import { eventAliases } from '../../pack.ts'
import type { AgentStart } from '../../runtime/triggers/index.ts'
import { plain } from './table.ts'

type Fields = Record<string, unknown>

const subjects = ['subject', ...eventAliases.subject]
const containers = ['container', ...eventAliases.container]

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
/** The first of these fields that is present. */
const pick = (from: Fields, names: string[]): unknown => names.map((name) => from[name]).find((value) => value !== undefined)

const nameOf = (thing: unknown): string | undefined => {
  const { name, username, id } = fieldsOf(thing)
  return [name, username, id].find((text) => typeof text === 'string')
}

/** Where something was or is now: a thing itself, or things in each other, of which the container says least. */
const placeOf = (place: Fields): string =>
  nameOf(place) ??
  Object.entries(place)
    .filter(([field]) => !containers.includes(field))
    .map(([, thing]) => nameOf(thing))
    .find((name) => name !== undefined) ??
  nameOf(pick(place, containers)) ??
  '?'

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

/** One line about what happened: its subject or container, other things it names, from where to where, and by whom. The rest is in its JSON. */
export const formatStart = ({ timestamp, data }: AgentStart, title: string): string => {
  const { by, from, to, text, changed, ...event } = fieldsOf(data.event)
  const named = new Set([...subjects, ...containers])
  const inPlace = new Set([from, to].flatMap((place) => Object.values(fieldsOf(place)).map((thing) => fieldsOf(thing)['id'])))
  const others = Object.entries(event)
    .filter(([field]) => !named.has(field))
    .map(([, value]) => fieldsOf(value))
    .filter(({ id, name }) => typeof id === 'string' && typeof name === 'string' && !inPlace.has(id))
  const things = [pick(event, subjects) ?? pick(event, containers), ...others].flatMap((thing) => nameOf(thing) ?? [])
  const parts = [
    ...things.map((name) => `"${name}"`),
    ...(from && to ? [`${placeOf(fieldsOf(from))} → ${placeOf(fieldsOf(to))}`] : []),
    ...(Array.isArray(changed) ? [changed.join(', ')] : []),
    ...(typeof text === 'string' ? [shorten(text)] : []),
    ...(by ? [`by ${nameOf(by)}`] : []),
  ]
  const notes = [...(data.test ? ['test'] : []), ...(data.late ? ['late'] : []), data.via, `start ${data.start.slice(0, 12)}…`]
  return plain(`${timestamp.slice(11, 19)} ${title}: ${parts.join(', ')}  (${notes.join(', ')})`)
}
