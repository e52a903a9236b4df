/**
 * Who may call what a sandbox serves beside the provider's own paths: programs and pages of this machine, never a page
 * of another site.
 */
type Asked = { headers: { host?: string | undefined; origin?: string | string[] | undefined } }

/** A foreign name that leads here (DNS rebinding) is not this host. */
export const namesThisHost = ({ headers }: Asked): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(headers.host ?? '')

/** A browser names the origin of the page with every write, and a program names none. */
export const isOwnPage = (request: Asked): boolean =>
  namesThisHost(request) && request.headers.origin === `http://${request.headers.host}`
