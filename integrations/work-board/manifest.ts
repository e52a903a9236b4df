import { defineIntegration } from '#kit'
import { apiCall } from './api-call.ts'
import { keyToken, oauth } from './connections.ts'
import { scopes } from './scopes.ts'
import addChecklist from './steps/add-checklist.ts'
import addComment from './steps/add-comment.ts'
import addCommentToCard from './steps/add-comment-to-card.ts'
import archiveCard from './steps/archive-card.ts'
import createAChecklistItem from './steps/create-a-checklist-item.ts'
import createCard from './steps/create-card.ts'
import createList from './steps/create-list.ts'
import getBoards from './steps/get-boards.ts'
import getCard from './steps/get-card.ts'
import getListCards from './steps/get-list-cards.ts'
import attachFile from './steps/attach-file.ts'
import setCustomFields from './steps/set-custom-fields.ts'
import updateCard from './steps/update-card.ts'
import { triggerAssumptions } from './trigger-assumed.ts'
import cardArchived from './triggers/card-archived.ts'
import cardDueDateReminder from './triggers/card-due-date-reminder.ts'
import cardMoved from './triggers/card-moved.ts'
import cardUpdated from './triggers/card-updated.ts'
import customWebhookEvents from './triggers/custom-webhook-events.ts'
import newAttachment from './triggers/new-attachment.ts'
import newBoard from './triggers/new-board.ts'
import newBoardActivity from './triggers/new-board-activity.ts'
import newCard from './triggers/new-card.ts'
import newChecklist from './triggers/new-checklist.ts'
import newCommentAddedToCard from './triggers/new-comment-added-to-card.ts'
import newLabelAddedToCard from './triggers/new-label-added-to-card.ts'
import newLabelCreated from './triggers/new-label-created.ts'
import newMemberOnCard from './triggers/new-member-on-card.ts'
import newNotification from './triggers/new-notification.ts'
import { vocabulary } from './vocabulary.ts'
import { webhooks } from './webhooks.ts'
import { wire } from './wire.ts'

export default defineIntegration({
  id: 'work-board',
  title: 'Work board',
  summary: 'Cards on boards: read and change boards, lists, cards, comments and checklists.',
  version: '0.1.0',
  maturity: 'beta',
  connections: [oauth, keyToken],
  steps: [
    createCard,
    updateCard,
    getCard,
    archiveCard,
    getBoards,
    getListCards,
    createList,
    addCommentToCard,
    addComment,
    addChecklist,
    createAChecklistItem,
    setCustomFields,
    attachFile,
  ],
  triggers: [
    newCard,
    cardUpdated,
    cardMoved,
    cardArchived,
    cardDueDateReminder,
    newCommentAddedToCard,
    newMemberOnCard,
    newLabelCreated,
    newLabelAddedToCard,
    newChecklist,
    newBoard,
    newBoardActivity,
    newNotification,
    newAttachment,
    customWebhookEvents,
  ],
  webhooks,
  scopes,
  aliases: { subject: 'card', container: 'board', scopes: 'boards' },
  toolSets: [
    {
      id: 'core',
      title: 'Core',
      purpose: 'Read and change cards, lists, comments and checklists, and call any other endpoint.',
      steps: [
        'create-card',
        'update-card',
        'get-card',
        'archive-card',
        'get-boards',
        'get-list-cards',
        'create-list',
        'add-comment-to-card',
        'add-checklist',
        'create-a-checklist-item',
        'find-endpoints',
        'api-call',
      ],
    },
    { id: 'read', title: 'Read', purpose: 'Read boards, lists and cards, and change nothing.', steps: ['get-boards', 'get-list-cards', 'get-card'] },
    {
      id: 'cards',
      title: 'Cards',
      purpose: 'Find, read and change cards, with their comments and checklists, without other endpoints.',
      steps: [
        'get-boards',
        'get-list-cards',
        'get-card',
        'create-card',
        'update-card',
        'archive-card',
        'add-comment-to-card',
        'add-checklist',
        'create-a-checklist-item',
      ],
    },
  ],
  apiCall,
  vocabulary,
  operations: async () => (await import('./operations.ts')).operations,
  wire: { ...wire, assumed: { ...wire.assumed, ...triggerAssumptions } },
})
