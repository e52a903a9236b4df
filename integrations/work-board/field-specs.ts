import type { FieldSpec } from '#kit'

/** Form settings of fields that several steps share. */

const moment = '2026-03-31T17:00:00+11:00'

export const name: FieldSpec = { placeholder: 'Call the client back' }
export const description: FieldSpec = { long: true, placeholder: 'What has to be done, in **Markdown**' }
export const comment: FieldSpec = { long: true, placeholder: 'Done, please have a look.' }
export const position: FieldSpec = { placeholder: 'top' }
export const due: FieldSpec = { placeholder: moment }
export const dueReminder: FieldSpec = { unit: 'minutes', showWhen: { field: 'due' }, rare: true }
export const start: FieldSpec = { placeholder: '2026-03-30T09:00:00+11:00' }
export const cardFieldNames: FieldSpec = { placeholder: 'name,due,idList' }
export const boardFieldNames: FieldSpec = { placeholder: 'name,url' }

export const customFields: FieldSpec = { placeholder: '{"Points": 5, "Priority": "High"}' }
export const customFieldType: FieldSpec = {
  labels: { text: 'Text', number: 'Number', date: 'Date', checkbox: 'Checkbox', list: 'List of options' },
}
export const role: FieldSpec = { labels: { normal: 'Normal', admin: 'Admin', observer: 'Observer' } }

export const place = {
  address: { placeholder: '1 Example Street, Sydney', rare: true },
  locationName: { placeholder: 'Front desk', rare: true },
  coordinates: { placeholder: '-33.8568,151.2153', rare: true },
} satisfies Record<string, FieldSpec>

export const whichBoards = {
  open: 'Open',
  closed: 'Closed',
  all: 'All, closed ones too',
  members: 'By membership',
  organization: 'Visible to the workspace',
  public: 'Public',
  starred: 'Starred',
}
export const spans = { day: 'A day', week: 'A week', month: 'A month' }
export const filters = { open: 'Open', closed: 'Archived', all: 'All' }
export const whichLists = { none: 'None', open: 'Open lists', closed: 'Archived lists', all: 'All lists' }
export const whichCards = { open: 'Open', closed: 'Archived', all: 'All', visible: 'Open, in open lists' }
export const partsOfCard = {
  all: 'Everything',
  attachments: 'Attachments',
  checklists: 'Checklists',
  comments: 'Comments',
  customFields: 'Custom fields',
  due: 'Due date',
  start: 'Start date',
  labels: 'Labels',
  members: 'Members',
  stickers: 'Stickers',
}
export const kinds = {
  create: 'Created',
  update: 'Changed',
  delete: 'Deleted',
  other: 'Other: people, moves between boards, add-ons',
}
export const ways = {
  created: 'Created',
  copied: 'Copied',
  emailed: 'Sent by e-mail',
  converted: 'Converted from a checklist item',
  moved: 'Moved in from another board',
}
export const propertiesOfList = {
  name: 'Name',
  closed: 'Archived or restored',
  pos: 'Position',
  other: 'Anything else',
}
export const dueChanges = { set: 'Set', moved: 'Moved', removed: 'Removed' }
export const properties = {
  name: 'Name',
  desc: 'Description',
  due: 'Due date',
  dueComplete: 'Due date met',
  dueReminder: 'Reminder',
  start: 'Start date',
  closed: 'Archived or restored',
  idList: 'List',
  idBoard: 'Board',
  pos: 'Position',
  idLabels: 'Labels',
  idMembers: 'Members',
  attachments: 'Attachments',
  checklists: 'Checklists',
  checkItems: 'Checklist items',
  idAttachmentCover: 'Cover image',
  cover: 'Cover',
  address: 'Address',
  locationName: 'Location name',
  coordinates: 'Coordinates',
  customFieldItems: 'Custom fields',
  other: 'Anything else',
}
