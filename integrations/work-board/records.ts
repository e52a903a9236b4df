import { once, z } from '#kit'
import type { JsonSchema } from '#kit'

type Field = { type: 'string' | 'number' | 'boolean' | 'object'; orNull?: true; description: string }
type Checked = { title: string; fields: { name: string; type: Field['type']; orNull: true | undefined }[] }
type RecordShape = { title: string; description: string; fields: { [name: string]: Field } }

const schemaOf = ({ type, orNull, description }: Field): JsonSchema => ({ type: orNull ? [type, 'null'] : type, description })

/** What is wrong with a value that should be such a record goes into `issues`. Nothing is made for a record that is right: a list may hold thousands. */
const look = (value: unknown, { title, fields }: Checked, at: PropertyKey[], issues: z.core.$ZodRawIssue[]) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    issues.push({ code: 'custom', input: value, path: at, message: `should be a ${title.toLowerCase()}` })
    return
  }
  for (const { name, type, orNull } of fields) {
    const found = (value as Record<string, unknown>)[name]
    if (typeof found === type && found !== null) continue
    if (found === undefined ? name !== 'id' : found === null && orNull) continue
    const wanted = `${type === 'object' ? 'an' : 'a'} ${type}${orNull ? ' or null' : ''}`
    issues.push({ code: 'custom', input: found, path: [...at, name], message: `should be ${wanted}` })
  }
}

/**
 * A record as the board answers it. Open, because the board adds fields several times a year; only the id is required, because `fields`
 * leaves out any other. Checked where it is and not copied: an ordinary loose object costs more than parsing the JSON did. The named
 * fields are what agents and other steps build on.
 */
const recordOf = ({ title, description, fields }: RecordShape) => {
  const checked: Checked = { title, fields: Object.entries(fields).map(([name, { type, orNull }]) => ({ name, type, orNull })) }
  const schema: JsonSchema = {
    title,
    description: `${description} Fields beyond these may come.`,
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)])),
    required: ['id'],
    additionalProperties: true,
  }
  return { checked, schema }
}

const record = (shape: RecordShape) => {
  const { checked, schema } = recordOf(shape)
  return z
    .unknown()
    .check(({ value, issues }) => look(value, checked, [], issues))
    .meta(schema)
}

/** A list of such records, looked at as a whole. */
const recordsOf = (shape: RecordShape) => (description: string) => {
  const { checked, schema } = recordOf(shape)
  return z
    .unknown()
    .check(({ value, issues }) => {
      if (!Array.isArray(value)) return void issues.push({ code: 'custom', input: value, message: 'should be a list' })
      for (let n = 0; n < value.length; n += 1) look(value[n], checked, [n], issues)
    })
    .meta({ type: 'array', items: schema, description })
}

const id: Field = { type: 'string', description: 'Id of 24 characters; its first 8 are the creation time, in hexadecimal Unix seconds.' }
const name: Field = { type: 'string', description: 'The name, as people wrote it.' }
const idBoard: Field = { type: 'string', description: 'Id of the board it is on.' }

const cardShape: RecordShape = {
  title: 'Card',
  description: 'The card as the board gives it.',
  fields: {
    id,
    name,
    desc: { type: 'string', description: 'The description in Markdown, as people wrote it.' },
    closed: { type: 'boolean', description: 'Whether the card is archived.' },
    idBoard,
    idList: { type: 'string', description: 'Id of the list it is in.' },
    due: { type: 'string', orNull: true, description: 'Due time in UTC, or null.' },
    dueComplete: { type: 'boolean', description: 'Whether the due date counts as met.' },
    url: { type: 'string', description: 'Page address of the card.' },
  },
}

export const card = once(() => record(cardShape))
export const cards = recordsOf(cardShape)

export const cardWithParts = once(() =>
  record({
    ...cardShape,
    fields: { ...cardShape.fields, omitted: { type: 'object', description: 'How many entries the limit left out of which list; absent when none.' } },
  }),
)

export const boards = recordsOf({
  title: 'Board',
  description: 'The board as the provider gives it.',
  fields: {
    id,
    name,
    closed: { type: 'boolean', description: 'Whether the board is closed.' },
    url: { type: 'string', description: 'Page address of the board.' },
    shortLink: { type: 'string', description: 'Short link of the board, 8 characters.' },
  },
})

export const list = once(() =>
  record({
    title: 'List',
    description: 'The list as the board gives it.',
    fields: {
      id,
      name,
      idBoard,
      closed: { type: 'boolean', description: 'Whether the list is archived.' },
      pos: { type: 'number', description: 'Place on the board, ascending.' },
    },
  }),
)

export const checklist = once(() =>
  record({
    title: 'Checklist',
    description: 'The checklist as the board gives it.',
    fields: { id, name, idBoard, idCard: { type: 'string', description: 'Id of the card it belongs to.' } },
  }),
)

export const checkItem = once(() =>
  record({
    title: 'Checklist item',
    description: 'The item as the board gives it.',
    fields: {
      id,
      name,
      state: { type: 'string', description: '"complete" or "incomplete".' },
      idChecklist: { type: 'string', description: 'Id of the checklist it belongs to.' },
    },
  }),
)

export const comment = once(() =>
  record({
    title: 'Comment',
    description: 'The comment as the board gives it, an action of type commentCard.',
    fields: {
      id: { type: 'string', description: 'Id of the comment (of its action), needed to edit or delete it.' },
      type: { type: 'string', description: 'Kind of action: commentCard.' },
      date: { type: 'string', description: 'When it was posted, in UTC.' },
      data: { type: 'object', description: 'The text and where it was posted: text, card, list, board.' },
    },
  }),
)
