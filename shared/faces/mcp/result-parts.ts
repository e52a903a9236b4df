/** Maximum size of a resource, in the unit of `sizeOf`: at most 5,000 tokens for a model. */
export const maxPart = 8_000
/**
 * Size in bytes of JSON, with a surcharge for multi-byte characters: rare ones take one token per byte, whereas words
 * take one for 3 to 4 bytes and ids one for 2.
 */
export const sizeOf = (value: unknown): number => {
  const json = JSON.stringify(value) ?? 'null'
  const bytes = Buffer.byteLength(json)
  return bytes + Math.ceil(1.2 * (bytes - json.length))
}
/** Members of an object larger than this may become links. */
const maxMember = 600
/** Fields of an entry that are shown beside its link. */
const telling = ['id', 'tool', 'title', 'name', 'type', 'purpose']
const maxTelling = 160

type Page = { from: number; total: number; more?: string } & (
  | { items: unknown[] }
  | { members: object }
  | { text: string }
)
/** What is read at an address: the value itself, with links in place of large members, or a page of it. */
export type Part = { value: unknown } | { page: Page }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The key of each entry: its id if that is unique, otherwise its index. */
const keysOf = (list: unknown[]): string[] => {
  const ids = list.map((entry) => (isObject(entry) && typeof entry.id === 'string' ? entry.id : ''))
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return ids.map((id, at) => (id !== '' && counts.get(id) === 1 ? id : String(at)))
}

const step = (value: unknown, key: string): unknown => {
  if (Array.isArray(value)) return value[keysOf(value).indexOf(key)]
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

const addressOf = (uri: string, key: string) => `${uri}/${encodeURIComponent(key)}`

/** The link that replaces a value, which is then read separately. */
const linkTo = (value: unknown, uri: string) => ({
  ...(isObject(value)
    ? Object.fromEntries(
        telling.flatMap((name) => {
          const text = value[name]
          return typeof text === 'string'
            ? [[name, text.length > maxTelling ? `${text.slice(0, maxTelling)}…` : text]]
            : []
        }),
      )
    : {}),
  ...(Array.isArray(value) ? { total: value.length } : {}),
  resource: uri,
})

/** How many entries from `from` on fit; at least one. */
const countThatFit = (sizes: number[], from: number): number => {
  let [count, size] = [0, 0]
  while (from + count < sizes.length && (count === 0 || size + sizes[from + count]! <= maxPart - 300))
    size += sizes[from + count++]! + 1
  return count
}

const pageOf = (total: number, count: number, from: number, uri: string) => ({
  from,
  total,
  ...(from + count < total ? { more: `${uri}?from=${from + count}` } : {}),
})

const listPage = (list: unknown[], uri: string, from: number): Part => {
  const keys = keysOf(list)
  const shown = list.map((entry, at) => (sizeOf(entry) <= maxMember ? entry : linkTo(entry, addressOf(uri, keys[at]!))))
  const count = countThatFit(shown.map(sizeOf), from)
  return { page: { items: shown.slice(from, from + count), ...pageOf(list.length, count, from, uri) } }
}

/** Replaces the largest members by links until the others fit. */
const withLinks = (object: Record<string, unknown>, uri: string): [string, unknown][] => {
  const members = Object.entries(object).map(([key, value]) => ({ key, value, size: sizeOf(value) }))
  let size = sizeOf(object)
  for (const member of members.toSorted((left, right) => right.size - left.size)) {
    if (size <= maxPart || member.size <= maxMember) break
    member.value = linkTo(member.value, addressOf(uri, member.key))
    size += sizeOf(member.value) - member.size
  }
  return members.map(({ key, value }) => [key, value])
}

const objectPart = (object: Record<string, unknown>, uri: string, from: number): Part => {
  const members = withLinks(object, uri)
  const all = Object.fromEntries(members)
  if (from === 0 && sizeOf(all) <= maxPart) return { value: all }
  const count = countThatFit(
    members.map(([key, value]) => sizeOf({ [key]: value })),
    from,
  )
  const shown = Object.fromEntries(members.slice(from, from + count))
  return { page: { members: shown, ...pageOf(members.length, count, from, uri) } }
}

/** A page of a text that is too long, counted in characters. */
const textPage = (text: string, uri: string, from: number): Part => {
  const characters = [...text]
  // No page can hold more characters than this.
  const next = characters.slice(from, from + maxPart)
  const count = countThatFit(
    next.map((character) => sizeOf(character) - 2),
    0,
  )
  return { page: { text: next.slice(0, count).join(''), ...pageOf(characters.length, count, from, uri) } }
}

const show = (value: unknown, uri: string, from: number): Part | undefined => {
  if (from === 0 && sizeOf(value) <= maxPart) return { value }
  const length = typeof value === 'string' ? [...value].length : Object.keys((value ?? {}) as object).length
  if (from >= length) return undefined
  if (typeof value === 'string') return textPage(value, uri, from)
  return Array.isArray(value) ? listPage(value, uri, from) : objectPart(value as Record<string, unknown>, uri, from)
}

/**
 * Splits an address into the part before `?from=`, the keys after `base`, and the first entry to read; undefined if it
 * is not below `base`.
 */
const readAddress = (uri: string, base: string): { at: string; keys: string[]; from: number } | undefined => {
  const [, at, from = '0'] = /^([^?]*)(?:\?from=(\d{1,9}))?$/.exec(uri) ?? []
  if (at === undefined || (at !== base && !at.startsWith(`${base}/`))) return undefined
  try {
    return { at, keys: at.slice(base.length).split('/').slice(1).map(decodeURIComponent), from: Number(from) }
  } catch {
    return undefined
  }
}

export const isBelow = (uri: string, base: string): boolean => readAddress(uri, base) !== undefined

/**
 * Reads `uri` in the value at `base`: the value, a part of it (`base/key/key`; a list entry by its id, otherwise by its
 * index), or a page of either (`?from=`). No part is larger than `maxPart`, and following all links yields the whole
 * value. Undefined if there is no such part.
 */
export const readPart = (whole: unknown, base: string, uri: string): Part | undefined => {
  const address = readAddress(uri, base)
  if (!address) return undefined
  const value = address.keys.reduce(step, whole)
  return value === undefined ? undefined : show(value, address.at, address.from)
}
