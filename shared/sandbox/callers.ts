/**
 * Access rules for what a sandbox serves besides the provider's own paths: programs and pages of this machine may call
 * it, pages of other sites may not.
 */
type CallerHeaders = { headers: { host?: string | undefined; origin?: string | string[] | undefined } }

/** A foreign host name that resolves to this machine (DNS rebinding) does not count as this host. */
export const namesThisHost = ({ headers }: CallerHeaders): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(headers.host ?? '')

/** Browsers send the page's origin with every write; programs send none. */
export const isOwnPage = (request: CallerHeaders): boolean =>
  namesThisHost(request) && request.headers.origin === `http://${request.headers.host}`
