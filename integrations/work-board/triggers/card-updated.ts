import { z } from '#kit'
import type { Json } from '#kit'
import { cardTrigger } from '../card-trigger.ts'
import * as specs from '../field-specs.ts'
import type { BoardEvent, BoardFacts } from '../event.ts'
import { onCard, place, cardEventData } from '../event-schemas.ts'
import { boardsField, cardsField, listsField } from '../watch-fields.ts'
import { boardsConfig, cardsConfig, isReportedByArrival, listsConfig } from '../event-filters.ts'

/**
 * Changes that the board reports as actions of their own: the property, and the part of the action that was added or
 * removed.
 */
const parts: { [type: string]: { property: string; part: string; gone?: true } } = {
  addMemberToCard: { property: 'idMembers', part: 'member' },
  removeMemberFromCard: { property: 'idMembers', part: 'member', gone: true },
  addAttachmentToCard: { property: 'attachments', part: 'attachment' },
  deleteAttachmentFromCard: { property: 'attachments', part: 'attachment', gone: true },
  addChecklistToCard: { property: 'checklists', part: 'checklist' },
  removeChecklistFromCard: { property: 'checklists', part: 'checklist', gone: true },
  updateChecklist: { property: 'checklists', part: 'checklist' },
  createCheckItem: { property: 'checkItems', part: 'checkItem' },
  updateCheckItem: { property: 'checkItems', part: 'checkItem' },
  updateCheckItemStateOnCard: { property: 'checkItems', part: 'checkItem' },
  deleteCheckItem: { property: 'checkItems', part: 'checkItem', gone: true },
  updateCustomFieldItem: { property: 'customFieldItems', part: 'customFieldItem' },
}
const moves = ['moveCardToBoard', 'moveCardFromBoard']

// addLabelToCard and removeLabelFromCard are left out on purpose: each comes with an updateCard that has the labels
// before and after. So one change of labels counts once, and also after downtime, when only the updateCard can be
// recovered.
const types = ['updateCard', ...moves, ...Object.keys(parts)]

const properties = [
  'name',
  'desc',
  'due',
  'dueComplete',
  'dueReminder',
  'start',
  'closed',
  'idList',
  'idBoard',
  'pos',
  'idLabels',
  'idMembers',
  'attachments',
  'checklists',
  'checkItems',
  'idAttachmentCover',
  'cover',
  'address',
  'locationName',
  'coordinates',
  'customFieldItems',
  'other',
] as const
type Property = (typeof properties)[number]
const named = new Set<string>(properties)

type Change = { changed: string[]; before: { [property: string]: Json }; after: { [property: string]: Json } }

const changeOfPart = (event: BoardEvent, { property, part, gone }: (typeof parts)[string]): Change => {
  const ref = event.about[part]
  // An update of a part (a renamed checklist) reports the part's own former values.
  const before = event.before ? { ...(ref?.id === undefined ? {} : { id: ref.id }), ...event.before } : undefined
  return {
    changed: [property],
    before: gone && ref ? { [part]: ref } : before ? { [part]: before } : {},
    after: !gone && ref ? { [part]: ref } : {},
  }
}

const changeOfBoard = ({ from, to }: BoardEvent): Change => {
  const ids = (place: BoardEvent['from']) => ({
    ...(place?.board ? { idBoard: place.board.id } : {}),
    ...(place?.list ? { idList: place.list.id } : {}),
  })
  return { changed: ['idBoard', 'idList'], before: ids(from), after: ids(to) }
}

const changeOf = (event: BoardEvent): Change => {
  const part = Object.hasOwn(parts, event.type) ? parts[event.type] : undefined
  if (part) return changeOfPart(event, part)
  if (moves.includes(event.type)) return changeOfBoard(event)
  return { changed: Object.keys(event.before ?? {}), before: event.before ?? {}, after: event.after ?? {} }
}

const isWanted = (changed: string[], watchedProperties: Property[] = []) =>
  watchedProperties.length === 0 ||
  changed.some((property) => watchedProperties.includes((named.has(property) ? property : 'other') as Property))

const values = (when: string) =>
  z.record(z.string(), z.unknown()).meta({
    description: `The changed properties as they were ${when}; of members, attachments, checklists and items only the one that changed.`,
  })

export default cardTrigger({
  id: 'card-updated',
  title: 'Card Updated',
  purpose:
    'Starts when any property of a card on a watched board changes (text, dates, labels, members, attachments, checklists and so on), and when the card moves or is archived.',
  keywords: ['card changed', 'edited', 'due date changed', 'renamed', 'assigned'],
  icon: 'card-edit',
  config: () =>
    z.strictObject({
      boards: boardsConfig(),
      lists: listsConfig(
        'Only cards in these lists, by id; none for every list. A move counts for the list left and the list entered; a move between two watched boards for the list entered.',
      ),
      cards: cardsConfig(),
      properties: z.array(z.enum(properties)).max(properties.length).optional().meta({
        title: 'Properties',
        description: 'Only changes of these properties; leave empty for all.',
        agentDescription:
          'Only changes of these properties; none for all. "pos" is the place in the list, "closed" archiving and restoring, "other" what is not named here.',
      }),
    }),
  data: () =>
    z.object({
      ...onCard(),
      changed: z.array(z.string()).meta({ description: 'Names of the changed properties.' }),
      before: values('before'),
      after: values('after'),
      from: place().optional().meta({ description: 'Of a move: where the card was.' }),
      to: place().optional().meta({ description: 'Of a move: where the card is now.' }),
    }),
  fields: { boards: boardsField, lists: listsField, cards: cardsField, properties: { labels: specs.properties } },
  caveat:
    'Added, changed and deleted checklist items, and custom field values, are webhook only. Dragging a card to another list may produce two changes, of the list and of the position in it: choose properties, or a settle time, to start once. Comments are not changes of a card.',
  on: types,
  match(event, config, facts: BoardFacts) {
    if (isReportedByArrival(event, config)) return undefined
    const change = changeOf(event)
    if (!isWanted(change.changed, config.properties)) return undefined
    // As `cardEventData`, field by field.
    const data = cardEventData(event, facts) as ReturnType<typeof cardEventData> &
      Change &
      Pick<BoardEvent, 'from' | 'to'>
    data.changed = change.changed
    data.before = change.before
    data.after = change.after
    if (event.from) data.from = event.from
    if (event.to) data.to = event.to
    return data
  },
})
