import { namePart, quotePart, say } from '#kit'
import type { Names, Sentence } from '#kit'
import { fieldsIn, refIn, textIn } from './event-parts.ts'
import {
  board,
  card,
  count,
  inputProperties,
  list,
  member,
  numberIn,
  onBoard,
  outputCard,
  place,
  rows,
  the,
  theBoard,
} from './run-parts.ts'
import type { Run } from './run-parts.ts'

/** What a run of each step has done. */

type Describe = (run: Run) => Sentence

const fieldsOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** `Read 8 lists of Kitchen refit` */
const reads =
  (field: string, what: string, of: (run: Run) => Sentence): Describe =>
  (run) =>
    say`Read ${count(rows(run, field).length, what)}${of(run)}`
const ofBoard = (run: Run) => say` of ${board(run)}`
const ofList = (run: Run) => say` of ${list(run)}`
const ofCard = (run: Run) => say` of ${card(run, 'where')}`

/** `Changed the name and the description of` */
const changes = (run: Run, without: string[]): Sentence => {
  const properties = inputProperties(run, without)
  return properties === '' ? say`Changed` : say`Changed ${properties} of`
}

/** Of a card with parts that were not written. */
const unwritten = (run: Run): string => (rows(run, 'problems').length === 0 ? '' : '; not all of it was written')

const placeOfCard = ['idCard', 'fromBoard', 'fromList', 'idBoard']
const describeCardUpdate: Describe = (run) => {
  const changed = Object.keys(run.input).filter((name) => !placeOfCard.includes(name) && run.input[name] !== undefined)
  if (changed.length === 1 && changed[0] === 'closed')
    return say`${run.input['closed'] === true ? 'Archived' : 'Unarchived'} ${outputCard(run)}`
  if (changed.includes('idList') && changed.every((name) => name === 'idList' || name === 'pos'))
    return say`Moved ${outputCard(run)} to ${list(run, 'to')}`
  return say`${changes(run, placeOfCard)} ${outputCard(run)}${unwritten(run)}`
}

const copyCard: Describe = (run) => {
  const source = card(run, 'from')
  return say`Copied ${source} to ${the('card', run.output, run)} in ${list(run)}`
}

/** The results of each kind: `2 cards and 1 member`. */
const describeSearch: Describe = (run) => {
  const parts = (['card', 'board', 'member'] as const).flatMap((kind) => {
    const results = fieldsOf(run.output)[`${kind}s`]
    return Array.isArray(results) ? [count(results.length, kind)] : []
  })
  const all = parts.length <= 1 ? (parts[0] ?? 'nothing') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
  return say`Found ${all}${onBoard(run)}`
}

const findCard: Describe = (run) => {
  const cards = rows(run, 'cards')
  return say`Found ${cards.length === 1 ? the('card', cards[0], run) : count(cards.length, 'card')}${onBoard(run)}`
}

const maxFields = 3
const setCustomFields: Describe = (run) => {
  const fields = rows(run, 'customFields')
  if (fields.length === 0 || fields.length > maxFields)
    return say`Set ${count(fields.length, 'custom field')} of ${card(run, 'where')}`
  const parts = fields.map((field, at) => {
    const before = at === 0 ? '' : at === fields.length - 1 ? ' and ' : ', '
    return say`${before}${namePart('what', refIn('customField', field), 'a custom field', run.names)}`
  })
  return say`Set ${parts.flat()} of ${card(run, 'where')}`
}

/** The outcome for many cards: `2 cards`, with how many of them failed. */
const many = ({ output }: Run) => count(numberIn(output, 'changed') + numberIn(output, 'unchanged'), 'card')
const problems = (run: Run): string => {
  const failed = rows(run, 'problems').length
  return failed === 0 ? '' : `; ${failed} failed or ${failed === 1 ? 'is' : 'are'} unknown`
}

const label = (run: Run) => the('label', run.input['idLabel'], run)
/** Of a set on a card: what was already so is said as such. */
const changesSet =
  (what: (run: Run) => Sentence, done: string, word: string, already: string): Describe =>
  (run) =>
    fieldsOf(run.output)['changed'] === false
      ? say`Changed nothing: ${what(run)} ${already} ${outputCard(run, 'where')}`
      : say`${done} ${what(run)} ${word} ${outputCard(run, 'where')}`

const commentCard = ({ output, input, names }: Run) =>
  namePart('where', refIn('card', fieldsIn(fieldsIn(output, 'data'), 'card') ?? idOf(input['idCard'])), 'a card', names)
const idOf = (id: unknown) => (typeof id === 'string' ? { id } : undefined)
const comment: Describe = (run) => {
  const text = textIn(fieldsIn(run.output, 'data'), 'text') ?? textIn(run.input, 'text')
  return say`Commented on ${commentCard(run)}${text ? say`: ${quotePart(text)}` : []}`
}

/** The card of a checklist's item, where the input gives it. */
const onItsCard = (run: Run): Sentence =>
  typeof run.input['idCard'] === 'string' ? say` on ${card(run, 'where')}` : []
