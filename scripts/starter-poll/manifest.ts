import { defineIntegration, path, readRow, secretText, textOf, z } from '#kit'
import { events } from './events.ts'
import listItems from './steps/list-items.ts'
import changedItem from './triggers/changed-item.ts'
import { wire } from './wire.ts'
import { words } from './words.ts'

export default defineIntegration({
  id: 'starter-poll',
  title: 'Starter',
  summary: 'Items of a list: read them, and start agents on those that change.',
  version: '0.1.0',
  maturity: 'beta',
  connections: [
    {
      id: 'token',
      title: 'Access token',
      purpose: 'A token from the account settings of the provider.',
      secrets: z.strictObject({ token: secretText('Access token', 'The token, as the settings page shows it.') }),
      // Must be free of charge: it runs whenever a connection is tested.
      test: { method: 'GET', path: path`/v1/me` },
      identify(reply) {
        const account = readRow(reply, 'an account')
        return { accountId: account.id, accountName: textOf(account, 'name') }
      },
    },
  ],
  steps: [listItems],
  triggers: [changedItem],
  events,
  apiCall: { methods: ['GET'], under: '/v1', deny: [] },
  words,
  wire,
})
