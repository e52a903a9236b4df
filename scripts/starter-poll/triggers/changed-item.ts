import { defineEventTrigger, z } from '#kit'
import { events } from '../events.ts'

export default defineEventTrigger(events, {
  id: 'changed-item',
  title: 'Changed Item',
  purpose: 'Starts when an item of the account is created or changed.',
  keywords: ['updated', 'edited'],
  icon: 'card-edit',
  config: () => z.strictObject({}),
  data: () =>
    z.object({
      id: z.string().meta({ description: 'Id of the item.' }),
      name: z.string().meta({ description: 'Name of the item.' }),
    }),
  caveat: 'Of several changes between two polls, the last one is seen.',
  on: ['item.changed'],
  waits: 'a change of an item of the account',
  match: ({ subject, name }) => ({ id: subject!.id, name }),
})