const item = (run: Run) => the('checkItem', run.output, run)

const updateList: Describe = (run) => {
  const without = ['idList', 'fromBoard']
  const { input } = run
  const fields = Object.keys(input).filter((name) => !without.includes(name) && input[name] !== undefined)
  const list = the('list', run.output, run)
  if (fields.length === 1 && fields[0] === 'closed')
    return say`${input['closed'] === true ? 'Archived' : 'Unarchived'} ${list}`
  return say`${changes(run, without)} ${list}`
}

const attachment =
  (word: string): Describe =>
  (run) => {
    const name = namePart('what', refIn('attachment', run.output), 'without a known name', run.names)
    return say`Attached the ${word} ${name} to ${card(run, 'where')}`
  }
const oldAttachment = ({ input, output, names }: Run) =>
  namePart(
    'what',
    refIn('attachment', { id: input['idAttachment'], name: textIn(output, 'name') }),
    'without a known name',
    names,
  )

const cards: Record<string, Describe> = {
  'create-card': (run) => say`Created ${the('card', run.output, run)} in ${list(run)}${unwritten(run)}`,
  'update-card': describeCardUpdate,
  'get-card': (run) => say`Read ${outputCard(run)}`,
  'move-card': (run) => say`Moved ${outputCard(run)} to ${list(run, 'to')}`,
  'copy-card': copyCard,
  'archive-card': (run) => say`Archived ${outputCard(run)}`,
  'delete-card': (run) => say`Deleted ${outputCard(run)}`,
  'get-card-activity': reads('actions', 'action', ofCard),
  'get-votes': (run) => say`Read ${count(rows(run, 'members').length, 'vote')} on ${card(run, 'where')}`,
  'add-vote': changesSet(() => say`a vote`, 'Added', 'to', 'is already on'),
  'remove-vote': changesSet(() => say`the vote`, 'Removed', 'from', 'is not on'),
  'get-card-custom-fields': reads('customFields', 'custom field', ofCard),
  'set-custom-fields': setCustomFields,
  search: describeSearch,
  'find-card': findCard,
  'create-cards': (run) =>
    say`Created ${count(numberIn(run.output, 'created'), 'card')} in ${list(run)}${problems(run)}`,
  'move-cards': (run) => say`Moved ${many(run)} to ${list(run, 'to')}${problems(run)}`,
  'label-cards': (run) =>
    run.input['remove'] === true
      ? say`Removed ${label(run)} from ${many(run)}${problems(run)}`
      : say`Added ${label(run)} to ${many(run)}${problems(run)}`,
  'assign-cards': (run) =>
    run.input['remove'] === true
      ? say`Removed ${member(run)} from ${many(run)}${problems(run)}`
      : say`Added ${member(run)} to ${many(run)}${problems(run)}`,
  'archive-cards': (run) => say`Archived ${many(run)}${onBoard(run)}${problems(run)}`,
}

const boards: Record<string, Describe> = {
  'get-boards': reads('boards', 'board', () => []),
  'get-board': (run) => say`Read ${theBoard(run)}`,
  'get-board-activity': reads('actions', 'action', ofBoard),
  'get-workspaces': reads('workspaces', 'workspace', () => []),
  'create-board': (run) => say`Created ${theBoard(run)}`,
  'copy-board': (run) => {
    const source = board({ ...run, output: undefined })
    return say`Copied ${source} to ${theBoard(run)}`
  },
  'update-board': (run) => say`${changes(run, ['idBoard'])} ${theBoard(run)}`,
  'delete-board': (run) => say`Deleted ${the('board', textIn(run.output, 'id') ?? run.input['idBoard'], run)}`,
  'close-board': (run) => say`Closed ${theBoard(run)}`,
  'get-custom-fields': reads('customFields', 'custom field', ofBoard),
  'define-custom-field': (run) => say`Defined ${the('customField', run.output, run)} on ${board(run)}`,
  'update-custom-field': (run) =>
    say`${changes(run, ['idBoard', 'idCustomField'])} ${the('customField', run.output, run)}`,
  'delete-custom-field': (run) => say`Deleted ${the('customField', run.input['idCustomField'], run)}`,
  'get-lists': reads('lists', 'list', ofBoard),
  'get-list': (run) => say`Read ${the('list', run.output, run)}`,
  'get-list-cards': reads('cards', 'card', ofList),
  'get-board-cards': reads('cards', 'card', ofBoard),
  'create-list': (run) => say`Created ${the('list', run.output, run)} on ${board(run)}`,
  'update-list': updateList,
  'archive-list': (run) => say`Archived ${the('list', run.output, run)}`,
  'move-all-cards': (run) => {
    const from = place('list', 'fromList', run)
    return say`Moved all cards of ${from} to ${list(run, 'to')}`
  },
  'archive-all-cards': (run) => say`Archived all cards of ${list(run)}`,
  'get-labels': reads('labels', 'label', ofBoard),
  'get-label': (run) => say`Read ${the('label', run.output, run)}`,
  'create-label': (run) => say`Created ${the('label', run.output, run)} on ${board(run)}`,
  'update-label': (run) => say`${changes(run, ['idLabel', 'idBoard'])} ${the('label', run.output, run)}`,
  'delete-label': (run) => say`Deleted ${label(run)}`,
  'get-members': reads('members', 'member', ofBoard),
  'get-member': (run) =>
    say`Read the profile of ${namePart('what', refIn('member', run.output), 'somebody', run.names)}`,
  'search-members': (run) => say`Found ${count(rows(run, 'members').length, 'person', 'people')}`,
  'add-member-to-board': (run) => {
    const to = place('board', 'idBoard', run, 'to')
    return say`Added ${member(run)} to ${to}`
  },
  'invite-to-board': (run) =>
    say`Invited somebody to ${the('board', textIn(run.output, 'id') ?? run.input['idBoard'], run)}`,
  'set-member-role': (run) =>
    fieldsOf(run.output)['changed'] === false
      ? say`Changed nothing: ${member(run)} has the role on ${board(run)} already`
      : say`Changed the role of ${member(run)} on ${board(run)}`,
  'remove-member-from-board': (run) => say`Removed ${member(run)} from ${board(run)}`,
}

