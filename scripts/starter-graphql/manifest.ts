import { defineIntegration, readRow, secretText, textOf, valueAt, z } from '#kit'
import { events } from './events.ts'
import { query, viewer } from './queries.ts'
import createItem from './steps/create-item.ts'
import listItems from './steps/list-items.ts'
import newItem from './triggers/new-item.ts'
import { wire } from './wire.ts'
import { words } from './words.ts'

export default defineIntegration({
  id: 'starter-graphql',
  title: 'Starter',
  summary: 'Items of a list: read them, add one, and start agents on new ones.',
  version: '0.1.0',
  maturity: 'beta',
  connections: [
    {
      id: 'token',
      title: 'Access token',
      purpose: 'A token from the account settings of the provider.',
      secrets: z.strictObject({ token: secretText('Access token', 'The token, as the settings page shows it.') }),
      // Must be free of charge: it runs whenever a connection is tested.
      test: query(viewer),
      identify(reply) {
        const account = readRow(valueAt(reply, 'data.viewer'), 'an account')
        return { accountId: account.id, accountName: textOf(account, 'name') }
      },
    },
  ],
  steps: [createItem, listItems],
  triggers: [newItem],
  events,
  apiCall: { methods: ['POST'], under: '/', allow: [{ path: '/graphql' }], deny: [] },
  words,
  wire,
})
