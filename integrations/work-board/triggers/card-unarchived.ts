import { archiveTrigger } from '../archive-trigger.ts'

export default archiveTrigger({
  id: 'card-unarchived',
  title: 'Card Unarchived',
  purpose: 'Starts when an archived card on a watched board is restored.',
  keywords: ['reopened', 'restored', 'sent back to board'],
  icon: 'archive',
  caveat: 'Restoring a whole list restores none of its cards: they were never archived themselves.',
  isArchived: false,
})
