import type { Step } from '#kit'
import addChecklist from './steps/add-checklist.ts'
import addComment from './steps/add-comment.ts'
import addCommentToCard from './steps/add-comment-to-card.ts'
import addLabelToCard from './steps/add-label-to-card.ts'
import addMemberToBoard from './steps/add-member-to-board.ts'
import addMemberToCard from './steps/add-member-to-card.ts'
import addVote from './steps/add-vote.ts'
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
import createCards from './steps/create-cards.ts'
import createList from './steps/create-list.ts'
import deleteAttachment from './steps/delete-attachment.ts'
import deleteBoard from './steps/delete-board.ts'
import deleteCard from './steps/delete-card.ts'
import deleteChecklist from './steps/delete-checklist.ts'
import deleteChecklistItem from './steps/delete-checklist-item.ts'
import deleteComment from './steps/delete-comment.ts'
import deleteLabel from './steps/delete-label.ts'
import getAttachmentText from './steps/get-attachment-text.ts'
import downloadAttachment from './steps/download-attachment.ts'
import findCard from './steps/find-card.ts'
import getAttachments from './steps/get-attachments.ts'
import getBoard from './steps/get-board.ts'
import getBoardActivity from './steps/get-board-activity.ts'
import getBoardCards from './steps/get-board-cards.ts'
import getBoards from './steps/get-boards.ts'
import getCard from './steps/get-card.ts'
import getCardActivity from './steps/get-card-activity.ts'
import defineCustomField from './steps/define-custom-field.ts'
import updateCustomField from './steps/update-custom-field.ts'
import deleteCustomField from './steps/delete-custom-field.ts'
import getCardCustomFields from './steps/get-card-custom-fields.ts'
import getChecklists from './steps/get-checklists.ts'
import getComments from './steps/get-comments.ts'
import getCustomFields from './steps/get-custom-fields.ts'
import getLabel from './steps/get-label.ts'
import getLabels from './steps/get-labels.ts'
import getList from './steps/get-list.ts'
import getListCards from './steps/get-list-cards.ts'
import getLists from './steps/get-lists.ts'
import getMember from './steps/get-member.ts'
import getMembers from './steps/get-members.ts'
import getVotes from './steps/get-votes.ts'
import getWorkspaces from './steps/get-workspaces.ts'
import inviteToBoard from './steps/invite-to-board.ts'
import moveAllCards from './steps/move-all-cards.ts'
import moveCard from './steps/move-card.ts'
import reactToComment from './steps/react-to-comment.ts'
import removeLabelFromCard from './steps/remove-label-from-card.ts'
import removeMemberFromBoard from './steps/remove-member-from-board.ts'
import removeMemberFromCard from './steps/remove-member-from-card.ts'
import removeVote from './steps/remove-vote.ts'
import search from './steps/search.ts'
import searchMembers from './steps/search-members.ts'
import setCustomFields from './steps/set-custom-fields.ts'
import setMemberRole from './steps/set-member-role.ts'
import updateBoard from './steps/update-board.ts'
import updateCard from './steps/update-card.ts'
import updateChecklist from './steps/update-checklist.ts'
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
  getVotes,
  addVote,
  removeVote,
  getCardCustomFields,
  setCustomFields,
  search,
  findCard,
  getBoards,
  getBoard,
  getBoardActivity,
  createBoard,
  copyBoard,
  updateBoard,
  closeBoard,
  deleteBoard,
  getWorkspaces,
  getCustomFields,
  defineCustomField,
  updateCustomField,
  deleteCustomField,
  getLists,
  getList,
  getListCards,
  createList,
  updateList,
  archiveList,
  getBoardCards,
  moveAllCards,
  archiveAllCards,
  createCards,
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
  updateChecklist,
  deleteChecklist,
  createAChecklistItem,
  updateChecklistItem,
  completeChecklistItem,
  deleteChecklistItem,
  getLabels,
  getLabel,
  createLabel,
  updateLabel,
  deleteLabel,
  addLabelToCard,
  removeLabelFromCard,
  getMembers,
  getMember,
  searchMembers,
  addMemberToCard,
  removeMemberFromCard,
  addMemberToBoard,
  inviteToBoard,
  setMemberRole,
  removeMemberFromBoard,
  getAttachments,
  attachFile,
  attachLink,
  downloadAttachment,
  getAttachmentText,
  deleteAttachment,
]
