import type { JsonSchema } from '#kit'
import { cutDepth, maxVisibleDepth, visible } from '#kit'

/** What was cut. */
export type Cuts = {
  /** Raw copies of records. */
  raw: number
  /** Number of shortened texts, and their length in characters. */
  texts?: { count: number; to: number }
  lists: { at: string; shown: number; of: number }[]
  /** Objects with omitted fields. */
  fields: { at: string; left: number }[]
}
export type Truncated = { value: unknown; cuts: Cuts }
/** Bytes of JSON available for a complete value, and for a truncated one. */
export type Room = { whole: number; cut: number }

type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? 'null')

/** What is dropped before list entries are: raw copies, and text beyond a length. */
type Level = { raw: boolean; maxText: number }
const levels: Level[] = [
  { raw: true, maxText: Infinity },
  { raw: false, maxText: Infinity },
  { raw: false, maxText: 8000 },
  { raw: false, maxText: 2000 },
  { raw: false, maxText: 500 },
]
const shortest: Level = { raw: false, maxText: 200 }

/**
 * A value, scanned as far as needed. `minBytes`: size of the complete value at the shortest level; the other sizes are
 * measured again for each level. `size`: size of the complete value. `min`: size with one entry in each list. `floor`:
 * size with empty lists and only the required fields.
 */
type Node = { minBytes: number; size: number; min: number; floor: number } & (
  | { kind: 'leaf'; value: unknown }
  | { kind: 'text'; text: string; length: number; bytes: number }
  | { kind: 'list'; items: Node[]; of: number }
  | { kind: 'record'; fields: Field[]; of: number; raw: 'none' | 'seen' | 'unseen' }
)
/**
 * `bytes`: size of the name with its colon. `isSpare`: this field is the raw copy beside a normalised record, which
 * `of` does not count.
 */
type Field = { name: string; index: number; bytes: number; node: Node; isRequired: boolean; isSpare: boolean }
type TextNode = Extract<Node, { kind: 'text' }>
type ListNode = Extract<Node, { kind: 'list' }>
type RecordNode = Extract<Node, { kind: 'record' }>

const unmeasured = { size: 0, min: 0, floor: 0 }
const isContainer = ({ kind }: Node) => kind === 'list' || kind === 'record'
const commas = (count: number) => Math.max(0, count - 1)

/**
 * The text cut at `maxText` characters, with a note about the cut; undefined if it stays whole, since cutting off less
 * than the note's own length would save nothing.
 */
const shorten = ({ text, length }: TextNode, maxText: number): string | undefined =>
  length <= maxText + 40
    ? undefined
    : `${text.slice(0, maxText).toWellFormed()}… [cut: ${length - maxText} more characters]`

const textBytes = (node: TextNode, maxText: number) => {
  const short = shorten(node, maxText)
  return short === undefined ? node.bytes : maxText > node.text.length ? Infinity : bytesOf(short)
}

const propertySchema = (schema: JsonSchema | undefined, name: string) =>
  (schema?.properties as Record<string, JsonSchema> | undefined)?.[name]

/**
 * Scans a value as far as `room` bytes reach, because nothing beyond could be shown. Each value is visited at most
 * once, so the work is bounded by the size of the result and at most linear in the value.
 */
