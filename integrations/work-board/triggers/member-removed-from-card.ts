import { memberTrigger } from '../member-trigger.ts'

export default memberTrigger({
  id: 'member-removed-from-card',
  title: 'Member Removed from Card',
  purpose: 'Starts when a member is taken off a card of a watched board.',
  keywords: ['unassigned', 'assignee', 'left'],
  icon: 'person-add',
  caveat: 'A member who is removed from the board leaves its cards without an event for each.',
  eventType: 'removeMemberFromCard',
  onlyMeMeaning: 'Whether to start only when the removed member is the connected account itself.',
  memberMeaning: 'The member taken off.',
  ownDoing: 'left',
  ownDoingMeaning: 'Whether the member left by themselves.',
})
