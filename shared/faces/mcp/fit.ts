import type { JsonSchema } from '#kit'

/** What was left out of an answer. */
export type Cuts = {
  /** Copies of records as the provider gave them. */
  raw: number
  /** How many texts were shortened, and to how many characters. */
  texts?: { count: number; to: number }
  lists: { at: string; shown: number; of: number }[]
  /** Objects of which fields were left out. */
  fields: { at: string; left: number }[]
}
export type Fitted = { value: unknown; cuts: Cuts }

type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

/** Whether an object is a found record beside which the provider's own copy may go: everything that was understood is in `record`. */
const hasSpareRaw = (value: Tree) => 'raw' in value && isTree(value.record)

const map = (value: unknown, change: (value: unknown) => unknown): unknown => {
  const changed = change(value)
  if (Array.isArray(changed)) return changed.map((item) => map(item, change))
  return isTree(changed) ? Object.fromEntries(Object.entries(changed).map(([name, part]) => [name, map(part, change)])) : changed
}

const dropRaw = (value: unknown): Fitted => {
  let raw = 0
  const kept = map(value, (part) => {
    if (!isTree(part) || !hasSpareRaw(part)) return part
    raw += 1
    const { raw: _, ...rest } = part
    return rest
  })
  return { value: kept, cuts: { raw, lists: [], fields: [] } }
}

/** The same text, cut at `most` characters with the cut marked in it. */
const shorten = (text: string, most: number) => `${text.slice(0, most).toWellFormed()}… [cut: ${text.length - most} more characters]`

const shortenTexts = (value: unknown, most: number) => {
  let count = 0
  // A text cut by the mark's own length would not get shorter.
  const kept = map(value, (part) => {
    if (typeof part !== 'string' || part.length <= most + 40) return part
    count += 1
    return shorten(part, most)
  })
  return { value: kept, count }
}

/** What a value needs at the very least, its texts as short as `fit` makes them before it cuts entries. */
export const leastBytes = (value: unknown): number => bytesOf(shortenTexts(dropRaw(value).value, 200).value)

type Container = { at: (string | number)[]; entries: number[]; bytes: number; fixed: number }

const propertySchema = (schema: JsonSchema | undefined, name: string) => (schema?.properties as Record<string, JsonSchema> | undefined)?.[name]
const isRequired = (schema: JsonSchema | undefined, name: string) => (schema?.required as string[] | undefined)?.includes(name) ?? false

/** Every list with more than `least` items; of objects only where wanted, without the fields that the schema requires. */
const containersIn = (value: unknown, schema: JsonSchema | undefined, wanted: { least: number; objects: boolean }, at: Container['at'] = []): Container[] => {
  if (Array.isArray(value)) {
    const entries = value.map((item) => bytesOf(item) + 1)
    const inner = value.flatMap((item, index) => containersIn(item, schema?.items as JsonSchema | undefined, wanted, [...at, index]))
    const own = value.length > wanted.least ? [{ at, entries, bytes: entries.reduce((sum, one) => sum + one, 0), fixed: wanted.least }] : []
    return [...own, ...inner]
  }
  if (!isTree(value)) return []
  const names = Object.keys(value)
  const entries = names.map((name) => (isRequired(schema, name) ? 0 : bytesOf({ [name]: value[name] })))
  const inner = names.flatMap((name) => containersIn(value[name], propertySchema(schema, name), wanted, [...at, name]))
  const own = wanted.objects && entries.some((bytes) => bytes > 0) ? [{ at, entries, bytes: entries.reduce((sum, one) => sum + one, 0), fixed: 0 }] : []
  return [...own, ...inner]
}

const change = (value: unknown, [first, ...rest]: Container['at'], edit: (part: unknown) => unknown): unknown => {
  if (first === undefined) return edit(value)
  if (Array.isArray(value)) return value.map((item, index) => (index === first ? change(item, rest, edit) : item))
  return Object.fromEntries(Object.entries(value as Tree).map(([name, part]) => [name, name === first ? change(part, rest, edit) : part]))
}

