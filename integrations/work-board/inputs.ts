import { boundedText, orDefault, z } from '#kit'
import { isLongId, readRef } from './refs.ts'
import type { RefKind } from './refs.ts'

/** The board's limit for names, descriptions and comments, in characters. */
const maxText = 16384

const ref = (kind: RefKind) =>
  z.string().check((payload) => {
    const read = readRef(kind, payload.value)
    if (read.ok) payload.value = read.value
    else payload.issues.push({ code: 'custom', input: payload.value, message: read.reason })
  })

const forms = 'Id, short link or page address.'

export const cardRef = (description: string, title = 'Card') =>
  ref('card').meta({ title, description, agentDescription: `${description} ${forms}` })
export const boardRef = (description: string, title = 'Board') =>
  ref('board').meta({ title, description, agentDescription: `${description} ${forms}` })

const leftOut = 'Left out: the board of the event that started the agent, or else the default board of the connection.'

/** Schema of the board that a step works on, for `container` of the step. */
export const boardOrDefault = () =>
  orDefault(
    ref('board').meta({
      title: 'Board',
      description: `The board. ${leftOut}`,
      agentDescription: `The board: ${forms.charAt(0).toLowerCase()}${forms.slice(1, -1)}; by default the one you work on.`,
    }),
  )

/** Schema of the id of something that has no short link: list, label, member, checklist or attachment. */
const onlyId = (what: string) =>
  z.string().check((payload) => {
    const text = payload.value.trim()
    if (isLongId(text)) payload.value = text.toLowerCase()
    else
      payload.issues.push({
        code: 'custom',
        input: payload.value,
        message: `A ${what} is named by its id of 24 characters 0-9 and a-f; "${text.slice(0, 60)}" is not one.`,
      })
  })

/** `forPeople`: the description in forms, where people choose by name. */
export const idOf = (what: string, title: string, description: string, forPeople = description) =>
  onlyId(what).meta({ title, description: forPeople, agentDescription: description })
export const idsOf = (what: string, title: string, description: string, forPeople = description) =>
  z.array(onlyId(what)).max(1000).meta({ title, description: forPeople, agentDescription: description })

/** Schema of the texts of options of a custom field; a board takes at most 50. */
export const optionNames = (title: string, description: string) =>
  z
    .array(boundedText('Option', 'Text of the option.', { min: 1, max: 512 }))
    .min(1)
    .max(50)
    .meta({ title, description })

/** Schema of a person: their id, their username with or without @, or `me`. */
export const memberRef = (description: string) =>
  z
    .string()
    .check((payload) => {
      const text = payload.value.trim().replace(/^@/, '')
      if (isLongId(text) || text === 'me' || /^[a-z0-9_]{3,100}$/i.test(text)) payload.value = text.toLowerCase()
      else
        payload.issues.push({
          code: 'custom',
          input: payload.value,
          message: `"${text.slice(0, 60)}" is no person of the board. Give an id of 24 characters, a username, or me.`,
        })
    })
    .meta({
      title: 'Member',
      description,
      agentDescription: `${description} Id, username, or "me" for the connected account.`,
    })

export const listId = (description: string, title = 'List', forPeople = description) =>
  idOf('list', title, description, forPeople)

/** What a member may do on a board. */
export const role = () =>
  z.enum(['normal', 'admin', 'observer']).meta({
    title: 'Role',
    description: 'What they may do: change cards (normal), also settings and members (admin), or only look (observer).',
  })

/** The mark of the next page. */
export const cursorOf = (what: string) =>
  idOf(what, 'Cursor', '"next" of the previous result.', 'Where the next page begins; “Next page” fills it in.')

/** Schema of a text of `min` to 16384 characters. */
export const text = (title: string, description: string, min = 0) =>
  boundedText(title, description, { min, max: maxText, by: 'the board' })

/**
 * Schema of `top`, `bottom` or a positive number as text, because a schema with two types is not portable; a number is
 * accepted too.
 */
export const position = (description: string) =>
  z.coerce
    .string()
    .check((payload) => {
      const positionText = payload.value.trim()
      if (
        positionText === 'top' ||
        positionText === 'bottom' ||
        (/^\d{1,16}(\.\d{1,16})?$/.test(positionText) && Number(positionText) > 0)
      )
        payload.value = positionText
      else
        payload.issues.push({
          code: 'custom',
          input: payload.value,
          message: `"${positionText.slice(0, 60)}" is not a position. Give top, bottom or a positive number.`,
        })
    })
    .meta({ title: 'Position', description: `${description} "top", "bottom" or a positive number.` })

/** A position in the form of the board's JSON. */
export const positionValue = (positionText: string | undefined): string | number | undefined =>
  positionText === undefined || positionText === 'top' || positionText === 'bottom'
    ? positionText
    : Number(positionText)

/** Schema of how long before the due time the board reminds. */
export const reminder = (description: string) => z.int().min(0).max(525_600).meta({ title: 'Reminder', description })

export const coordinates = () =>
  z
    .string()
    .check((payload) => {
      const match = /^\s*(-?\d{1,3}(?:\.\d{1,15})?)\s*,\s*(-?\d{1,3}(?:\.\d{1,15})?)\s*$/.exec(payload.value)
      const [latitude, longitude] = [Number(match?.[1] ?? NaN), Number(match?.[2] ?? NaN)]
      if (Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180) payload.value = `${match?.[1]},${match?.[2]}`
      else
        payload.issues.push({
          code: 'custom',
          input: payload.value,
          message: `"${payload.value.slice(0, 60)}" is not a place. Give latitude,longitude in degrees, such as -33.8568,151.2153.`,
        })
    })
    .meta({ title: 'Coordinates', description: 'Place on the map as latitude,longitude, such as -33.8568,151.2153.' })

/** Schema of the record fields that the board should return: a comma-separated list, or `all`. */
export const fields = (what: string, example: string, options: { fallback?: string; always?: string } = {}) => {
  const list = z
    .string()
    .max(1000)
    .check((payload) => {
      const names = payload.value.split(',').map((name) => name.trim())
      if (names.every((name) => /^[a-z_]{1,60}$/i.test(name))) payload.value = names.join(',')
      else
        payload.issues.push({
          code: 'custom',
          input: payload.value,
          message: `fields takes names with commas between them, such as "${example}", or "all".`,
        })
    })
  const always = options.always ?? 'id'
  const meta = {
    title: 'Fields',
    description: `Which fields of the ${what} you get, such as “${example}”, or “all”.`,
    agentDescription: `Fields of the ${what} to return, such as "${example}", or "all"; always with ${always}.`,
  }
  return (options.fallback === undefined ? list : list.default(options.fallback)).meta(meta)
}
