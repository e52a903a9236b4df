import type { ApiCallPolicy } from '#kit'

const webhookWrites =
  "A webhook made here would send everything that happens on a board to an address of the agent's choice, for as long as the account is connected. Attach a trigger instead."
const credentialPaths =
  'This reads, issues or revokes the credentials of the account. Connect or disconnect the account instead.'
const nestedCredentials =
  'Read inside another record, these are still the credentials of the account, and the hooks made with them.'
const many = 'One batch runs many paths at once, none of which would be checked. Call each path on its own.'

export const apiCall: ApiCallPolicy = {
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
    {
      path: '/1/**',
      query: ['tokens', 'webhooks', 'fields=tokens', 'fields=webhooks', 'member_fields=tokens'],
      reason: nestedCredentials,
    },
  ],
}
