import { accountPaths } from '#kit'
import type { ApiCallPolicy } from '#kit'

/** The document names no endpoint for account data, so the paths that providers usually use for it are refused. */
export const apiCall: ApiCallPolicy = { methods: ['GET', 'POST'], under: '/', deny: accountPaths }
