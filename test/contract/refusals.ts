/**
 * Paths no caller may reach a provider with, whatever the integration; `under` is its prefix without a slash at the
 * end.
 */
export const hostilePaths = (under: string): string[] => [
  'https://evil.test/x',
  '//evil.test/x',
  '///evil.test/x',
  '\\\\evil.test\\x',
  '/\\evil.test/x',
  '/\t/evil.test',
  '/\n/evil.test',
  ' \0//evil.test',
  '@evil.test/x',
  ':8080/x',
  '.evil.test/x',
  `${under}/cards/../../2/secret`,
  '../../admin',
  `${under}/cards/%2e%2e/%2e%2e/2`,
  `${under}/cards/.%2E/x`,
  `${under}/cards/..%2f..%2f2/secret`,
  `${under}/cards/%5c`,
  `${under}/cards/%252e%252e`,
  `${under}/cards/%252f`,
  `${under}/cards\r\nX-A: b`,
  `${under}/cards%0d%0aX-A:b`,
  `${under}/cards/%00`,
  `${under}/cards#?key=1`,
  `${under}/cards?key=X&token=Y`,
  `${under}/cards/\ud800`,
  `${under}/cards/${'a'.repeat(2049)}`,
  `${under}/cards/..;/x`,
  `${under}/cards/./x`,
  `${under}/cards/..%3b/x`,
  `${under}/;/tokens`,
  `${under}/webhooks%20`,
  `${under}/webhooks.`,
  `${under}/%09tokens`,
  '',
  'cards',
  ...(under === '' ? [] : ['/2/x', `${under}evil`, '/']),
]

export const otherMethods = [
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'get ',
  'GET\r\nX: y',
  '',
  'get',
  'PUT',
  'DELETE',
  'POST',
  'GET',
]

/** Names no caller may set, in query or body. */
export const reservedEverywhere = ['_method']
