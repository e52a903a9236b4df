import { accountPaths } from '#kit'
import type { ApiCallPolicy } from '#kit'

/** The documents name no endpoint of the account: refused are the paths by which providers usually reach it. */
export const apiCall: ApiCallPolicy = { methods: ['GET', 'POST'], under: '/', deny: accountPaths }
