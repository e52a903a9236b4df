import { once, z } from '#kit'
import type { JsonSchema } from '#kit'

type Row = Record<string, unknown>
type Field = {
  type: 'string' | 'number' | 'boolean' | 'object' | 'array'
  orNull?: true
  description: string
}
type RecordShape = {
  title: string
  description: string
  fields: { [name: string]: Field }
  /**
   * Reads the fields, in their order. Written out for each shape, because reading by a name that varies makes the engine
   * look every name up anew, which takes four times as long.
   */
  read: (row: Row) => unknown[]
}
type CheckedRecord = Pick<RecordShape, 'title' | 'read'> & { fields: { name: string; field: Field }[] }

const schemaOf = ({ type, orNull, description }: Field): JsonSchema => ({
  type: orNull ? [type, 'null'] : type,
  ...(type === 'array' ? { items: { type: 'object' } } : {}),
  description,
})

const isOf = (type: Field['type'], value: unknown): boolean => {
  if (type === 'string') return typeof value === 'string'
  if (type === 'boolean') return typeof value === 'boolean'
  if (type === 'number') return typeof value === 'number'
  if (type === 'array') return Array.isArray(value)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Appends to `issues` what is wrong with a value that should be such a record. Allocates little for a valid record,
 * because a list may hold thousands.
 */
const look = (
  value: unknown,
  { title, fields, read }: CheckedRecord,
  path: PropertyKey[],
  issues: z.core.$ZodRawIssue[],
) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    issues.push({ code: 'custom', input: value, path, message: `should be a ${title.toLowerCase()}` })
    return
  }
  const values = read(value as Row)
  for (let at = 0; at < fields.length; at += 1) {
    const { name, field } = fields[at]!
    const { type, orNull } = field
    const fieldValue = values[at]
    if (isOf(type, fieldValue)) continue
    if (fieldValue === undefined ? name !== 'id' : fieldValue === null && orNull) continue
    const expectedType = `${type === 'object' || type === 'array' ? 'an' : 'a'} ${type}${orNull ? ' or null' : ''}`
    issues.push({ code: 'custom', input: fieldValue, path: [...path, name], message: `should be ${expectedType}` })
  }
}

/**
 * Schema of a record as the board returns it. Open, because the board adds fields several times a year; only the id is
 * required, because `fields` can omit any other. Checked in place and not copied: an ordinary loose object takes longer
 * than parsing the JSON. The named fields are those that agents and other steps rely on.
 */
const recordOf = ({ title, description, fields, read }: RecordShape) => {
  const names = Object.keys(fields)
  const readNames = read(Object.fromEntries(names.map((fieldName) => [fieldName, fieldName])))
  if (readNames.join() !== names.join()) throw new TypeError(`"read" of ${title} reads ${readNames.join()}.`)
  const checked: CheckedRecord = {
    title,
    read,
    fields: Object.entries(fields).map(([fieldName, field]) => ({ name: fieldName, field })),
  }
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

/** Schema of a list of such records, checked as a whole. */
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

const id: Field = {
  type: 'string',

  description: 'Id of 24 characters; its first 8 are the creation time, in hexadecimal Unix seconds.',
}
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
  read: (row) => [row.id, row.name, row.desc, row.closed, row.idBoard, row.idList, row.due, row.dueComplete, row.url],
}

/** The card fields that agents need; the others mostly serve to draw the card. */
export const cardFields = [
  'id',
  'name',
  'desc',
  'closed',
  'due',
  'dueComplete',
  'start',
  'idBoard',
  'idList',
  'idLabels',
  'idMembers',
  'url',
]

/** What agents get of a card that was written. */
export const writtenCardFields = [...cardFields, 'problems']

export const card = once(() => record(cardShape))
/** A card after a write of several parts. */
export const writtenCard = once(() =>
  record({
    ...cardShape,
    fields: {
      ...cardShape.fields,
      problems: {
        type: 'array',
        description:
          'Absent when everything was written. Otherwise the parts of the input that were not: field, state ("failed": not written; "unknown": look at the card first) and reason. The card itself was written: do not create it again.',
      },
    },
    read: (row) => [
      row.id,
      row.name,
      row.desc,
      row.closed,
      row.idBoard,
      row.idList,
      row.due,
      row.dueComplete,
      row.url,
      row.problems,
    ],
  }),
)
export const cards = recordsOf(cardShape)

export const cardWithParts = once(() =>
  record({
    ...cardShape,
    fields: {
      ...cardShape.fields,
      omitted: {
        type: 'object',

        description: 'How many entries the limit left out of which list; absent when none.',
      },
    },
    read: (row) => [
      row.id,
      row.name,
      row.desc,
      row.closed,
      row.idBoard,
      row.idList,
      row.due,
      row.dueComplete,
      row.url,
      row.omitted,
    ],
  }),
)

