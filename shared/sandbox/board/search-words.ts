/**
 * The query language of the provider's search, as its public help page describes it: words, quoted phrases, `@member`,
 * `#label` and operators (`is:`, `has:`, `due:`, `created:`, `edited:`, `list:`, `label:`, `member:`, `board:`,
 * `name:`, `description:`, `comment:`, `checklist:`, `sort:`); a leading minus negates a term.
 */
import type { Card, World } from './records.ts'
import { timeOfId } from './ids.ts'

export type Term = { operator: string; value: string; isNot: boolean }
const dayMs = 86_400_000
const spans: Record<string, number> = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs }
const operators = new Set([
  'is',
  'has',
  'due',
  'created',
  'edited',
  'list',
  'label',
  'member',
  'board',
  'name',
  'description',
  'comment',
  'checklist',
  'sort',
])

/**
 * Splits a query into terms. Words have the operator ''; an unknown operator, as in a URL, makes the whole term a word.
 */
export const termsOf = (query: string): Term[] =>
  [...query.matchAll(/(-?)(?:([a-z]{1,20}):)?(?:"([^"]*)"|(\S+))/gi)].map(
    ([, minus, name = '', inQuotes, plain = '']): Term => {
      const isNot = minus === '-'
      const value = inQuotes ?? plain
      const operator = name.toLowerCase()
      if (operator === '' && value.startsWith('@')) return { operator: 'member', value: value.slice(1), isNot }
      if (operator === '' && value.startsWith('#')) return { operator: 'label', value: value.slice(1), isNot }
      return operators.has(operator)
        ? { operator, value, isNot }
        : { operator: '', value: name === '' ? value : `${name}:${value}`, isNot }
    },
  )

const holds = (text: string, value: string) => text.toLowerCase().includes(value.toLowerCase())
const within = (value: string, at: number, now: number) => at >= now - (spans[value] ?? Number(value) * dayMs)

/** Whether a text contains a word, or, when `partial` is set, a word that begins with it. */
export const hasWord = (text: string, word: string, partial: boolean): boolean => {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return word
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .every((term) => words.some((textWord) => textWord === term || (partial && textWord.startsWith(term))))
}

const has: Record<string, (card: Card) => boolean> = {
  attachments: (card) => card.attachments.length > 0,
  cover: (card) => card.idAttachmentCover !== null,
  description: (card) => card.desc !== '',
  members: (card) => card.idMembers.length > 0,
  stickers: () => false,
}
const isDue = (card: Card, value: string, now: number): boolean => {
  if (card.due === null) return false
  const due = Date.parse(card.due)
  if (value === 'overdue') return due < now && !card.dueComplete
  return due >= now && due <= now + (spans[value] ?? Number(value) * dayMs)
}

type SearchedCard = { world: World; viewer: string | null; card: Card; partial: boolean }
const tests: Record<string, (seen: SearchedCard, value: string) => boolean> = {
  '': ({ card, partial }, value) => hasWord(`${card.name} ${card.desc}`, value, partial),
  sort: () => true,
  is: ({ card }, value) => (value === 'open' ? !card.closed : value === 'archived' ? card.closed : false),
  has: ({ card }, value) => has[value]?.(card) ?? false,
  due: ({ world, card }, value) => isDue(card, value, world.now()),
  created: ({ world, card }, value) => within(value, timeOfId(card.id), world.now()),
  edited: ({ world, card }, value) => within(value, Date.parse(card.dateLastActivity), world.now()),
  name: ({ card }, value) => holds(card.name, value),
  description: ({ card }, value) => holds(card.desc, value),
  list: ({ world, card }, value) => holds(world.state.lists.get(card.idList)?.name ?? '', value),
  board: ({ world, card }, value) =>
    card.idBoard === value || holds(world.state.boards.get(card.idBoard)?.name ?? '', value),
  label: ({ world, card }, value) =>
    card.idLabels.some((id) => {
      const label = world.state.labels.get(id)
      return label !== undefined && (label.color === value || (label.name !== '' && holds(label.name, value)))
    }),
  member: ({ world, viewer, card }, value) =>
    card.idMembers.some((id) =>
      value === 'me' ? id === viewer : world.state.members.get(id)?.username.toLowerCase() === value.toLowerCase(),
    ),
  checklist: ({ world, card }, value) =>
    [...world.state.checklists.values()].some(
      (checklist) => checklist.idCard === card.id && holds(checklist.name, value),
    ),
  comment: ({ world, card }, value) =>
    world.state.actions.some(
      (action) =>
        action.type === 'commentCard' &&
        action.refs.idCard === card.id &&
        holds(String(action.data['text'] ?? ''), value),
    ),
}

export const fits = (terms: Term[], seen: SearchedCard): boolean =>
  terms.every(({ operator, value, isNot }) => tests[operator]!(seen, value) !== isNot)

/** The order that `sort:` requests; by default, newest first. */
export const orderOf = (terms: Term[]): ((a: Card, b: Card) => number) => {
  const by = terms.find(({ operator }) => operator === 'sort')?.value
  if (by === 'edited') return (a, b) => Date.parse(b.dateLastActivity) - Date.parse(a.dateLastActivity)
  if (by === 'due') return (a, b) => Date.parse(a.due ?? '9999-01-01') - Date.parse(b.due ?? '9999-01-01')
  return (a, b) => (a.id < b.id ? 1 : -1)
}
