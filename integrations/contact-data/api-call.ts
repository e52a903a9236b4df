import { accountPaths } from '#kit'
import type { ApiCallPolicy } from '#kit'

/** API Call may read the account's remaining quota, such as `/v3/account/usage` and `/v2/account`. */
export const apiCall: ApiCallPolicy = {
  methods: ['GET', 'POST'],
  under: '/',
  deny: [
    ...accountPaths,
    {
      path: '/**/tables/**',
      reason:
        'A table at the provider keeps data of people past the list of those who opted out, and its columns go on spending credits. Whoever owns the account works with tables at the provider.',
    },
    {
      path: '/api/account/**',
      methods: ['GET'],
      reason:
        'This reads the account itself. Account Usage shows what it has left; whoever owns it sees the rest at the provider.',
    },
  ],
}
