import { memberTrigger } from '../member-trigger.ts'

export default memberTrigger({
  id: 'new-member-on-card',
  title: 'New Member on Card',
  purpose: 'Starts when a member is added to a card of a watched board.',
  keywords: ['assigned', 'assignee', 'joined'],
  icon: 'person-add',
  eventType: 'addMemberToCard',
  onlyMeMeaning: 'Whether to start only when the added member is the connected account itself.',
  memberMeaning: 'The member added.',
  ownDoing: 'joined',
  ownDoingMeaning: 'Whether the member added themselves.',
})
