/** The provider's error answers, word for word, and a function that ends a request with one. */

export type Answer = { status: number; body: string | object; contentType?: string; headers?: Record<string, string> }
type Refused = Error & { answer: Answer }

/** Ends the request: the dispatcher sends `answer`. A string body is sent as text/plain, an object as JSON. */
export const refuse = (status: number, body: string | object): never => {
  throw Object.assign(new Error(typeof body === 'string' ? body : JSON.stringify(body)), { answer: { status, body } })
}
export const answerOf = (error: unknown): Answer | undefined =>
  error instanceof Error && 'answer' in error ? (error as Refused).answer : undefined

export const invalidValue = (name: string): never => refuse(400, `invalid value for ${name}`)
export const notFound = (): never => refuse(404, 'The requested resource was not found.')
export const modelNotFound = (): never => refuse(404, 'model not found')
export const unauthorized = (kind: string): never =>
  refuse(401, kind ? `unauthorized ${kind} permission requested` : 'unauthorized permission requested')
export const missingScopes = (): never => refuse(401, { message: 'missing scopes' })

const edgePage = (status: number, title: string): string =>
  `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n</body>\r\n</html>\r\n`
const limited = (error: string): Answer => ({ status: 429, body: { error, message: 'Rate limit exceeded' } })

/** Every answer of the provider's error table by name, for use through the control functions. */
export const namedAnswers: Record<string, Answer> = {
  'invalid id': { status: 400, body: 'invalid id' },
  'invalid value': { status: 400, body: 'invalid value for idList' },
  'invalid objectId': { status: 400, body: 'Invalid objectId' },
  'parse error': { status: 400, body: 'Error parsing body' },
  'invalid key': { status: 401, body: 'invalid key' },
  'invalid token': { status: 401, body: 'invalid token' },
  'unauthorized card': { status: 401, body: 'unauthorized card permission requested' },
  'unauthorized board': { status: 401, body: 'unauthorized board permission requested' },
  'unauthorized member': { status: 401, body: 'unauthorized member permission requested' },
  'unauthorized permission': { status: 401, body: 'unauthorized permission requested' },
  'missing scopes': { status: 401, body: { message: 'missing scopes' } },
  'plan limit': { status: 403, body: 'board exceeds limit of open cards' },
  'workspace restriction': { status: 403, body: { message: 'client is not authorized for this workspace' } },
  'too many cards': {
    status: 403,
    body: { error: 'API_TOO_MANY_CARDS_REQUESTED', message: 'Too many cards requested' },
  },
  'not found': { status: 404, body: 'The requested resource was not found.' },
  'model not found': { status: 404, body: 'model not found' },
  'no board for the list': { status: 404, body: 'could not find the board that the card belongs to' },
  conflict: { status: 409, body: 'conflict' },
  'too large': { status: 413, body: edgePage(413, 'Request Entity Too Large'), contentType: 'text/html' },
  'uri too long': { status: 414, body: edgePage(414, 'Request-URI Too Large'), contentType: 'text/html' },
  'token limit': limited('API_TOKEN_LIMIT_EXCEEDED'),
  'key limit': limited('API_KEY_LIMIT_EXCEEDED'),
  'member limit': limited('MEMBER_LIMIT_EXCEEDED'),
  'database limit': limited('API_TOKEN_DB_LIMIT_EXCEEDED'),
  'sub-request failed': { status: 449, body: 'sub-request failed' },
  'server error': { status: 500, body: 'Internal Server Error' },
  'bad gateway': { status: 502, body: edgePage(502, 'Bad Gateway'), contentType: 'text/html' },
  unavailable: { status: 503, body: edgePage(503, 'Service Temporarily Unavailable'), contentType: 'text/html' },
  'took too long': { status: 504, body: edgePage(504, 'Gateway Time-out'), contentType: 'text/html' },
}
