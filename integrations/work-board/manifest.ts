import { defineIntegration, fail, path, readRow, secretText, z } from '#kit'
import type { ApiCallPolicy, ConnectionType, ProviderRequest } from '#kit'
import { scopes } from './scopes.ts'
import addChecklist from './steps/add-checklist.ts'
import addComment from './steps/add-comment.ts'
import addCommentToCard from './steps/add-comment-to-card.ts'
import archiveCard from './steps/archive-card.ts'
import createAChecklistItem from './steps/create-a-checklist-item.ts'
import createCard from './steps/create-card.ts'
import createList from './steps/create-list.ts'
import getBoards from './steps/get-boards.ts'
import getCard from './steps/get-card.ts'
import getListCards from './steps/get-list-cards.ts'
import updateCard from './steps/update-card.ts'
import { triggerAssumptions } from './trigger-assumed.ts'
import cardArchived from './triggers/card-archived.ts'
import cardDueDateReminder from './triggers/card-due-date-reminder.ts'
import cardMoved from './triggers/card-moved.ts'
import cardUpdated from './triggers/card-updated.ts'
import customWebhookEvents from './triggers/custom-webhook-events.ts'
import newAttachment from './triggers/new-attachment.ts'
import newBoard from './triggers/new-board.ts'
import newBoardActivity from './triggers/new-board-activity.ts'
import newCard from './triggers/new-card.ts'
import newChecklist from './triggers/new-checklist.ts'
import newCommentAddedToCard from './triggers/new-comment-added-to-card.ts'
import newLabelAddedToCard from './triggers/new-label-added-to-card.ts'
import newLabelCreated from './triggers/new-label-created.ts'
import newMemberOnCard from './triggers/new-member-on-card.ts'
import newNotification from './triggers/new-notification.ts'
import { webhooks } from './webhooks.ts'
import { wire } from './wire.ts'

// The only request that returns id and name of the account without the token in its address. Its route allows 100 in 15 minutes,
// far more than accounts are connected or tested; the listing of one's boards has no such limit but does not say who asks.
const test: ProviderRequest = { method: 'GET', path: path`/1/members/me`, query: { fields: 'id,username,fullName' } }

// A placeholder for the connection's own token; the wire fills it in.
const revoke: ProviderRequest = { method: 'DELETE', path: path`/1/tokens/{secret:token}` }

const identify = (reply: unknown) => {
  const { id, username, fullName } = readRow(reply, 'a member')
  if (typeof username !== 'string') throw fail('bad_reply', 'The provider answered a member without a username.')
  return { accountId: id, accountName: typeof fullName === 'string' && fullName !== '' ? `${fullName} (@${username})` : `@${username}` }
}

const oauth: ConnectionType = {
  id: 'oauth',
  scheme: 'oauth1',
  title: 'OAuth',
  purpose: 'Log in at the board and approve read and write access; recommended where people connect their own account.',
  recommended: true,
  secrets: z.strictObject({
    key: secretText('App key', 'Key of the application the account approved; filled in on connecting.'),
    token: secretText('Token', 'Access token the board issued for this account; filled in on connecting.'),
  }),
  appKey: 'key',
  test,
  identify,
  revoke,
}

const keyToken: ConnectionType = {
  id: 'key-token',
  scheme: 'secrets',
  title: 'API key and token',
  purpose: 'Server-to-server use with a key of your own and a token that does not expire.',
  secrets: z.strictObject({
    key: secretText('API key', "API key from the board's power-up administration area."),
    token: secretText('Token', 'Token shown after you open the authorize address and click Allow. Treat it like a password.'),
  }),
  appKey: 'key',
  test,
  identify,
  revoke,
  authorize: { path: '/1/authorize', params: { expiration: 'never', name: '{appName}', scope: 'read,write', response_type: 'token', key: '{key}' } },
  help: 'Copy the API key from the power-up administration area, open the authorize address with it, click Allow and copy the token shown.',
}

const webhookWrites =
  "A webhook made here would send everything that happens on a board to an address of the agent's choice, for as long as the account is connected. Attach a trigger instead."
const credentialPaths = 'This reads, issues or revokes the credentials of the account. Connect or disconnect the account instead.'
const nestedCredentials = 'Read inside another record, these are still the credentials of the account, and the hooks made with them.'
const many = 'One batch runs many paths at once, none of which would be checked. Call each path on its own.'

const apiCall: ApiCallPolicy = {
  methods: ['GET', 'POST', 'PUT', 'DELETE'],
  under: '/1',
  deny: [
    { path: '/1/webhooks', methods: ['POST', 'PUT', 'DELETE'], reason: webhookWrites },
    { path: '/1/webhooks/**', methods: ['POST', 'PUT', 'DELETE'], reason: webhookWrites },
    { path: '/1/tokens', reason: credentialPaths },
    { path: '/1/tokens/**', reason: credentialPaths },
    { path: '/1/members/*/tokens', reason: credentialPaths },
    { path: '/1/members/*/tokens/**', reason: credentialPaths },
    { path: '/1/enterprises/*/tokens', reason: credentialPaths },
    { path: '/1/enterprises/*/tokens/**', reason: credentialPaths },
    { path: '/1/authorize', reason: credentialPaths },
    { path: '/1/OAuthGetRequestToken', reason: credentialPaths },
    { path: '/1/OAuthAuthorizeToken', reason: credentialPaths },
    { path: '/1/OAuthGetAccessToken', reason: credentialPaths },
    { path: '/1/batch', reason: many },
    { path: '/1/batch/**', reason: many },
    { path: '/1/**', query: ['tokens', 'webhooks', 'fields=tokens', 'fields=webhooks', 'member_fields=tokens'], reason: nestedCredentials },
  ],
}

export default defineIntegration({
  id: 'work-board',
  title: 'Work board',
  summary: 'Cards on boards: read and change boards, lists, cards, comments and checklists.',
  version: '0.1.0',
  maturity: 'beta',
  connections: [oauth, keyToken],
  steps: [createCard, updateCard, getCard, archiveCard, getBoards, getListCards, createList, addCommentToCard, addComment, addChecklist, createAChecklistItem],
  triggers: [
    newCard,
    cardUpdated,
    cardMoved,
    cardArchived,
    cardDueDateReminder,
    newCommentAddedToCard,
    newMemberOnCard,
    newLabelCreated,
    newLabelAddedToCard,
    newChecklist,
    newBoard,
    newBoardActivity,
    newNotification,
    newAttachment,
    customWebhookEvents,
  ],
  webhooks,
  scopes,
  aliases: { subject: 'card', container: 'board', scopes: 'boards' },
  apiCall,
  wire: { ...wire, assumed: { ...wire.assumed, ...triggerAssumptions } },
})
