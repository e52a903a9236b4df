/**
 * What a reader must learn from the sentence of one start of each trigger, written before the sentences: who did it,
 * the words that say what, and everything that the first example of the trigger names.
 */
export type Key = { who?: string; says: string[]; names: string[]; from?: string; to?: string; quote?: string }

const who = 'Mara Quill'

export const key: Record<string, Key> = {
  'new-card': { who, says: ['created'], names: ['Order tiles', 'To order'] },
  'card-updated': {
    who,
    says: ['moved', 'due date'],
    names: ['Order tiles'],
    from: '20 February 2026, 04:00 UTC',
    to: '27 February 2026, 04:00 UTC',
  },
  'card-moved': { who, says: ['moved'], names: ['Order tiles'], from: 'To order', to: 'Ordered' },
  'card-archived': { who, says: [' archived'], names: ['Order tiles', 'Delivered'] },
  'card-unarchived': { who, says: [' unarchived'], names: ['Order tiles', 'Delivered'] },
  'card-deleted': { who, says: ['deleted', 'a card'], names: ['Delivered'] },
  'card-due-date-reminder': { says: ['is due on', '11 February 2026, 10:00 UTC'], names: ['Order tiles'] },
  'card-due-date-changed': {
    who,
    says: ['moved', 'due date'],
    names: ['Order tiles'],
    from: '1 March 2026, 05:00 UTC',
    to: '4 March 2026, 05:00 UTC',
  },
  'new-comment-added-to-card': {
    who,
    says: ['commented on'],
    names: ['Order tiles'],
    quote: 'The grey ones are sold out until March.',
  },
  'mentioned-in-a-comment': {
    who,
    says: ['mentioned', '@odettequill', 'comment'],
    names: ['Order tiles'],
    quote: '@odettequill can you order the tiles today?',
  },
  'comment-edited': { who, says: ['edited a comment'], names: ['Order tiles'], quote: 'Call them at ten.' },
  'new-member-on-card': { who, says: ['added'], names: ['Ilan Brook', 'Order tiles'] },
  'member-removed-from-card': { who, says: ['left the card'], names: ['Order tiles'] },
  'new-label-created': { who, says: ['created the label'], names: ['Fragile', 'Kitchen refit'] },
  'new-label-added-to-card': { who, says: ['added the label', ' to '], names: ['Urgent', 'Order tiles'] },
  'label-removed-from-card': { who, says: ['removed the label', ' from '], names: ['Urgent', 'Order tiles'] },
  'new-checklist': { who, says: ['added the checklist'], names: ['Before ordering', 'Order tiles'] },
  'checklist-item-completed': {
    who,
    says: ['completed the item', 'in the checklist'],
    names: ['Screenshots taken', 'Before publishing', 'Order tiles'],
  },
  'checklist-completed': {
    who,
    says: ['completed the checklist'],
    names: ['Before publishing', 'Screenshots taken', 'Order tiles'],
  },
  'custom-field-changed': { who, says: ['set the custom field'], names: ['Points', 'Order tiles'], to: '3' },
  'new-list': { who, says: ['created the list'], names: ['Someday', 'Kitchen refit'] },
  'list-updated': { who, says: ['renamed the list'], names: ['Kitchen refit'], from: 'Delivered', to: 'Done' },
  'new-board': { who, says: ['created the board'], names: ['Bathroom refit'] },
  'board-closed': { who, says: ['closed the board'], names: ['Kitchen refit'] },
  'new-board-activity': { who, says: ['created the list'], names: ['Delivered', 'Kitchen refit'] },
  'new-notification': { who, says: ['added you to the board'], names: ['Kitchen refit'] },
  'new-attachment': { who, says: ['attached the link'], names: ['Offer', 'Order tiles'] },
  'custom-webhook-events': {
    who,
    says: ['renamed the card'],
    names: [],
    from: 'Order tiles',
    to: 'Order tiles and grout',
  },
}
