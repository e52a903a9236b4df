/**
 * The tables of the board's triggers. In their JSON, `"$card"` is the card below and `"$card.id"` its id, `"$id(7)"` an
 * id of nothing else, and `{ "...": "$card", "name": "Kit" }` the card with another name. `"$at(-5)"` is five minutes
 * before the noon of the polled cases, `"$made(-5,2)"` the second id made then.
 */
import { readFileSync } from 'node:fs'
import { ids, idOf } from './fake.ts'

const noon = Date.parse('2026-03-02T12:00:00.000Z')
/** Moments of polled cases, in minutes from their noon. */
export const millisecondsAt = (minutes: number) => noon + Math.round(minutes * 60_000)
const momentAt = (minutes: number) => new Date(millisecondsAt(minutes)).toISOString()
/** An id made at that moment, as the board makes them. */
export const madeAt = (minutes: number, n: number) =>
  Math.floor(millisecondsAt(minutes) / 1000)
    .toString(16)
    .padStart(8, '0') + n.toString(16).padStart(16, '0')

export const board = { id: ids.board, name: 'Launch plan', shortLink: 'Tb5Hn3Qa' }
export const otherBoard = { id: ids.otherBoard, name: 'Support desk' }
export const card = { id: ids.card, name: 'Press kit', idShort: 4, shortLink: 'mN4tR8wL' }
export const list = { id: ids.list, name: 'Doing' }
export const organization = { id: idOf(71), name: 'Harbourlight Works' }
const dueFields = { name: 'Press kit', shortLink: 'mN4tR8wL', idList: ids.list }
const objects: { [name: string]: { id: string; [field: string]: unknown } } = {
  board,
  otherBoard,
  card,
  otherCard: { id: ids.otherCard, name: 'Old kit', idShort: 1, shortLink: 'aB3dE5fG' },
  list,
  otherList: { id: ids.otherList, name: 'Done' },
  organization,
  checklist: { id: ids.checklist, name: 'Before publishing' },
  checkItem: { id: idOf(32), name: 'Proofread', state: 'incomplete' },
  label: { id: ids.label, name: 'Copy', color: 'yellow' },
  member: { id: ids.member, name: 'Mara Quill' },
  customField: { id: idOf(81), name: 'Effort', type: 'number' },
  attachment: { id: ids.attachment, name: 'Notes', url: 'https://notes.example/1' },
  // What polls find: a card of long ago in the form of a scan, the same as the board lists it, and a notification.
  dated: { id: madeAt(-129_600, 1), ...dueFields, idBoard: ids.board, fresh: false },
  dueCard: { id: ids.card, ...dueFields, due: momentAt(0), dueComplete: false, closed: false },
  notice: { id: madeAt(0, 0), type: 'mentionedOnCard', unread: true },
}
/** Triggers that start with nearly everything. */
const any = ['custom-webhook-events', 'new-board-activity']
const groups: { [name: string]: string[] } = { $any: any, $updated: ['card-updated', ...any] }

