import { defineIntegration, path, readRow, secretText, textOf, z } from '#kit'
import { events } from './events.ts'
import listMessages from './steps/list-messages.ts'
import sendMessage from './steps/send-message.ts'
import newMessage from './triggers/new-message.ts'
import { wire } from './wire.ts'
import { words } from './words.ts'

export default defineIntegration({
  id: 'starter-chat',
  title: 'Starter',
  summary: 'Messages in channels: read and send them, and start agents on new ones.',
  version: '0.1.0',
  maturity: 'beta',
  connections: [
    {
      id: 'token',
      title: 'Bot token',
      purpose: 'The token of the bot, from the settings of the app in the team.',
      secrets: z.strictObject({ token: secretText('Bot token', 'The token, as the settings page shows it.') }),
      // Must be free of charge: it runs whenever a connection is tested.
      test: { method: 'GET', path: path`/v1/me` },
      identify(reply) {
        const team = readRow(reply, 'a team')
        // The bot's own messages are ours, although the account is the team.
        return { accountId: team.id, accountName: textOf(team, 'name'), ownIds: [textOf(team, 'bot')] }
      },
    },
  ],
  steps: [sendMessage, listMessages],
  triggers: [newMessage],
  events,
  apiCall: { methods: ['GET', 'POST'], under: '/v1', deny: [] },
  words,
  wire,
})
