import type { Step } from '#kit'
import addChecklist from './steps/add-checklist.ts'
import addComment from './steps/add-comment.ts'
import addCommentToCard from './steps/add-comment-to-card.ts'
import addLabelToCard from './steps/add-label-to-card.ts'
import addMemberToBoard from './steps/add-member-to-board.ts'
import addMemberToCard from './steps/add-member-to-card.ts'
import moveCards from './steps/move-cards.ts'
import archiveCards from './steps/archive-cards.ts'
import labelCards from './steps/label-cards.ts'
import assignCards from './steps/assign-cards.ts'
import archiveAllCards from './steps/archive-all-cards.ts'
import archiveCard from './steps/archive-card.ts'
import archiveList from './steps/archive-list.ts'
import attachFile from './steps/attach-file.ts'
import attachLink from './steps/attach-link.ts'
import closeBoard from './steps/close-board.ts'
import completeChecklistItem from './steps/complete-checklist-item.ts'
import copyBoard from './steps/copy-board.ts'
import copyCard from './steps/copy-card.ts'
import createAChecklistItem from './steps/create-a-checklist-item.ts'
import createBoard from './steps/create-board.ts'
import createCard from './steps/create-card.ts'
import createLabel from './steps/create-label.ts'
import createList from './steps/create-list.ts'
import deleteAttachment from './steps/delete-attachment.ts'
import deleteCard from './steps/delete-card.ts'
import deleteChecklist from './steps/delete-checklist.ts'
import deleteChecklistItem from './steps/delete-checklist-item.ts'
import deleteComment from './steps/delete-comment.ts'
import deleteLabel from './steps/delete-label.ts'
import downloadAttachment from './steps/download-attachment.ts'
import findCard from './steps/find-card.ts'
import getAttachments from './steps/get-attachments.ts'
import getBoard from './steps/get-board.ts'
import getBoardCards from './steps/get-board-cards.ts'
import getBoards from './steps/get-boards.ts'
import getCard from './steps/get-card.ts'
import getCardActivity from './steps/get-card-activity.ts'
import getCardCustomFields from './steps/get-card-custom-fields.ts'
import getChecklists from './steps/get-checklists.ts'
import getComments from './steps/get-comments.ts'
import getCustomFields from './steps/get-custom-fields.ts'
import getLabels from './steps/get-labels.ts'
import getListCards from './steps/get-list-cards.ts'
import getLists from './steps/get-lists.ts'
import getMembers from './steps/get-members.ts'
import moveAllCards from './steps/move-all-cards.ts'
import moveCard from './steps/move-card.ts'
import reactToComment from './steps/react-to-comment.ts'
import removeLabelFromCard from './steps/remove-label-from-card.ts'
import removeMemberFromCard from './steps/remove-member-from-card.ts'
import search from './steps/search.ts'
import searchMembers from './steps/search-members.ts'
import setCustomFields from './steps/set-custom-fields.ts'
import updateBoard from './steps/update-board.ts'
import updateCard from './steps/update-card.ts'
import updateChecklistItem from './steps/update-checklist-item.ts'
import updateComment from './steps/update-comment.ts'
import updateLabel from './steps/update-label.ts'
import updateList from './steps/update-list.ts'

/** Every step of the board, in display order. */
export const steps: Step[] = [
  createCard,
  updateCard,
  getCard,
  moveCard,
  copyCard,
  archiveCard,
  deleteCard,
  getCardActivity,
  getCardCustomFields,
  setCustomFields,
  search,
  findCard,
  getBoards,
  getBoard,
  createBoard,
  copyBoard,
  updateBoard,
  closeBoard,
  getCustomFields,
  getLists,
  getListCards,
  createList,
  updateList,
  archiveList,
  getBoardCards,
  moveAllCards,
  archiveAllCards,
  moveCards,
  labelCards,
  assignCards,
  archiveCards,
  getComments,
  addCommentToCard,
  addComment,
  updateComment,
  deleteComment,
  reactToComment,
  getChecklists,
  addChecklist,
  deleteChecklist,
  createAChecklistItem,
  updateChecklistItem,
  completeChecklistItem,
  deleteChecklistItem,
  getLabels,
  createLabel,
  updateLabel,
  deleteLabel,
  addLabelToCard,
  removeLabelFromCard,
  getMembers,
  searchMembers,
  addMemberToCard,
  removeMemberFromCard,
  addMemberToBoard,
  getAttachments,
  attachFile,
  attachLink,
  downloadAttachment,
  deleteAttachment,
]
