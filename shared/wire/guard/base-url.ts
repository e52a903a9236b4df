import { fail } from '#kit'
import { isBaseUrlPattern } from '../../kit/profile/base-url.ts'

const bare = (text: string) => text.replace(/(?<!\/)\/+$/, '').toLowerCase()

/**
 * Whether an address matches the operator's pattern. The whole address is compared; case and a trailing "/" do not
 * matter.
 */
export const fitsBaseUrl = (allowed: string, address: string): boolean => {
  if (!isBaseUrlPattern(allowed)) return false
  const source = bare(allowed)
    .replace(/[.+?^${}()|[\]\\/-]/g, '\\$&')
    .replaceAll('*', '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?')
  return new RegExp(`^${source}$`).test(bare(address))
}

/** Checks the address of one connection against the operator's pattern. Throws `wire_unset` or `not_allowed`. */
export const checkBaseUrl = (integration: string, allowed: string | null | undefined, address: string) => {
  const setting = `wire.${integration}.baseUrlPattern`
  if (allowed === null || allowed === undefined) {
    throw fail(
      'wire_unset',
      `Connections with an address of their own need "${setting}". The operator sets it, for example "https://*.desk.example".`,
    )
  }
  if (!fitsBaseUrl(allowed, address)) {
    throw fail(
      'not_allowed',
      `The address of this connection does not fit "${setting}" (${allowed}), so nothing is sent to it. Reconnect with an address that fits.`,
    )
  }
}
