import type { Client } from '@modelcontextprotocol/client'

type Fields = Record<string, unknown>
type Shown = { uri: string; text: string }

export const textAt = async (client: Client, uri: string): Promise<string> =>
  ((await client.readResource({ uri })).contents[0] as { text: string }).text

const isLink = (value: unknown): value is { resource: string } =>
  typeof value === 'object' && value !== null && String((value as Fields).resource).startsWith('toolyard://')

const isPage = (value: unknown): value is Fields & { from: number; total: number; more?: string } =>
  typeof value === 'object' && value !== null && typeof (value as Fields).from === 'number' && 'total' in value

/**
 * Reads a resource and all that it links to. `shown`: every text a client gets; the result: the whole value, put
 * together again as the documents say. `read`: the text at an address.
 */
export const walk = async (read: (uri: string) => Promise<string>, uri: string, shown: Shown[]): Promise<unknown> => {
  const text = await read(uri)
  shown.push({ uri, text })
  return whole(read, JSON.parse(text), shown)
}

const whole = async (read: (uri: string) => Promise<string>, value: unknown, shown: Shown[]): Promise<unknown> => {
  if (isLink(value)) return walk(read, value.resource, shown)
  if (isPage(value)) {
    const { items, members, text, more } = value
    const remainder = more === undefined ? undefined : await walk(read, more, shown)
    if (typeof text === 'string') return text + ((remainder ?? '') as string)
    const own = await whole(read, items ?? members, shown)
    return Array.isArray(own)
      ? [...own, ...((remainder ?? []) as unknown[])]
      : { ...(own as Fields), ...(remainder as Fields) }
  }
  if (Array.isArray(value)) return Promise.all(value.map((part) => whole(read, part, shown)))
  if (typeof value !== 'object' || value === null) return value
  const members = await Promise.all(
    Object.entries(value).map(async ([key, part]) => [key, await whole(read, part, shown)] as const),
  )
  return Object.fromEntries(members)
}