const partsOfCards: Record<string, Describe> = {
  'get-comments': reads('comments', 'comment', ofCard),
  'add-comment-to-card': comment,
  'add-comment': comment,
  'update-comment': (run) => say`Changed a comment on ${commentCard(run)}`,
  'delete-comment': (run) => say`Deleted a comment on ${card(run, 'where')}`,
  'react-to-comment': (run) => say`Reacted to a comment on ${card(run, 'where')}`,
  'get-checklists': reads('checklists', 'checklist', ofCard),
  'add-checklist': (run) => {
    const of = namePart('where', refIn('card', idOf(textIn(run.output, 'idCard'))), 'a card', run.names)
    return say`Added ${the('checklist', run.output, run)} to ${of}`
  },
  'update-checklist': (run) =>
    say`${changes(run, ['idBoard', 'idList', 'idCard', 'idChecklist'])} ${the('checklist', run.output, run)}`,
  'delete-checklist': (run) => say`Deleted ${the('checklist', run.input['idChecklist'], run)}${ofCard(run)}`,
  'create-a-checklist-item': (run) =>
    say`Added ${item(run)} to ${the('checklist', textIn(run.output, 'idChecklist') ?? run.input['idChecklist'], run)}`,
  'update-checklist-item': (run) => say`Changed ${item(run)}${onItsCard(run)}`,
  'complete-checklist-item': (run) => say`Completed ${item(run)}${onItsCard(run)}`,
  'delete-checklist-item': (run) => say`Deleted ${the('checkItem', run.input['idCheckItem'], run)}${onItsCard(run)}`,
  'add-label-to-card': changesSet(label, 'Added', 'to', 'is already on'),
  'remove-label-from-card': changesSet(label, 'Removed', 'from', 'is not on'),
  'add-member-to-card': changesSet((run) => [member(run)], 'Added', 'to', 'is already on'),
  'remove-member-from-card': changesSet((run) => [member(run)], 'Removed', 'from', 'is not on'),
  'get-attachments': reads('attachments', 'attachment', ofCard),
  'attach-file': attachment('file'),
  'attach-link': attachment('link'),
  'download-attachment': (run) => say`Downloaded the file ${oldAttachment(run)}${ofCard(run)}`,
  'get-attachment-text': (run) => say`Read the file ${oldAttachment(run)}${ofCard(run)}`,
  'delete-attachment': (run) => say`Deleted the attachment ${oldAttachment(run)}${ofCard(run)}`,
}

const word = /^[a-z]{1,40}$/i
/** `/1/cards/…/checklists`: every second segment after the version is an id, or a name. */
const templateOf = (path: string): string => {
  const [before = ''] = path.split('?')
  const [, version = '', ...segments] = before.slice(0, 400).split('/')
  const shown = segments.map((segment, at) => (at % 2 === 0 && word.test(segment) ? segment : '…'))
  return ['', version.length > 3 ? '…' : version, ...shown].join('/')
}

const calls: Record<string, Describe> = {
  'api-call': ({ input, output }) => {
    const [method, path, status] = [textIn(input, 'method'), textIn(input, 'path'), numberIn(output, 'status')]
    const failed = status >= 400 ? `, which answered ${status}` : ''
    return say`Called ${word.test(method ?? '') ? method : 'a method of'} ${templateOf(path ?? '')}${failed}`
  },
  'find-endpoints': (run) => say`Found ${count(rows(run, 'endpoints').length, 'endpoint')}`,
}

export const runSentences: Record<string, Describe> = { ...cards, ...boards, ...partsOfCards, ...calls }

export const describeRun = (
  step: string,
  input: Record<string, unknown>,
  output: unknown,
  names: Names,
): Sentence | undefined =>
  Object.hasOwn(runSentences, step) ? runSentences[step]!({ input, output, names }) : undefined