const createScan = (max: number) => {
  /** Raw copies are dropped first, so they do not count against the rest; together they get as much room again. */
  let roomOfRaw = max
  /** Room for fields that come after the point at which `room` is filled. */
  let roomBehind = 2 * max

  const scanText = (rawText: string): TextNode => {
    const text = visible(rawText.length > max ? rawText.slice(0, max) : rawText)
    const length = rawText.length > max ? rawText.length : text.length
    const node: TextNode = {
      kind: 'text',
      text,
      length,
      bytes: length > text.length ? Infinity : bytesOf(text),
      minBytes: 0,
      ...unmeasured,
    }
    node.minBytes = textBytes(node, shortest.maxText)
    return node
  }

  const scanList = (list: unknown[], schema: JsonSchema | undefined, room: number, depth: number): ListNode => {
    const items: Node[] = []
    let minBytes = 2
    for (let index = 0; index < list.length && minBytes <= room; index += 1) {
      const item = scan(list[index], schema?.items as JsonSchema | undefined, room - minBytes, depth + 1)
      items.push(item)
      minBytes += item.minBytes + 1
    }
    return { kind: 'list', items, of: list.length, minBytes, ...unmeasured }
  }

  const scanRecord = (tree: Tree, schema: JsonSchema | undefined, room: number, depth: number): RecordNode => {
    const names = Object.keys(tree)
    const required = new Set(schema?.required as string[] | undefined)
    const spare = isTree(tree.record) && tree.raw !== undefined && !required.has('raw') ? names.indexOf('raw') : -1
    // A field takes at least four bytes and fields are dropped from the end, so fields beyond these could not be shown.
    const near = Math.min(names.length, Math.ceil(max / 4))
    const indices = Array.from({ length: near }, (_, index) => index)
    for (const name of near < names.length ? required : [])
      if (names.indexOf(name, near) > 0) indices.push(names.indexOf(name, near))
    const fields: Field[] = []
    let [minBytes, of] = [2, spare < 0 ? names.length : names.length - 1]
    const take = (index: number, space: number) => {
      const name = visible(names[index]!)
      const node = scan(tree[names[index]!], propertySchema(schema, names[index]!), space, depth + 1)
      fields.push({
        name,
        index,
        bytes: bytesOf(name) + 1,
        node,
        isRequired: required.has(names[index]!),
        isSpare: index === spare,
      })
      return node
    }
    const takeOwn = (index: number, space: number) => {
      const { minBytes: bytes } = take(index, space)
      minBytes += fields.at(-1)!.bytes + bytes + 1
    }
    const isNested = (index: number) => typeof tree[names[index]!] === 'object' && tree[names[index]!] !== null
    for (const index of indices) {
      if (tree[names[index]!] === undefined) of -= 1
      else if (!isNested(index) && index !== spare && (minBytes <= room || required.has(names[index]!)))
        takeOwn(index, room)
    }
    const nested = indices.filter((index) => isNested(index) && index !== spare)
    for (const index of nested) {
      if (minBytes <= room) takeOwn(index, room - minBytes)
      else if (required.has(names[index]!) || roomBehind > 0) {
        // Fields after a large one are still scanned, so that the large one can be cut instead of them.
        takeOwn(index, Math.min(roomBehind, Math.floor(room / Math.min(nested.length, 8))))
        roomBehind -= fields.at(-1)!.node.minBytes
      }
    }
    const seesRaw = spare >= 0 && roomOfRaw > 0
    if (seesRaw) roomOfRaw -= take(spare, roomOfRaw).minBytes
    fields.sort((field, other) => field.index - other.index)
    return {
      kind: 'record',
      fields,
      of,
      raw: spare < 0 ? 'none' : seesRaw ? 'seen' : 'unseen',
      minBytes,
      ...unmeasured,
    }
  }

  const scan = (value: unknown, schema: JsonSchema | undefined, room: number, depth = 0): Node => {
    if (typeof value === 'string') return scanText(value)
    if (typeof value !== 'object' || value === null)
      return { kind: 'leaf', value: value ?? null, minBytes: bytesOf(value ?? null), ...unmeasured }
    if (depth === maxVisibleDepth) return { kind: 'leaf', value: cutDepth, minBytes: bytesOf(cutDepth), ...unmeasured }
    return Array.isArray(value) ? scanList(value, schema, room, depth) : scanRecord(value as Tree, schema, room, depth)
  }
  return scan
}

const isSeen = (node: ListNode | RecordNode) =>
  (node.kind === 'list' ? node.items.length : node.fields.length - (node.raw === 'seen' ? 1 : 0)) === node.of
const fieldsAt = ({ fields }: RecordNode, { raw }: Level) => (raw ? fields : fields.filter(({ isSpare }) => !isSpare))

