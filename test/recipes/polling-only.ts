import { defineEvents, defineEventTrigger, path, say, subjectPart, z } from '#kit'
import type { EventHistory } from '#kit'
import { recipe } from './recipe.ts'

const invoice = () => z.object({ id: z.string(), created_at: z.string(), created_by: z.string(), total: z.number() })

const invoices: EventHistory = {
  request: (_account, { since }) => ({
    method: 'GET',
    path: path`/invoices`,
    query: { sort: '-created_at', ...(since ? { created_after: since.toISOString() } : {}) },
  }),
  paging: { style: 'cursor', at: 'next', parameter: 'cursor' },
  items: 'invoices',
  // The provider sends an ETag: a poll while nothing changes has no body.
  conditional: true,
}

const events = defineEvents<{ total: number }>({
  kinds: {
    'invoice.created': {
      history: invoices,
      read(item) {
        const { id, created_at: at, created_by: actor, total } = invoice().parse(item)
        return { id, at, actor: { id: actor }, subject: { kind: 'invoice', id }, total }
      },
      sentence: (event, names) => say`${subjectPart(event, 'An invoice', names)} was created`,
    },
  },
})

const newInvoice = defineEventTrigger(events, {
  id: 'new-invoice',
  title: 'New Invoice',
  purpose: 'Starts when an invoice is created.',
  config: () => z.strictObject({}),
  data: () => z.object({ total: z.number().meta({ description: 'Total of the invoice.' }) }),
  on: ['invoice.created'],
  waits: 'a new invoice',
  match: ({ total }) => ({ total }),
})

export default recipe({ id: 'polling-only', events, triggers: [newInvoice], wire: {} })
