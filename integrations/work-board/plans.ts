import { namePart, quotePart, say } from '#kit'
import type { Names, Sentence } from '#kit'

type Input = Record<string, unknown>
type Words = ReturnType<typeof wordsFor>
type Plan = (words: Words, input: Input) => Sentence

/** What things are called here; a thing without a name is only "a card". */
const nouns: { [kind: string]: string } = {
  checkItem: 'item',
  customField: 'custom field',
  member: '',
  action: 'comment',
}

const wordsFor = (input: Input, names: Names) => {
  const text = (field: string) => {
    const value = input[field]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  /** The thing that a field names: `the card Call Bob`, or `a card`. */
  const the = (kind: string, field: string, otherwise = `a ${nouns[kind] || kind}`): Sentence => {
    const id = text(field)
    if (id === undefined) return say`${otherwise}`
    const part = namePart('what', { kind, id }, otherwise, names)
    const noun = nouns[kind] ?? kind
    return part.unnamed || noun === '' ? [part] : say`the ${noun} ${part}`
  }
  /** ` in the list Ideas`, where the field names something that has a name. */
  const at = (word: string, kind: string, field: string): Sentence => {
    const id = text(field)
    if (id === undefined) return []
    const part = namePart(word === 'to' ? 'to' : 'where', { kind, id }, `a ${kind}`, names)
    return say` ${word} ${part.unnamed ? part : say`the ${kind} ${part}`}`
  }
  const quote = (field: string): Sentence => {
    const said = text(field)
    return said === undefined ? [] : say`: ${quotePart(said)}`
  }
  /** A thing that is made, by the name that it gets. */
  const made = (noun: string, field = 'name'): Sentence => {
    const name = text(field)
    return name === undefined ? say`a ${noun}` : say`the ${noun} ${{ text: quotePart(name).text, role: 'what' }}`
  }
  /** How many cards: those named, or those that a search finds. */
  const cards = (): Sentence => {
    const ids = input['idCards']
    if (Array.isArray(ids)) return say`${cardCount(ids)}`
    return say`the cards that match${quote('query')}`
  }
  return { the, at, quote, made, cards, member: (field: string) => the('member', field, 'somebody') }
}

const cardCount = (cards: unknown) =>
  Array.isArray(cards) && cards.length !== 1 ? `${cards.length} cards` : 'one card'

const onCard: Plan = ({ at }) => at('on', 'card', 'idCard')

/** What a run of each step that changes something would do, as it follows "wants to". */
const plans: { [step: string]: Plan } = {
  'create-card': ({ made, at }) => say`create ${made('card')}${at('in', 'list', 'idList')}`,
  'create-cards': ({ at }, { cards, file }) =>
    say`create ${file === undefined ? cardCount(cards) : 'the cards of a file'}${at('in', 'list', 'idList')}`,
  'update-card': ({ the }, { closed }) => say`${closed === true ? 'archive' : 'change'} ${the('card', 'idCard')}`,
  'move-card': ({ the, at }) => say`move ${the('card', 'idCard')}${at('to', 'list', 'idList')}`,
  'copy-card': ({ the, at }) => say`copy ${the('card', 'idCard')}${at('to', 'list', 'idList')}`,
  'archive-card': ({ the }) => say`archive ${the('card', 'idCard')}`,
  'delete-card': ({ the }) => say`delete ${the('card', 'idCard')} for good`,
  'set-custom-fields': ({ the }) => say`set custom fields of ${the('card', 'idCard')}`,
  'add-vote': ({ the }) => say`vote on ${the('card', 'idCard')}`,
  'remove-vote': ({ the }) => say`take back the vote on ${the('card', 'idCard')}`,
  'create-board': ({ made }) => say`create ${made('board')}`,
  'copy-board': ({ the }) => say`copy ${the('board', 'idBoard')}`,
  'update-board': ({ the }) => say`change ${the('board', 'idBoard')}`,
  'close-board': ({ the }) => say`close ${the('board', 'idBoard')}`,
  'delete-board': ({ the }) => say`delete ${the('board', 'idBoard')} for good`,
  'define-custom-field': ({ made, at }) => say`define ${made('custom field')}${at('on', 'board', 'idBoard')}`,
  'update-custom-field': ({ the }) => say`change ${the('customField', 'idCustomField')}`,
  'delete-custom-field': ({ the }) => say`delete ${the('customField', 'idCustomField')} for good`,
  'create-list': ({ made, at }) => say`create ${made('list')}${at('on', 'board', 'idBoard')}`,
  'update-list': ({ the }, { closed }) => say`${closed === true ? 'archive' : 'change'} ${the('list', 'idList')}`,
  'archive-list': ({ the }) => say`archive ${the('list', 'idList')}`,
  'move-all-cards': ({ at }) => say`move all cards${at('in', 'list', 'fromList')}${at('to', 'list', 'idList')}`,
  'archive-all-cards': ({ at }) => say`archive all cards${at('in', 'list', 'idList')}`,
  'move-cards': ({ cards, at }) => say`move ${cards()}${at('to', 'list', 'idList')}`,
  'label-cards': ({ cards, the }, { remove }) =>
    remove === true
      ? say`remove ${the('label', 'idLabel')} from ${cards()}`
      : say`add ${the('label', 'idLabel')} to ${cards()}`,
  'assign-cards': ({ cards, member }, { remove }) =>
    remove === true ? say`take ${member('idMember')} off ${cards()}` : say`assign ${cards()} to ${member('idMember')}`,
  'archive-cards': ({ cards, at }) => say`archive ${cards()}${at('on', 'board', 'idBoard')}`,
  'add-comment-to-card': ({ at, quote }) => say`comment${at('on', 'card', 'idCard')}${quote('text')}`,
  'add-comment': ({ at, quote }) => say`comment${at('on', 'card', 'idCard')}${quote('text')}`,
  'update-comment': (words, input) => say`change a comment${onCard(words, input)}${words.quote('text')}`,
  'delete-comment': (words, input) => say`delete a comment${onCard(words, input)}`,
  'react-to-comment': (words, input) => say`react to a comment${onCard(words, input)}`,
  'add-checklist': ({ made, at }) => say`add ${made('checklist')}${at('to', 'card', 'idCard')}`,
  'update-checklist': (words, input) => say`change ${words.the('checklist', 'idChecklist')}${onCard(words, input)}`,
  'delete-checklist': (words, input) => say`delete ${words.the('checklist', 'idChecklist')}${onCard(words, input)}`,
  'create-a-checklist-item': ({ made, at }) => say`add ${made('item')}${at('to', 'checklist', 'idChecklist')}`,
  'update-checklist-item': (words, input) =>
    say`change ${words.the('checkItem', 'idCheckItem', 'an item')}${onCard(words, input)}`,
  'complete-checklist-item': (words, input) =>
    say`complete ${words.the('checkItem', 'idCheckItem', 'an item')}${onCard(words, input)}`,
  'delete-checklist-item': (words, input) =>
    say`delete ${words.the('checkItem', 'idCheckItem', 'an item')}${onCard(words, input)}`,
  'create-label': ({ made, at }) => say`create ${made('label')}${at('on', 'board', 'idBoard')}`,
  'update-label': ({ the }) => say`change ${the('label', 'idLabel')}`,
  'delete-label': ({ the }) => say`delete ${the('label', 'idLabel')}`,
  'add-label-to-card': ({ the, at }) => say`add ${the('label', 'idLabel')}${at('to', 'card', 'idCard')}`,
  'remove-label-from-card': ({ the, at }) => say`remove ${the('label', 'idLabel')}${at('from', 'card', 'idCard')}`,
  'add-member-to-card': ({ member, the }) => say`add ${member('idMember')} to ${the('card', 'idCard')}`,
  'remove-member-from-card': ({ member, the }) => say`remove ${member('idMember')} from ${the('card', 'idCard')}`,
  'add-member-to-board': ({ member, the }) => say`add ${member('idMember')} to ${the('board', 'idBoard')}`,
  'invite-to-board': ({ the, quote }) => say`invite somebody to ${the('board', 'idBoard')}${quote('email')}`,
  'set-member-role': ({ member, the }) => say`change the role of ${member('idMember')} on ${the('board', 'idBoard')}`,
  'remove-member-from-board': ({ member, the }) => say`remove ${member('idMember')} from ${the('board', 'idBoard')}`,
  'attach-file': ({ the }) => say`attach a file to ${the('card', 'idCard')}`,
  'attach-link': ({ the, quote }) => say`attach a link to ${the('card', 'idCard')}${quote('url')}`,
  'delete-attachment': (words, input) => say`delete an attachment${onCard(words, input)}`,
}

export const describePlan = (step: string, input: Input, names: Names): Sentence | undefined =>
  plans[step]?.(wordsFor(input, names), input)
