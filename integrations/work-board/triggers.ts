import type { Trigger } from '#kit'
import boardClosed from './triggers/board-closed.ts'
import cardArchived from './triggers/card-archived.ts'
import cardDeleted from './triggers/card-deleted.ts'
import cardDueDateChanged from './triggers/card-due-date-changed.ts'
import cardDueDateReminder from './triggers/card-due-date-reminder.ts'
import cardMoved from './triggers/card-moved.ts'
import cardUnarchived from './triggers/card-unarchived.ts'
import cardUpdated from './triggers/card-updated.ts'
import checklistCompleted from './triggers/checklist-completed.ts'
import checklistItemCompleted from './triggers/checklist-item-completed.ts'
import commentEdited from './triggers/comment-edited.ts'
import customFieldChanged from './triggers/custom-field-changed.ts'
import customWebhookEvents from './triggers/custom-webhook-events.ts'
import labelRemovedFromCard from './triggers/label-removed-from-card.ts'
import listUpdated from './triggers/list-updated.ts'
import memberRemovedFromCard from './triggers/member-removed-from-card.ts'
import mentionedInComment from './triggers/mentioned-in-a-comment.ts'
import newAttachment from './triggers/new-attachment.ts'
import newBoardActivity from './triggers/new-board-activity.ts'
import newBoard from './triggers/new-board.ts'
import newCard from './triggers/new-card.ts'
import newChecklist from './triggers/new-checklist.ts'
import newCommentAddedToCard from './triggers/new-comment-added-to-card.ts'
import newLabelAddedToCard from './triggers/new-label-added-to-card.ts'
import newLabelCreated from './triggers/new-label-created.ts'
import newList from './triggers/new-list.ts'
import newMemberOnCard from './triggers/new-member-on-card.ts'
import newNotification from './triggers/new-notification.ts'

/** Every trigger of the board, in display order. */
export const triggers: Trigger[] = [
  newCard,
  cardUpdated,
  cardMoved,
  cardArchived,
  cardUnarchived,
  cardDeleted,
  cardDueDateReminder,
  cardDueDateChanged,
  newCommentAddedToCard,
  mentionedInComment,
  commentEdited,
  newMemberOnCard,
  memberRemovedFromCard,
  newLabelCreated,
  newLabelAddedToCard,
  labelRemovedFromCard,
  newChecklist,
  checklistItemCompleted,
  checklistCompleted,
  customFieldChanged,
  newList,
  listUpdated,
  newBoard,
  boardClosed,
  newBoardActivity,
  newNotification,
  newAttachment,
  customWebhookEvents,
]
