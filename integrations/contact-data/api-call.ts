import type { ApiCallPolicy } from '#kit'

// The documents name no endpoint that an agent should not reach.
export const apiCall: ApiCallPolicy = { methods: ['GET', 'POST'], under: '/', deny: [] }