const measure = (node: Node, level: Level): void => {
  if (node.kind === 'leaf') node.size = node.min = node.floor = node.minBytes
  else if (node.kind === 'text') node.size = node.min = node.floor = textBytes(node, level.maxText)
  else if (node.kind === 'list') {
    for (const item of node.items) measure(item, level)
    node.size = isSeen(node) ? node.items.reduce((sum, { size }) => sum + size, 2 + commas(node.of)) : Infinity
    node.min = 2 + (node.items[0]?.min ?? 0)
    node.floor = 2
  } else {
    const fields = fieldsAt(node, level)
    for (const { node: part } of fields) measure(part, level)
    const all = isSeen(node) && !(level.raw && node.raw === 'unseen')
    const sum = (bytesOfPart: (field: Field) => number) =>
      fields.reduce((total, field) => total + bytesOfPart(field), 2)
    node.size = all ? sum(({ bytes, node: part }) => bytes + part.size) + commas(fields.length) : Infinity
    node.min = all ? sum(({ bytes, node: part }) => bytes + part.min) + commas(fields.length) : Infinity
    node.floor = sum(({ bytes, node: part, isRequired }) => (isRequired ? bytes + part.floor + 1 : 0))
  }
}

type Part = { value: unknown; bytes: number }
type FieldSize = { field: Field; base: number }