const boardShape: RecordShape = {
  title: 'Board',
  description: 'The board as the provider gives it.',
  fields: {
    id,
    name,
    closed: { type: 'boolean', description: 'Whether the board is closed.' },
    url: { type: 'string', description: 'Page address of the board.' },
    shortLink: { type: 'string', description: 'Short link of the board, 8 characters.' },
  },
  read: (row) => [row.id, row.name, row.closed, row.url, row.shortLink],
}
export const board = once(() => record(boardShape))
export const boards = recordsOf(boardShape)

const listShape: RecordShape = {
  title: 'List',
  description: 'The list as the board gives it.',
  fields: {
    id,
    name,
    idBoard,
    closed: { type: 'boolean', description: 'Whether the list is archived.' },
    pos: { type: 'number', description: 'Place on the board, ascending.' },
  },
  read: (row) => [row.id, row.name, row.idBoard, row.closed, row.pos],
}
export const list = once(() => record(listShape))
export const lists = recordsOf(listShape)

const checklistShape: RecordShape = {
  title: 'Checklist',
  description: 'The checklist as the board gives it.',
  fields: {
    id,
    name,
    idBoard,
    idCard: { type: 'string', description: 'Id of the card it belongs to.' },
  },
  read: (row) => [row.id, row.name, row.idBoard, row.idCard],
}
export const checklist = once(() => record(checklistShape))
export const checklists = recordsOf(checklistShape)

const checkItemShape: RecordShape = {
  title: 'Checklist item',
  description: 'The item as the board gives it.',
  fields: {
    id,
    name,
    state: { type: 'string', description: '"complete" or "incomplete".' },
    idChecklist: { type: 'string', description: 'Id of the checklist it belongs to.' },
  },
  read: (row) => [row.id, row.name, row.state, row.idChecklist],
}
export const checkItem = once(() => record(checkItemShape))

const attachmentShape: RecordShape = {
  title: 'Attachment',
  description: 'The attachment as the board gives it.',
  fields: {
    id,
    name,
    url: {
      type: 'string',

      description: 'Address of its content, which opens with the credentials of the account only.',
    },
    mimeType: { type: 'string', description: 'Media type, as the board found it.' },
  },
  read: (row) => [row.id, row.name, row.url, row.mimeType],
}
export const attachment = once(() => record(attachmentShape))
export const attachments = recordsOf(attachmentShape)

const commentShape: RecordShape = {
  title: 'Comment',
  description: 'The comment as the board gives it, an action of type commentCard.',
  fields: {
    id: {
      type: 'string',

      description: 'Id of the comment (of its action), needed to edit or delete it.',
    },
    type: { type: 'string', description: 'Kind of action: commentCard.' },
    date: { type: 'string', description: 'When it was posted, in UTC.' },
    data: {
      type: 'object',

      description: 'The text and where it was posted: text, card, list, board.',
    },
  },
  read: (row) => [row.id, row.type, row.date, row.data],
}
export const comment = once(() => record(commentShape))
export const comments = recordsOf(commentShape)

const labelShape: RecordShape = {
  title: 'Label',
  description: 'The label as the board gives it.',
  fields: {
    id,
    name: { type: 'string', description: 'The name; may be empty.' },
    color: {
      type: 'string',
      orNull: true,

      description: 'Name of the colour; null without one.',
    },
    idBoard,
  },
  read: (row) => [row.id, row.name, row.color, row.idBoard],
}
export const label = once(() => record(labelShape))
export const labels = recordsOf(labelShape)

const memberShape: RecordShape = {
  title: 'Member',
  description: 'The member as the board gives them.',
  fields: {
    id,
    fullName: { type: 'string', orNull: true, description: 'Name of the member.' },
    username: { type: 'string', description: 'Name that mentions them: @username.' },
  },
  read: (row) => [row.id, row.fullName, row.username],
}
export const member = once(() => record(memberShape))
export const members = recordsOf(memberShape)

export const workspaces = recordsOf({
  title: 'Workspace',
  description: 'The workspace as the board gives it.',
  fields: {
    id,
    displayName: { type: 'string', description: 'Name of the workspace, as people see it.' },
    name: { type: 'string', description: 'Short name in its address.' },
    url: { type: 'string', description: 'Page address of the workspace.' },
  },
  read: (row) => [row.id, row.displayName, row.name, row.url],
})

const customFieldShape: RecordShape = {
  title: 'Custom field',
  description: 'The custom field as the board gives it.',
  fields: {
    id,
    name,
    type: { type: 'string', description: 'text, number, date, checkbox or list.' },
    options: {
      type: 'array',

      description: 'Of a list: its options, each with its id and its text as value.text.',
    },
  },
  read: (row) => [row.id, row.name, row.type, row.options],
}
export const customField = once(() => record(customFieldShape))
export const customFieldList = recordsOf(customFieldShape)

export const actions = recordsOf({
  title: 'Action',
  description: 'The action as the board gives it.',
  fields: {
    id: { type: 'string', description: 'Id of the action.' },
    type: { type: 'string', description: 'What happened, such as updateCard or commentCard.' },
    date: { type: 'string', description: 'When, in UTC.' },
    data: {
      type: 'object',

      description: 'What it was about; of a change, "old" has the previous values.',
    },
  },
  read: (row) => [row.id, row.type, row.date, row.data],
})
