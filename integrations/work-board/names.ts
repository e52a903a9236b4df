import type { Event, NamedRef } from '#kit'
import type { BoardEvent } from './event.ts'
import { fieldsIn, refIn, textIn } from './event-parts.ts'
import { polledEvents } from './polled-events.ts'
import { readRef } from './refs.ts'
import type { RefKind } from './refs.ts'

/** The things that events and runs name, with their names. */

/** More than any event names; the outputs of steps can name thousands. */
const maxNames = 50

/** Under which kind a part of an event or record is known, where its field is called otherwise. */
const kinds: { [field: string]: string } = {
  board: 'board',
  boardSource: 'board',
  boardTarget: 'board',
  list: 'list',
  listBefore: 'list',
  listAfter: 'list',
  card: 'card',
  cardSource: 'card',
  by: 'member',
  member: 'member',
  memberCreator: 'member',
  label: 'label',
  checklist: 'checklist',
  checklistSource: 'checklist',
  checkItem: 'checkItem',
  attachment: 'attachment',
  customField: 'customField',
  organization: 'organization',
  plugin: 'plugin',
  // Records have lists of these, and "items" for what a checklist consists of.
  boards: 'board',
  lists: 'list',
  cards: 'card',
  members: 'member',
  labels: 'label',
  checklists: 'checklist',
  checkItems: 'checkItem',
  attachments: 'attachment',
  customFields: 'customField',
  organizations: 'organization',
  workspaces: 'organization',
}

/** Collects names, each thing once; `add` says whether there is room for more. */
export const collectNames = () => {
  const byKey = new Map<string, NamedRef>()
  return {
    add(kind: string, thing: unknown, url?: string): boolean {
      if (byKey.size >= maxNames) return false
      const ref = refIn(kind, thing)
      if (ref?.name && !byKey.has(`${kind}:${ref.id}`))
        byKey.set(`${kind}:${ref.id}`, {
          kind,
          id: ref.id,
          name: ref.name,
          ...(url?.startsWith('https://') ? { url } : {}),
        })
      return byKey.size < maxNames
    },
    names: (): NamedRef[] => [...byKey.values()],
  }
}

export const kindOfField = (field: string): string | undefined =>
  Object.hasOwn(kinds, field) ? kinds[field] : undefined

export const namesInEvent = (event: Event): NamedRef[] => {
  const { add, names } = collectNames()
  if (Object.hasOwn(polledEvents, event.type)) {
    for (const [field, thing] of Object.entries(event.raw ?? {})) {
      const kind = kindOfField(field)
      if (kind) add(kind, thing)
    }
    return names()
  }
  const { actor, organization, board, list, card, from, to, about = {} } = event as BoardEvent
  add('member', actor)
  add('board', board)
  add('list', list)
  add('card', card)
  add('organization', organization)
  for (const place of [from, to]) {
    add('board', place?.board)
    add('list', place?.list)
  }
  for (const [field, thing] of Object.entries(about)) {
    const kind = kindOfField(field)
    if (kind && !add(kind, thing)) break
  }
  return names()
}

/** Of which kind the record is that a step returns, where the output is one record. */
const outputKinds: { [step: string]: string } = {
  'create-card': 'card',
  'update-card': 'card',
  'get-card': 'card',
  'move-card': 'card',
  'copy-card': 'card',
  'archive-card': 'card',
  'get-board': 'board',
  'create-board': 'board',
  'copy-board': 'board',
  'update-board': 'board',
  'close-board': 'board',
  'get-list': 'list',
  'create-list': 'list',
  'update-list': 'list',
  'archive-list': 'list',
  'get-label': 'label',
  'create-label': 'label',
  'update-label': 'label',
  'get-member': 'member',
  'define-custom-field': 'customField',
  'update-custom-field': 'customField',
  'add-checklist': 'checklist',
  'update-checklist': 'checklist',
  'create-a-checklist-item': 'checkItem',
  'update-checklist-item': 'checkItem',
  'complete-checklist-item': 'checkItem',
  'attach-file': 'attachment',
  'attach-link': 'attachment',
}

/** Below a result: its rows, the parts of a row, and what an action names. */
const maxDepth = 4
type Add = (kind: string, thing: unknown) => boolean

/**
 * Cards and boards have a page and a short link, under which other runs may be given them. Short links come last: where
 * there is no room for all names, those of the ids matter more.
 */
const collectRecords = () => {
  const { add, names } = collectNames()
  const byShortLink: { kind: RefKind; link: string; name: string; url: string | undefined }[] = []
  return {
    add(kind: string, thing: unknown): boolean {
      if (kind !== 'card' && kind !== 'board') return add(kind, thing)
      const url = textIn(thing, 'url')
      const name = textIn(thing, 'name')
      const link = readRef(kind, textIn(thing, 'shortLink') ?? url ?? '')
      if (link.ok && name !== undefined) byShortLink.push({ kind, link: link.value, name, url })
      return add(kind, thing, url)
    },
    names(): NamedRef[] {
      for (const { kind, link, name, url } of byShortLink) if (!add(kind, { id: link, name }, url)) break
      return names()
    },
  }
}

/** Adds the things in a record, by the names of its fields, until there is no room. */
const addThings = (add: Add, record: unknown, depth = 0): boolean => {
  if (typeof record !== 'object' || record === null || depth > maxDepth) return true
  for (const [field, value] of Object.entries(record)) {
    if (typeof value !== 'object' || value === null) continue
    const kind = kindOfField(field)
    // Other parts of records (badges, limits, previews) name nothing; actions keep what they name in `data`.
    if (kind === undefined && field !== 'data' && field !== 'actions' && field !== 'comments') continue
    for (const thing of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (kind && !add(kind, thing)) return false
      if (kind === 'customField' && !addOptions(add, thing)) return false
      if (!addThings(add, thing, depth + 1)) return false
    }
  }
  return true
}

/** The options of a custom field have their name in `value.text`. */
const addOptions = (add: Add, field: unknown): boolean => {
  const { options } = field as { options?: unknown }
  if (!Array.isArray(options)) return true
  return options.every((option: unknown) =>
    add('option', { id: textIn(option, 'id'), name: textIn(fieldsIn(option, 'value'), 'text') }),
  )
}

export const namesInRun = (step: string, _: Record<string, unknown>, output: unknown): NamedRef[] => {
  const { add, names } = collectRecords()
  const kind = Object.hasOwn(outputKinds, step) ? outputKinds[step] : undefined
  if (kind) add(kind, output)
  // Results of API Call are not known to be of any kind.
  if (step !== 'api-call') addThings(add, output)
  return names()
}
