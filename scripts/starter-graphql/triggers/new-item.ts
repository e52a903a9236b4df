import { defineEventTrigger, z } from '#kit'
import { events } from '../events.ts'

export default defineEventTrigger(events, {
  id: 'new-item',
  title: 'New Item',
  purpose: 'Starts when an item is created in the account.',
  keywords: ['created', 'added'],
  icon: 'card-add',
  config: () => z.strictObject({}),
  data: () =>
    z.object({
      id: z.string().meta({ description: 'Id of the item.' }),
      name: z.string().meta({ description: 'Name of the item.' }),
    }),
  on: ['item.created'],
  waits: 'a new item of the account',
  match: ({ id, name }) => ({ id, name }),
})
