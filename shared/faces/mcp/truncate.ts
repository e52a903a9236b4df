import type { JsonSchema } from '#kit'
import { cutDepth, maxVisibleDepth, visible } from '#kit'

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
/** Bytes of JSON that a value may take as it is, and once something has to be cut. */
export type Room = { whole: number; cut: number }

type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? 'null')

/** How much is dropped before entries are: copies of the provider, and texts beyond so many characters. */
type Level = { raw: boolean; most: number }
const levels: Level[] = [
  { raw: true, most: Infinity },
  { raw: false, most: Infinity },
  { raw: false, most: 8000 },
  { raw: false, most: 2000 },
  { raw: false, most: 500 },
]
const shortest: Level = { raw: false, most: 200 }

/**
 * A value as far as it was looked at. `least`: bytes at the shortest level with everything in it; the rest is measured anew for each level.
 * `size`: bytes as a whole. `min`: with one entry in each list. `floor`: with empty lists and only the fields that the schema requires.
 */
type Node = { least: number; size: number; min: number; floor: number } & (
  | { kind: 'leaf'; value: unknown }
  | { kind: 'text'; text: string; length: number; bytes: number }
  | { kind: 'list'; items: Node[]; of: number }
  | { kind: 'record'; fields: Field[]; of: number; raw: 'none' | 'seen' | 'unseen' }
)
/** `bytes`: of the name with its colon. `isSpare`: the copy of the provider beside a normalised record; `of` of a record does not count it. */
type Field = { name: string; index: number; bytes: number; node: Node; isRequired: boolean; isSpare: boolean }
type TextNode = Extract<Node, { kind: 'text' }>
type ListNode = Extract<Node, { kind: 'list' }>
type RecordNode = Extract<Node, { kind: 'record' }>

const unmeasured = { size: 0, min: 0, floor: 0 }
const isContainer = ({ kind }: Node) => kind === 'list' || kind === 'record'
const commas = (count: number) => Math.max(0, count - 1)

/** The text cut at `most` characters with the cut marked in it. A text cut by the mark's own length would not get shorter. */
const shorten = ({ text, length }: TextNode, most: number): string | undefined =>
  length <= most + 40 ? undefined : `${text.slice(0, most).toWellFormed()}… [cut: ${length - most} more characters]`

const textBytes = (node: TextNode, most: number) => {
  const short = shorten(node, most)
  return short === undefined ? node.bytes : most > node.text.length ? Infinity : bytesOf(short)
}

const propertySchema = (schema: JsonSchema | undefined, name: string) => (schema?.properties as Record<string, JsonSchema> | undefined)?.[name]

/**
 * Looks at a value as far as `room` bytes reach: what lies behind could not be shown anyway. Each value is visited once at most, so the work is
 * bounded by what may be shown and never more than linear in what was given.
 */
