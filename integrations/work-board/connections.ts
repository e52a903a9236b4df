import { fail, path, readRow, secretText, z } from '#kit'
import type { ConnectionType, ProviderRequest } from '#kit'

// The only request that returns the account's id and name without the token in its address. Its route allows 100
// requests in 15 minutes, far more than the number of connections made or tested; the request for the account's boards
// has no such limit, but does not return who the account is.
const test: ProviderRequest = { method: 'GET', path: path`/1/members/me`, query: { fields: 'id,username,fullName' } }

// A placeholder for the connection's own token, which the wire fills in.
const revoke: ProviderRequest = { method: 'DELETE', path: path`/1/tokens/{secret:token}` }

const identify = (reply: unknown) => {
  const { id, username, fullName } = readRow(reply, 'a member')
  if (typeof username !== 'string') throw fail('bad_reply', 'The provider answered a member without a username.')
  return {
    accountId: id,
    accountName: typeof fullName === 'string' && fullName !== '' ? `${fullName} (@${username})` : `@${username}`,
  }
}

export const oauth: ConnectionType = {
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

export const keyToken: ConnectionType = {
  id: 'key-token',
  scheme: 'secrets',
  title: 'API key and token',
  purpose: 'Server-to-server use with a key of your own and a token that does not expire.',
  secrets: z.strictObject({
    key: secretText('API key', "API key from the board's power-up administration area."),
    token: secretText(
      'Token',
      'Token shown after you open the authorize address and click Allow. Treat it like a password.',
    ),
  }),
  appKey: 'key',
  test,
  identify,
  revoke,
  authorize: {
    path: '/1/authorize',
    params: { expiration: 'never', name: '{appName}', scope: 'read,write', response_type: 'token', key: '{key}' },
  },
  fields: { key: { helpUrl: 'https://trello.com/apps/admin' } },
  help: 'Copy the API key from the power-up administration area, open the authorize address with it, click Allow and copy the token shown.',
}
