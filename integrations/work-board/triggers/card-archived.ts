import { archiveTrigger } from '../archive-trigger.ts'

export default archiveTrigger({
  id: 'card-archived',
  title: 'Card Archived',
  purpose: 'Starts when a card on a watched board is archived.',
  keywords: ['closed', 'done', 'removed'],
  icon: 'archive',
  caveat: 'Archiving a whole list archives none of its cards. A deleted card is not an archived one.',
  isArchived: true,
})
