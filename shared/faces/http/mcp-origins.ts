import { fail } from '#kit'
import { isPrivateName } from './address.ts'

const hostname = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).hostname : undefined)

/**
 * Refuses requests that a foreign web page made a browser send.
 * @throws Failure `not_allowed`
 */
export const refuseForeign = (
  { host, origin }: { host: string | undefined; origin: string | undefined },
  publicUrl: string | undefined,
) => {
  const own = publicUrl === undefined ? undefined : hostname(publicUrl)
  const name = host === undefined ? undefined : hostname(`http://${host}`)
  if (name === undefined || (name !== own && !isPrivateName(name))) {
    throw fail(
      'not_allowed',
      'This server does not accept that host name. Its operator can set TOOLYARD_PUBLIC_URL to the public address.',
    )
  }
  if (origin === undefined) return
  const from = hostname(origin)
  if (from === undefined || !(from === own || from === name || ['localhost', '127.0.0.1', '[::1]'].includes(from))) {
    throw fail('not_allowed', 'Pages of this origin may not use this server.')
  }
}
