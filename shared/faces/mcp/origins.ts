import { fail } from '#kit'

const hostname = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).hostname : undefined)

/**
 * Names that no page on the internet can have as its own: addresses in numbers and names without a dot ("localhost", a neighbour
 * container). A page that makes its name point to this machine (DNS rebinding) still sends that name.
 */
const isPrivateName = (name: string) => !name.includes('.') || /^\d{1,3}(\.\d{1,3}){3}$/.test(name)

/**
 * Refuses requests that a foreign web page had its browser send.
 * @throws Failure `not_allowed`
 */
export const refuseForeign = ({ host, origin }: { host: string | undefined; origin: string | undefined }, publicUrl: string | undefined) => {
  const own = publicUrl === undefined ? undefined : hostname(publicUrl)
  const name = host === undefined ? undefined : hostname(`http://${host}`)
  if (name === undefined || (name !== own && !isPrivateName(name))) {
    throw fail('not_allowed', 'This server does not answer under that host name. Its operator can set TOOLYARD_PUBLIC_URL to the address it is reached at.')
  }
  if (origin === undefined) return
  const from = hostname(origin)
  if (from === undefined || !(from === own || from === name || ['localhost', '127.0.0.1', '[::1]'].includes(from))) {
    throw fail('not_allowed', 'Pages of that origin may not use this server.')
  }
}
