/** Hunter's error answers. */

/** Maps the sandbox's statuses to Hunter's, which uses 403 for the rate limit and 429 for the monthly usage. */
export const statuses: Record<number, number> = { 402: 429, 429: 403, 415: 400 }

const errors: Record<number, [id: string, details?: string]> = {
  400: ['wrong_params'],
  401: ['authentication_failed', 'No user found for the API key supplied'],
  403: ['rate_limit_reached', 'You have reached the rate limit.'],
  404: ['not_found', 'The requested resource does not exist.'],
  429: ['usage_exceeded', "You've exceeded the usage limit of your plan. Upgrade your plan if necessary."],
  451: [
    'claimed_email',
    'The person asked us not to process this data. For this reason, you should not process it either.',
  ],
}

/** `status`: Hunter's own status. */
export const errorBody = (status: number, message?: string) => {
  const [id, details = message] = errors[status] ?? ['error']
  return { errors: [{ id, code: status, details }] }
}
