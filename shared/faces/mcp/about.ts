import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server'
import type { Implementation } from '@modelcontextprotocol/server'
import type { Pack } from '../../pack.ts'
import type { Icons } from './icons.ts'
import { instructionsFor } from './instructions.ts'

const websiteUrl = 'https://github.com/toolyard/toolyard'

/** What a server says of itself. `integrations`: ids of those it offers. */
export type About = { integrations: string[]; instructions: string; info: Implementation }

/** The server of one integration, or of all. Each is built once. */
export const describeServers = (
  { registry }: Pack,
  version: string,
  icons: Icons,
): ((only: string | undefined) => About) => {
  const make = (only: string | undefined): About => {
    const loaded = registry.all.filter(({ integration: { id } }) => only === undefined || id === only)
    const title = only === undefined ? 'Toolyard' : `Toolyard: ${loaded[0]!.integration.title}`
    return {
      integrations: loaded.map(({ integration }) => integration.id),
      instructions: instructionsFor(loaded),
      info: { name: 'toolyard', title, version, websiteUrl, icons: icons.ofServer(only) },
    }
  }
  const abouts = new Map<string | undefined, About>()
  return (only) => {
    const about = abouts.get(only) ?? make(only)
    abouts.set(only, about)
    return about
  }
}

/**
 * In the 2026 protocol every result says which server it is from. A client reads icons once, from what it discovers, so
 * the result of a call has the name alone.
 */
export const identifyAs =
  ({ name, version }: Implementation, era: 'legacy' | 'modern') =>
  <R extends object>(result: R): R =>
    era === 'legacy'
      ? result
      : { ...result, _meta: { ...(result as { _meta?: object })._meta, [SERVER_INFO_META_KEY]: { name, version } } }
export type Identify = ReturnType<typeof identifyAs>