const expandText = (text: string): unknown => {
  if (!text.startsWith('$')) return text
  const [, id] = /^\$id\((\d+)\)$/.exec(text) ?? []
  if (id !== undefined) return idOf(Number(id))
  const [, macro, minutes, n] = /^\$(at|made)\((-?[\d.]+)(?:,(\d+))?\)$/.exec(text) ?? []
  if (macro !== undefined) return macro === 'at' ? momentAt(Number(minutes)) : madeAt(Number(minutes), Number(n))
  const [, name = '', field] = /^\$(\w+)(\.id)?$/.exec(text) ?? []
  const object = objects[name]
  // Left as it is, a misspelt name would start nothing, and rows that expect just that would pass.
  if (!object) throw new Error(`${text} names nothing`)
  return field === undefined ? object : object.id
}
const expand = (value: unknown): unknown => {
  if (typeof value === 'string') return expandText(value)
  if (Array.isArray(value)) return value.flatMap((item) => groups[item as string] ?? [expand(item)])
  if (typeof value !== 'object' || value === null) return value
  const { '...': whole, ...fields } = value as { [name: string]: unknown }
  const own = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, expand(field)]))
  return whole === undefined ? own : { ...(expand(whole) as object), ...own }
}
const read = (file: string) => expand(JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')))

type Fields = { [name: string]: unknown }
/**
 * Each further type of action with the data the board sends, and which triggers it starts when all watch the board
 * without filters: written from what the documents say each trigger is for. Types told of workspaces, members and
 * enterprises carry no board and start nothing on one.
 */
export const actionTable = read('trigger-actions.json') as {
  type: string
  of?: string
  data: Fields
  starts: string[]
}[]

/**
 * What each recorded delivery is, written from what people saw when they made it, not from our code: the action's type,
 * what was watched, what of the card changed, and which triggers start an agent when they watch that board (New Member
 * on Card for everybody, nothing else filtered; an item ticked off is the last open one of its checklist).
 *
 * updateCard-1 and updateCard-6 are one drag of a card to another list: the board told it as a change of the list and
 * one of the place in it. addLabelToCard and updateCard-5 are one label put on; updateCard-7, -8 and -9 one change of a
 * description, told to three hooks.
 */
export type SampleRow = {
  type: string
  watched: 'board' | 'list' | 'card' | 'member'
  changed?: string[]
  starts: string[]
}
export const sampleTable = read('trigger-samples.json') as { [file: string]: SampleRow }

type Row = { config?: Fields; why?: string }
/** What settings make of an event: nothing (`false`), a start (`true`), or a start with these data. */
export type WebhookRow = Row & {
  starts: boolean | Fields
  /** Fields that the data must not have. */
  lacks?: string[]
  /** What is read for the event. */
  facts?: Fields
  /** What must be read for it. */
  needs?: string[]
}
/** What settings pick of polled items; where data are given, they and everything beside them are compared. */
export type PollRow = Row & {
  /** When it was attached, scanned before and scanned now, in minutes from noon. */
  time?: { since?: number; scanned?: number | null; now?: number }
  starts?: { key: string | unknown[]; fireAt?: string; late?: true; missed?: true; data?: Fields }[]
  resources?: string[]
}
/** What one poll is answered, and what it makes of that; `unsorted`: in this order, not as the board sorts. */
export type Scan = { answer: { id: string }[]; unsorted?: true; items?: Fields[]; cursor?: string; sent?: Fields[] }

type Action = { type: string; data: Fields; model?: Fields }
export type WebhookCase = { delivery: 'webhook'; event: string | Action; rows: WebhookRow[] }
/** Items come from scans, one after the other, or as they are. */
export type PollCase = {
  delivery: 'poll'
  resource?: string
  cursor?: string
  scans?: Scan[]
  items?: { id: string; at: string }[]
  rows?: PollRow[]
}
export type TriggerCase = { what: string; triggers: string[] } & (WebhookCase | PollCase)

export const cases = read('trigger-cases.json') as {
  events: { [name: string]: Action }
  cases: TriggerCase[]
  /** What an agent gets for a recorded delivery; `whole`: nothing else. */
  samples: { file: string; trigger: string; whole?: true; data: Fields }[]
  kinds: { [kind: string]: string[] }
  checklists: {
    what: string
    items: [string, string][]
    ticks: [number, number, string, number?][]
    starts: boolean[]
  }[]
  mentions: { told: string[]; others: string[] }
  titles: string[]
  webhookOnly: string[]
}
/** Every case of a trigger, however it hears of things. */
export const triggerCases: TriggerCase[] = [...cases.cases, ...(read('trigger-polls.json') as TriggerCase[])]

let counter = 0
/** A delivery of an action, as a board's hook brings it. */
export const deliveryOf = (type: string, data: Fields, more: Fields = {}) => {
  counter += 1
  return {
    action: {
      id: `698c3001${counter.toString(16).padStart(16, '0')}`,
      idMemberCreator: idOf(52),
      data,
      appCreator: null,
      type,
      date: '2026-02-11T07:30:09.000Z',
      memberCreator: { id: idOf(52), fullName: 'Odette Quill', username: 'odettequill' },
    },
    model: { id: ids.board, name: 'Launch plan', prefs: {}, labelNames: {} },
    ...more,
  }
}
