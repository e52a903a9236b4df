import { say, valuePart } from '#kit'
import type { Names, Sentence, SentencePart } from '#kit'
import { propertyWord } from './event-changes.ts'
import { refIn, thingPart } from './event-parts.ts'
import { isLongId } from './refs.ts'

/** What a subscription waits for, from its trigger and config. */

type Config = Record<string, unknown>
type Describe = (config: Config, names: Names) => Sentence

const textsIn = (config: Config, field: string): string[] => {
  const value = config[field]
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : []
}

/** `A, B or C` */
const join = (parts: (SentencePart | Sentence | string)[]): Sentence =>
  parts.flatMap((part, at) => {
    const before = at === 0 ? '' : at === parts.length - 1 ? ' or ' : ', '
    return say`${before}${part}`
  })

const plurals: { [kind: string]: string } = { customField: 'custom fields' }
const maxNamed = 3

/** `Kitchen refit, Garden or 4 other boards`; names that are not known yet may be filled in later. */
const oneOf = (kind: string, ids: string[], names: Names, otherwise?: string): Sentence => {
  const count = ids.length > maxNamed ? maxNamed - 1 : ids.length
  const parts = ids
    .slice(0, count)
    .map((id, at) =>
      thingPart('where', kind, { id }, names, at === 0 || otherwise !== undefined ? otherwise : `another ${kind}`),
    )
  if (parts.length === 0) return [thingPart('where', kind, undefined, names)]
  return join(count === ids.length ? parts : [...parts, `${ids.length - count} other ${plurals[kind] ?? `${kind}s`}`])
}

const boards = (config: Config, names: Names) => oneOf('board', textsIn(config, 'boards'), names)
const inLists = (config: Config, names: Names): Sentence => {
  const lists = textsIn(config, 'lists')
  return lists.length === 0 ? [] : say` in ${oneOf('list', lists, names)}`
}

/** `a card of Kitchen refit`, `Order tiles in To order of Kitchen refit` */
const aCard = (config: Config, names: Names): Sentence => {
  const cards = textsIn(config, 'cards')
  const card = cards.length === 0 ? 'a card' : oneOf('card', cards, names)
  return say`${card}${inLists(config, names)} of ${boards(config, names)}`
}

/** What is about a card, such as "a comment on". */
const ofCard =
  (what: string): Describe =>
  (config, names) =>
    say`${what} ${aCard(config, names)}`

const onBoard =
  (what: string): Describe =>
  (config, names) =>
    say`${what} ${boards(config, names)}`

const choice = (field: string, words: { [value: string]: string }, config: Config): string | undefined => {
  const chosen = textsIn(config, field).map((value) => words[value] ?? value)
  if (chosen.length === 0) return undefined
  return chosen.length === 1 ? chosen[0] : `${chosen.slice(0, -1).join(', ')} or ${chosen.at(-1)}`
}

const ways = {
  created: 'created',
  copied: 'copied',
  emailed: 'sent by e-mail',
  converted: 'made from a checklist item',
  moved: 'moved in from another board',
}
const newCard: Describe = (config, names) => {
  const way = choice('ways', ways, config)
  const lists = inLists(config, names)
  const place = lists.length === 0 ? say` on ${boards(config, names)}` : say`${lists} of ${boards(config, names)}`
  return say`a new card${way === undefined ? '' : ` (${way})`}${place}`
}

/** `the name or another property of ` */
const ofProperties = (config: Config): string => {
  const words = textsIn(config, 'properties').map((property) =>
    property === 'other' ? 'another property' : `the ${propertyWord(property)}`,
  )
  return words.length === 0 ? '' : `${words.join(' or ')} of `
}

const cardMoved: Describe = (config, names) => {
  const [from, to] = [textsIn(config, 'fromLists'), textsIn(config, 'toLists')]
  const card = say`a card of ${boards(config, names)} that moves`
  if (from.length === 0 && to.length === 0) return say`${card} to another list`
  const source = from.length === 0 ? [] : say` from ${oneOf('list', from, names)}`
  return say`${card}${source}${to.length === 0 ? [] : say` to ${oneOf('list', to, names)}`}`
}

