import { accountPaths } from '#kit'
import type { ApiCallPolicy } from '#kit'

/** What the account has left may be read: `/v3/account/usage`, `/v2/account` and their like. */
export const apiCall: ApiCallPolicy = {
  methods: ['GET', 'POST'],
  under: '/',
  deny: [
    ...accountPaths,
    {
      path: '/api/account/**',
      methods: ['GET'],
      reason:
        'This reads the account itself. Account Usage shows what it has left; whoever owns it sees the rest at the provider.',
    },
  ],
}