const createLook = (most: number) => {
  /** Copies of the provider go first, so that they do not count against the rest; all together get as much room. */
  let roomOfRaw = most
  /** For fields that stand behind what fills the room already. */
  let roomBehind = 2 * most

  const lookAtText = (given: string): TextNode => {
    const text = visible(given.length > most ? given.slice(0, most) : given)
    const length = given.length > most ? given.length : text.length
    const node: TextNode = { kind: 'text', text, length, bytes: length > text.length ? Infinity : bytesOf(text), least: 0, ...unmeasured }
    node.least = textBytes(node, shortest.most)
    return node
  }

  const lookAtList = (given: unknown[], schema: JsonSchema | undefined, room: number, depth: number): ListNode => {
    const items: Node[] = []
    let least = 2
    for (let index = 0; index < given.length && least <= room; index += 1) {
      const item = look(given[index], schema?.items as JsonSchema | undefined, room - least, depth + 1)
      items.push(item)
      least += item.least + 1
    }
    return { kind: 'list', items, of: given.length, least, ...unmeasured }
  }

  const lookAtRecord = (given: Tree, schema: JsonSchema | undefined, room: number, depth: number): RecordNode => {
    const names = Object.keys(given)
    const required = new Set(schema?.required as string[] | undefined)
    const spare = isTree(given.record) && given.raw !== undefined && !required.has('raw') ? names.indexOf('raw') : -1
    // A field takes four bytes at least, and fields go from the end: what stands behind these could not be shown.
    const near = Math.min(names.length, Math.ceil(most / 4))
    const indices = Array.from({ length: near }, (_, index) => index)
    for (const name of near < names.length ? required : []) if (names.indexOf(name, near) > 0) indices.push(names.indexOf(name, near))
    const fields: Field[] = []
    let [least, of] = [2, spare < 0 ? names.length : names.length - 1]
    const take = (index: number, space: number) => {
      const name = visible(names[index]!)
      const node = look(given[names[index]!], propertySchema(schema, names[index]!), space, depth + 1)
      fields.push({ name, index, bytes: bytesOf(name) + 1, node, isRequired: required.has(names[index]!), isSpare: index === spare })
      return node
    }
    const takeOwn = (index: number, space: number) => {
      const { least: bytes } = take(index, space)
      least += fields.at(-1)!.bytes + bytes + 1
    }
    const isNested = (index: number) => typeof given[names[index]!] === 'object' && given[names[index]!] !== null
    for (const index of indices) {
      if (given[names[index]!] === undefined) of -= 1
      else if (!isNested(index) && index !== spare && (least <= room || required.has(names[index]!))) takeOwn(index, room)
    }
    const nested = indices.filter((index) => isNested(index) && index !== spare)
    for (const index of nested) {
      if (least <= room) takeOwn(index, room - least)
      else if (required.has(names[index]!) || roomBehind > 0) {
        // Fields behind a large one are still looked at, so that the large one can be cut instead of them.
        takeOwn(index, Math.min(roomBehind, Math.floor(room / Math.min(nested.length, 8))))
        roomBehind -= fields.at(-1)!.node.least
      }
    }
    const seesRaw = spare >= 0 && roomOfRaw > 0
    if (seesRaw) roomOfRaw -= take(spare, roomOfRaw).least
    fields.sort((one, other) => one.index - other.index)
    return { kind: 'record', fields, of, raw: spare < 0 ? 'none' : seesRaw ? 'seen' : 'unseen', least, ...unmeasured }
  }

  const look = (given: unknown, schema: JsonSchema | undefined, room: number, depth = 0): Node => {
    if (typeof given === 'string') return lookAtText(given)
    if (typeof given !== 'object' || given === null) return { kind: 'leaf', value: given ?? null, least: bytesOf(given ?? null), ...unmeasured }
    if (depth === maxVisibleDepth) return { kind: 'leaf', value: cutDepth, least: bytesOf(cutDepth), ...unmeasured }
    return Array.isArray(given) ? lookAtList(given, schema, room, depth) : lookAtRecord(given as Tree, schema, room, depth)
  }
  return look
}

const isSeen = (node: ListNode | RecordNode) => (node.kind === 'list' ? node.items.length : node.fields.length - (node.raw === 'seen' ? 1 : 0)) === node.of
const fieldsAt = ({ fields }: RecordNode, { raw }: Level) => (raw ? fields : fields.filter(({ isSpare }) => !isSpare))

const measure = (node: Node, level: Level): void => {
  if (node.kind === 'leaf') node.size = node.min = node.floor = node.least
  else if (node.kind === 'text') node.size = node.min = node.floor = textBytes(node, level.most)
  else if (node.kind === 'list') {
    for (const item of node.items) measure(item, level)
    node.size = isSeen(node) ? node.items.reduce((sum, { size }) => sum + size, 2 + commas(node.of)) : Infinity
    node.min = 2 + (node.items[0]?.min ?? 0)
    node.floor = 2
  } else {
    const fields = fieldsAt(node, level)
    for (const { node: part } of fields) measure(part, level)
    const all = isSeen(node) && !(level.raw && node.raw === 'unseen')
    const sum = (bytesOfPart: (field: Field) => number) => fields.reduce((total, field) => total + bytesOfPart(field), 2)
    node.size = all ? sum(({ bytes, node: part }) => bytes + part.size) + commas(fields.length) : Infinity
    node.min = all ? sum(({ bytes, node: part }) => bytes + part.min) + commas(fields.length) : Infinity
    node.floor = sum(({ bytes, node: part, isRequired }) => (isRequired ? bytes + part.floor + 1 : 0))
  }
}

type Part = { value: unknown; bytes: number }
type Kept = { field: Field; base: number }