const durationOf = (minutes: number): string => {
  const [count, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
const dueReminder: Describe = (config, names) => {
  const minutes = typeof config['leadMinutes'] === 'number' ? config['leadMinutes'] : 60
  return say`${aCard(config, names)} that is due${minutes === 0 ? '' : ` in ${durationOf(minutes)}`}`
}

const mention: Describe = (config, names) => {
  const member = typeof config['member'] === 'string' ? config['member'] : 'me'
  const who =
    member === 'me'
      ? 'the connected account'
      : isLongId(member)
        ? thingPart('what', 'member', { id: member }, names)
        : valuePart(`@${member}`)
  return say`a comment on ${aCard(config, names)} that mentions ${who}`
}

const members =
  (verb: string): Describe =>
  (config, names) =>
    config['onlyMe'] === true
      ? say`the connected account when it is ${verb} ${aCard(config, names)}`
      : say`a member who is ${verb} ${aCard(config, names)}`

const labels =
  (verb: string): Describe =>
  (config, names) => {
    const ids = textsIn(config, 'labels')
    return ids.length === 0
      ? say`a label that is ${verb} ${aCard(config, names)}`
      : say`the label ${oneOf('label', ids, names, 'without a known name')} when it is ${verb} ${aCard(config, names)}`
  }

const customField: Describe = (config, names) => {
  const ids = textsIn(config, 'customFields')
  const field = ids.length === 0 ? 'a custom field' : oneOf('customField', ids, names)
  return say`a new value of ${field} on ${aCard(config, names)}`
}

const listUpdated: Describe = (config, names) => {
  const lists = textsIn(config, 'lists')
  const list = lists.length === 0 ? 'a list' : say`the list ${oneOf('list', lists, names, 'without a known name')}`
  return say`a change of ${ofProperties(config)}${list} of ${boards(config, names)}`
}

const newBoard: Describe = (config, names) => {
  const ref = refIn('organization', { id: config['idOrganization'] })
  return ref === undefined
    ? say`a new board of the connected account`
    : say`a new board in ${thingPart('where', 'organization', ref, names)}`
}

const kinds: { [kind: string]: string } = {
  create: 'anything created',
  update: 'anything changed',
  delete: 'anything deleted',
  other: 'any other activity',
}
const maxTypes = 4
/** Types keep the board's own names, which is what people choose them by. */
const typesOf = (config: Config, otherwise: string): Sentence => {
  const chosen = [
    ...textsIn(config, 'kinds').map((kind) => kinds[kind] ?? kind),
    ...textsIn(config, 'types').map(valuePart),
  ]
  if (chosen.length === 0) return [{ text: otherwise }]
  return join(
    chosen.length <= maxTypes ? chosen : [...chosen.slice(0, maxTypes - 1), `${chosen.length - maxTypes + 1} others`],
  )
}
const activity: Describe = (config, names) => {
  const isOfCards = textsIn(config, 'cards').length > 0 || textsIn(config, 'lists').length > 0
  return say`${typesOf(config, 'any activity')} on ${isOfCards ? aCard(config, names) : boards(config, names)}`
}

const notification: Describe = (config) => {
  const isAny = textsIn(config, 'types').length === 0
  return isAny
    ? say`a notification to the connected account`
    : say`a notification to the connected account of the type ${typesOf(config, '')}`
}

const waits: Record<string, Describe> = {
  'new-card': newCard,
  'card-updated': (config, names) => say`a change of ${ofProperties(config)}${aCard(config, names)}`,
  'card-moved': cardMoved,
  'card-archived': (config, names) => say`${aCard(config, names)} that is archived`,
  'card-unarchived': (config, names) => say`${aCard(config, names)} that is unarchived`,
  'card-deleted': (config, names) => say`${aCard(config, names)} that is deleted`,
  'card-due-date-reminder': dueReminder,
  'card-due-date-changed': (config, names) =>
    say`a due date that is ${choice('changes', {}, config) ?? 'set, moved or removed'} on ${aCard(config, names)}`,
  'new-comment-added-to-card': ofCard('a comment on'),
  'mentioned-in-a-comment': mention,
  'comment-edited': ofCard('an edited comment on'),
  'new-member-on-card': members('added to'),
  'member-removed-from-card': members('removed from'),
  'new-label-created': onBoard('a new label on'),
  'new-label-added-to-card': labels('added to'),
  'label-removed-from-card': labels('removed from'),
  'new-checklist': ofCard('a new checklist on'),
  'checklist-item-completed': ofCard('a completed checklist item on'),
  'checklist-completed': ofCard('a completed checklist on'),
  'custom-field-changed': customField,
  'new-list': onBoard('a new list on'),
  'list-updated': listUpdated,
  'new-board': newBoard,
  'board-closed': onBoard('the closing of'),
  'new-board-activity': activity,
  'new-notification': notification,
  'new-attachment': ofCard('a new attachment on'),
  'custom-webhook-events': activity,
}

export const describeWait = (trigger: string, config: Config, names: Names): Sentence | undefined =>
  Object.hasOwn(waits, trigger) ? waits[trigger]!(config, names) : undefined
