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

const any = ['custom-webhook-events', 'new-board-activity']
const updated = ['card-updated', ...any]

export const sampleTable: { [file: string]: SampleRow } = {
  'addAttachmentToCard.json': { type: 'addAttachmentToCard', watched: 'board', starts: ['new-attachment', ...updated] },
  'addChecklistToCard.json': { type: 'addChecklistToCard', watched: 'board', starts: ['new-checklist', ...updated] },
  'addLabelToCard.json': { type: 'addLabelToCard', watched: 'board', starts: ['new-label-added-to-card'] },
  'addMemberToCard.json': { type: 'addMemberToCard', watched: 'board', starts: ['new-member-on-card', ...updated] },
  'commentCard.json': { type: 'commentCard', watched: 'board', starts: ['new-comment-added-to-card', ...any] },
  'removeLabelFromCard.json': { type: 'removeLabelFromCard', watched: 'board', starts: ['label-removed-from-card'] },
  'removeMemberFromCard.json': {
    type: 'removeMemberFromCard',
    watched: 'board',
    starts: ['member-removed-from-card', ...updated],
  },
  'updateBoard-1.json': { type: 'updateBoard', watched: 'board', changed: ['name'], starts: any },
  'updateCard-1.json': {
    type: 'updateCard',
    watched: 'board',
    changed: ['idList'],
    starts: ['card-moved', ...updated],
  },
  'updateCard-10.json': {
    type: 'updateCard',
    watched: 'board',
    changed: ['closed'],
    starts: ['card-archived', ...updated],
  },
  'updateCard-2.json': { type: 'updateCard', watched: 'board', changed: ['desc'], starts: updated },
  'updateCard-3.json': {
    type: 'updateCard',
    watched: 'board',
    changed: ['due'],
    starts: ['card-due-date-changed', ...updated],
  },
  'updateCard-4.json': { type: 'updateCard', watched: 'board', changed: ['dueComplete'], starts: updated },
  'updateCard-5.json': { type: 'updateCard', watched: 'board', changed: ['idLabels'], starts: updated },
  'updateCard-6.json': { type: 'updateCard', watched: 'board', changed: ['pos'], starts: updated },
  'updateCard-7.json': { type: 'updateCard', watched: 'member', changed: ['desc'], starts: updated },
  'updateCard-8.json': { type: 'updateCard', watched: 'list', changed: ['desc'], starts: updated },
  'updateCard-9.json': { type: 'updateCard', watched: 'card', changed: ['desc'], starts: updated },
  'updateCheckItemStateOnCard.json': {
    type: 'updateCheckItemStateOnCard',
    watched: 'board',
    starts: ['checklist-completed', 'checklist-item-completed', ...updated],
  },
  'updateList-1.json': { type: 'updateList', watched: 'board', changed: ['name'], starts: ['list-updated', ...any] },
}