const pointer = (at: string, part: string | number) => `${at}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Builds the value that is shown at a level of dropping, and counts what is left out. */
const createBuild = (level: Level) => {
  const cuts: Cuts = { raw: 0, lists: [], fields: [] }

  const textAt = (node: TextNode): string => {
    const short = shorten(node, level.most)
    if (short !== undefined) cuts.texts = { count: (cuts.texts?.count ?? 0) + 1, to: level.most }
    return short ?? node.text
  }

  const whole = (node: Node): unknown => {
    if (node.kind === 'leaf') return node.value
    if (node.kind === 'text') return textAt(node)
    if (node.kind === 'list') return node.items.map(whole)
    if (!level.raw && node.raw !== 'none') cuts.raw += 1
    return Object.fromEntries(fieldsAt(node, level).map(({ name, node: part }) => [name, whole(part)]))
  }

  /** Whole entries from the front; of the first one what fits, when it is too large by itself. */
  const shrinkList = ({ items, of }: ListNode, room: number, at: string): Part => {
    const kept: unknown[] = []
    const slot = cuts.lists.length
    let bytes = 2
    for (const item of items) {
      const more = item.size + (kept.length > 0 ? 1 : 0)
      if (bytes + more > room) break
      bytes += more
      kept.push(whole(item))
    }
    if (kept.length === 0 && items[0] && items[0].floor + 2 <= room) {
      const first = shrink(items[0], room - 2, pointer(at, 0))
      kept.push(first.value)
      bytes += first.bytes
    }
    if (kept.length < of) cuts.lists.splice(slot, 0, { at, shown: kept.length, of })
    return { value: kept, bytes }
  }

  /** Which fields stay, and what each takes at the least. */
  const choose = (node: RecordNode, room: number): Kept[] => {
    const fields = fieldsAt(node, level)
    const each = (base: (field: Field) => number): Kept[] => fields.map((field) => ({ field, base: base(field) }))
    const bytesFor = (kept: Kept[]) => kept.reduce((sum, { field, base }) => sum + field.bytes + base, 2 + commas(kept.length))
    if (node.min <= room) return each(({ node: part }) => part.min)
    const largest = fields.reduce<Field | undefined>((most, field) => (most && most.node.size >= field.node.size ? most : field), undefined)
    const one = each((field) => (field === largest ? field.node.floor : field.node.size))
    if (isSeen(node) && largest && isContainer(largest.node) && bytesFor(one) <= room) return one
    // Fields go from the end, save required ones.
    let bytes = node.floor
    let isFull = false
    return fields.flatMap((field): Kept[] => {
      if (field.isRequired) return [{ field, base: field.node.floor }]
      if (isFull) return []
      let base = field.node.min
      if (bytes + field.bytes + base + 1 > room) {
        isFull = true
        base = field.node.floor
        // Half a record is worth it only where there would be little else.
        if (!isContainer(field.node) || bytes > room / 2 || bytes + field.bytes + base + 1 > room) return []
      }
      bytes += field.bytes + base + 1
      return [{ field, base }]
    })
  }

  /** Room beyond what its fields need at the least goes to those that need more, in equal shares. */
  const shrinkRecord = (node: RecordNode, room: number, at: string): Part => {
    const kept = choose(node, room)
    if (!level.raw && node.raw !== 'none') cuts.raw += 1
    let bytes = kept.reduce((sum, { field, base }) => sum + field.bytes + base, 2 + commas(kept.length))
    const parts = new Map<Field, unknown>()
    const needOf = ({ field, base }: Kept) => Math.min(field.node.size - base, Number.MAX_SAFE_INTEGER)
    const byNeed = kept.toSorted((one, other) => needOf(one) - needOf(other))
    for (const [done, { field, base }] of byNeed.entries()) {
      const share = Math.max(0, room - bytes) / (byNeed.length - done)
      const part = shrink(field.node, base + share, pointer(at, field.name))
      bytes += part.bytes - base
      parts.set(field, part.value)
    }
    if (kept.length < node.of) cuts.fields.push({ at, left: node.of - kept.length })
    return { value: Object.fromEntries(kept.map(({ field }) => [field.name, parts.get(field)])), bytes }
  }

  const shrink = (node: Node, room: number, at: string): Part => {
    if (!isContainer(node) || node.size <= room) return { value: whole(node), bytes: node.size }
    return node.kind === 'list' ? shrinkList(node, room, at) : shrinkRecord(node as RecordNode, room, at)
  }
  return { whole, shrink, cuts }
}

/**
 * Makes a JSON value fit, in the order of what is missed least: provider's copies beside normalised records, long texts, ends of lists, then
 * fields that the schema does not require. Cuts only at borders of entries, so that the value keeps to its schema. It may come out larger only
 * where what is required is larger. What is shown is a copy without invisible characters.
 */
export const fit = (value: unknown, room: Room, schema: JsonSchema | undefined): Fitted => {
  const root = createLook(room.whole)(value, schema, room.whole)
  for (const level of levels) {
    measure(root, level)
    const build = createBuild(level)
    if (root.size <= (level === levels[0] ? room.whole : room.cut)) return { value: build.whole(root), cuts: build.cuts }
  }
  let level = levels.at(-1)!
  if (root.min > room.cut) measure(root, (level = shortest))
  const build = createBuild(level)
  return { value: build.shrink(root, room.cut, '').value, cuts: build.cuts }
}
