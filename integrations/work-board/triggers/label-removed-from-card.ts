import { labelTrigger } from '../label-trigger.ts'

export default labelTrigger({
  id: 'label-removed-from-card',
  title: 'Label Removed from Card',
  purpose: 'Starts when a label is taken off a card of a watched board.',
  keywords: ['untagged', 'category', 'unlabelled'],
  icon: 'label',
  caveat:
    'Webhook only: labels taken off while the server could not be reached are not recovered. Deleting a label of the board starts nothing.',
  eventType: 'removeLabelFromCard',
  labelMeaning: 'The label taken off: id, name and colour; without a colour it has none.',
})
