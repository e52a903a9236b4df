import type { Step } from '#kit'
import addCommentToCard from './add-comment-to-card.ts'

/** The same step under its old name, kept for agents built with it. */
const addComment: Step = {
  ...addCommentToCard,
  id: 'add-comment',
  title: 'Add Comment',
  purpose: 'Legacy, use Add Comment to Card: posts a comment to a card as the connected account and returns it.',
  legacy: { use: 'add-comment-to-card' },
}

export default addComment