const pointer = (at: string, part: string | number) =>
  `${at}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Builds the value at a level, and counts what was cut. */
const createBuild = (level: Level) => {
  const cuts: Cuts = { raw: 0, lists: [], fields: [] }

  const textAt = (node: TextNode): string => {
    const short = shorten(node, level.maxText)
    if (short !== undefined) cuts.texts = { count: (cuts.texts?.count ?? 0) + 1, to: level.maxText }
    return short ?? node.text
  }

  const whole = (node: Node): unknown => {
    if (node.kind === 'leaf') return node.value
    if (node.kind === 'text') return textAt(node)
    if (node.kind === 'list') return node.items.map(whole)
    if (!level.raw && node.raw !== 'none') cuts.raw += 1
    return Object.fromEntries(fieldsAt(node, level).map(({ name, node: part }) => [name, whole(part)]))
  }

  /** Keeps complete entries from the start, or part of the first one if it is too large by itself. */
  const shrinkList = ({ items, of }: ListNode, room: number, at: string): Part => {
    const chosen: unknown[] = []
    const position = cuts.lists.length
    let bytes = 2
    for (const item of items) {
      const more = item.size + (chosen.length > 0 ? 1 : 0)
      if (bytes + more > room) break
      bytes += more
      chosen.push(whole(item))
    }
    if (chosen.length === 0 && items[0] && items[0].floor + 2 <= room) {
      const first = shrink(items[0], room - 2, pointer(at, 0))
      chosen.push(first.value)
      bytes += first.bytes
    }
    if (chosen.length < of) cuts.lists.splice(position, 0, { at, shown: chosen.length, of })
    return { value: chosen, bytes }
  }

  /** Chooses the fields that stay, with the minimum size of each. */
  const choose = (node: RecordNode, room: number): FieldSize[] => {
    const fields = fieldsAt(node, level)
    const each = (base: (field: Field) => number): FieldSize[] => fields.map((field) => ({ field, base: base(field) }))
    const bytesFor = (chosen: FieldSize[]) =>
      chosen.reduce((sum, { field, base }) => sum + field.bytes + base, 2 + commas(chosen.length))
    if (node.min <= room) return each(({ node: part }) => part.min)
    const largest = fields.reduce<Field | undefined>(
      (largestSoFar, field) => (largestSoFar && largestSoFar.node.size >= field.node.size ? largestSoFar : field),
      undefined,
    )
    const selection = each((field) => (field === largest ? field.node.floor : field.node.size))
    if (isSeen(node) && largest && isContainer(largest.node) && bytesFor(selection) <= room) return selection
    // Fields are dropped from the end, except required ones.
    let bytes = node.floor
    let isFull = false
    return fields.flatMap((field): FieldSize[] => {
      if (field.isRequired) return [{ field, base: field.node.floor }]
      if (isFull) return []
      let base = field.node.min
      if (bytes + field.bytes + base + 1 > room) {
        isFull = true
        base = field.node.floor
        // Part of a record is useful only if there is little else.
        if (!isContainer(field.node) || bytes > room / 2 || bytes + field.bytes + base + 1 > room) return []
      }
      bytes += field.bytes + base + 1
      return [{ field, base }]
    })
  }

  /** Divides the room beyond the minimum equally among the fields that need more. */
  const shrinkRecord = (node: RecordNode, room: number, at: string): Part => {
    const chosen = choose(node, room)
    if (!level.raw && node.raw !== 'none') cuts.raw += 1
    let bytes = chosen.reduce((sum, { field, base }) => sum + field.bytes + base, 2 + commas(chosen.length))
    const parts = new Map<Field, unknown>()
    const needOf = ({ field, base }: FieldSize) => Math.min(field.node.size - base, Number.MAX_SAFE_INTEGER)
    const byNeed = chosen.toSorted((choice, other) => needOf(choice) - needOf(other))
    for (const [done, { field, base }] of byNeed.entries()) {
      const share = Math.max(0, room - bytes) / (byNeed.length - done)
      const part = shrink(field.node, base + share, pointer(at, field.name))
      bytes += part.bytes - base
      parts.set(field, part.value)
    }
    if (chosen.length < node.of) cuts.fields.push({ at, left: node.of - chosen.length })
    return { value: Object.fromEntries(chosen.map(({ field }) => [field.name, parts.get(field)])), bytes }
  }

  const shrink = (node: Node, room: number, at: string): Part => {
    if (!isContainer(node) || node.size <= room) return { value: whole(node), bytes: node.size }
    return node.kind === 'list' ? shrinkList(node, room, at) : shrinkRecord(node as RecordNode, room, at)
  }
  return { whole, shrink, cuts }
}

/** Matches unusual characters, which include every invisible one. */
const unusual = /[^ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027]|\\u/

/** How many bytes of `room` are left, or fewer; negative if the value does not fit, or is nested too deeply. */
const roomAfter = (value: unknown, room: number, depth = 0): number => {
  if (typeof value === 'string') return room - value.length - 2
  if (typeof value !== 'object' || value === null) return room - 1
  if (depth === maxVisibleDepth) return -1
  let left = room - 2
  for (const name of Object.keys(value)) {
    left = roomAfter((value as Tree)[name], left, depth + 1)
    if (left < 0) return left
  }
  return left
}

/** Whether a value is small and free of unusual characters. Most results are, so they need no scan. */
const isFine = (value: unknown, room: number): boolean => {
  if (!isTree(value) || roomAfter(value, room) < 0) return false
  const text = JSON.stringify(value)
  return text.length <= room && !unusual.test(text) && Buffer.byteLength(text) <= room
}

/**
 * Truncates a JSON value, least important parts first: raw copies beside normalised records, long texts, ends of lists,
 * then fields that the schema does not require. Only whole entries are cut, so that the value still matches its schema.
 * It exceeds the room only if its required parts do. The result holds no invisible characters.
 */
export const truncate = (value: unknown, room: Room, schema: JsonSchema | undefined): Truncated => {
  if (isFine(value, room.whole)) return { value, cuts: { raw: 0, lists: [], fields: [] } }
  const root = createScan(room.whole)(value, schema, room.whole)
  for (const level of levels) {
    measure(root, level)
    const build = createBuild(level)
    if (root.size <= (level === levels[0] ? room.whole : room.cut))
      return { value: build.whole(root), cuts: build.cuts }
  }
  let level = levels.at(-1)!
  if (root.min > room.cut) measure(root, (level = shortest))
  const build = createBuild(level)
  return { value: build.shrink(root, room.cut, '').value, cuts: build.cuts }
}