const pointer = (at: Container['at']) => at.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** How many entries from the front stay so that `excess` bytes go, or as many as can. */
const keepOf = ({ entries, fixed }: Container, excess: number) => {
  let gone = 0
  let keep = entries.length
  while (keep > fixed && gone < excess) {
    keep -= 1
    gone += entries[keep]!
  }
  return keep
}

type Wanted = { least: number; objects: boolean }

/** Where to cut next: the largest list; of objects the innermost in which enough can go, so that a record loses fields before it goes itself. */
const choose = (containers: Container[], excess: number, { objects }: Wanted): Container | undefined => {
  const largest = containers.sort((a, b) => b.bytes - a.bytes)
  if (!objects) return largest[0]
  return largest.filter(({ bytes }) => bytes >= excess).sort((a, b) => b.at.length - a.at.length)[0] ?? largest[0]
}

const isBelow = (at: string, cut: { at: string; shown: number }) =>
  at.startsWith(`${cut.at}/`) && Number(at.slice(cut.at.length + 1).split('/')[0]) >= cut.shown

/** Cuts containers at the borders of their entries until the value fits, or nothing is left to cut. */
const cutContainers = (given: Fitted, bytes: number, schema: JsonSchema | undefined, wanted: Wanted): Fitted => {
  let { value } = given
  const lists = new Map(given.cuts.lists.map((list) => [list.at, list]))
  const fields = new Map<string, number>()
  for (let excess = bytesOf(value) - bytes; excess > 0; excess = bytesOf(value) - bytes) {
    const target = choose(containersIn(value, schema, wanted), excess, wanted)
    if (!target) break
    const keep = keepOf(target, excess)
    const at = pointer(target.at)
    value = change(value, target.at, (part) => {
      if (Array.isArray(part)) {
        lists.set(at, { at, shown: keep, of: lists.get(at)?.of ?? part.length })
        return part.slice(0, keep)
      }
      const all = Object.entries(part as Tree)
      const kept = all.filter((_, index) => index < keep || target.entries[index] === 0)
      fields.set(at, (fields.get(at) ?? 0) + all.length - kept.length)
      return Object.fromEntries(kept)
    })
  }
  // A part that went later is no longer there to be spoken of.
  const left = [...lists.values()].filter(({ at }) => ![...lists.values()].some((other) => isBelow(at, other)))
  return { value, cuts: { ...given.cuts, lists: left, fields: [...fields].map(([at, count]) => ({ at, left: count })) } }
}

/**
 * Makes a JSON value fit into `bytes`, in the order of what is missed least: provider's copies beside normalised records, long texts, ends of
 * lists, then fields that the schema does not require. Cuts only at borders of entries, so that the value keeps to its schema.
 * It may come out larger only where what is required is larger.
 */
export const fit = (value: unknown, bytes: number, schema: JsonSchema | undefined): Fitted => {
  const whole: Fitted = { value, cuts: { raw: 0, lists: [], fields: [] } }
  const fits = ({ value: part }: Fitted) => bytesOf(part) <= bytes
  if (fits(whole)) return whole
  const bare = dropRaw(value)
  if (fits(bare)) return bare
  const withTexts = (most: number): Fitted => {
    const { value: kept, count } = shortenTexts(bare.value, most)
    return { value: kept, cuts: { ...bare.cuts, ...(count > 0 ? { texts: { count, to: most } } : {}) } }
  }
  for (const most of [8000, 2000, 500]) {
    const shorter = withTexts(most)
    if (fits(shorter)) return shorter
  }
  for (const most of [500, 200]) {
    const fewer = cutContainers(withTexts(most), bytes, schema, { least: 1, objects: false })
    if (fits(fewer)) return fewer
  }
  return cutContainers(cutContainers(withTexts(200), bytes, schema, { least: 1, objects: false }), bytes, schema, { least: 0, objects: true })
}
