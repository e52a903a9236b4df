import { labelTrigger } from '../label-trigger.ts'

export default labelTrigger({
  id: 'new-label-added-to-card',
  title: 'New Label Added To Card',
  purpose: 'Starts when a label is added to a card of a watched board.',
  keywords: ['tagged', 'category', 'labelled'],
  icon: 'label-add',
  caveat:
    'Webhook only: labels added while the server could not be reached are not recovered. Labels given when a card is created start it too.',
  eventType: 'addLabelToCard',
  labelMeaning: 'The label put on: id, name and colour; without a colour it has none.',
})
