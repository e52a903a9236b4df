import { inputLimits } from '#kit'
import type { ReadBody } from './body.ts'

/**
 * A strict reader of small XML documents, since a document type with entities is the usual attack on readers of XML:
 * there are none here but the five that every document has. An element becomes its text, or, where it has attributes or
 * elements in it, an object: attributes as `@name`, elements by name, a list where a name is repeated, text as `#text`.
 */
type Values = Map<string, unknown[]>
/** An element that is not closed yet: its attributes and elements by name, and the text in it. */
type Open = { name: string; values: Values; text: string }

class NotXml extends Error {}
const refuse = (why: string): never => {
  throw new NotXml(why)
}

const maxElements = 20_000
const maxAttributes = 100
const maxDepth = inputLimits.depth

const nameStart = '[A-Za-z_\\u{80}-\\u{10ffff}]'
const nameText = `${nameStart}[\\w.\\-:\\u{80}-\\u{10ffff}]*`
// XML knows these four, and no others of Unicode: those may be in names.
const space = '[ \\t\\r\\n]'
const openTag = new RegExp(
  `<(${nameText})((?:${space}+${nameText}${space}*=${space}*(?:"[^"<]*"|'[^'<]*'))*)${space}*(/?)>`,
  'uy',
)
const closeTag = new RegExp(`</(${nameText})${space}*>`, 'uy')
const attribute = new RegExp(`${space}+(${nameText})${space}*=${space}*(?:"([^"]*)"|'([^']*)')`, 'uy')
const declaration = /^\uFEFF?<\?xml\s[^?]*\?>/
const otherEncoding = /\sencoding\s*=\s*["'](?!utf-?8["'])/i
/** Characters that XML does not allow, also when written as a reference. */
// eslint-disable-next-line no-control-regex
const unfitCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/u
const entities: { [name: string]: string } = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const reference = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));|&/gi

const characterOf = (decimal: string | undefined, hex: string | undefined): string => {
  const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
  const character = code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\0'
  return unfitCharacter.test(character) ? refuse('a character that XML does not allow') : character
}

/** The text with its references replaced. */
const textIn = (written: string): string =>
  written.includes('&')
    ? written.replace(reference, (whole, decimal?: string, hex?: string, name?: string) => {
        if (decimal !== undefined || hex !== undefined) return characterOf(decimal, hex)
        if (name !== undefined && Object.hasOwn(entities, name)) return entities[name]!
        return refuse(`"${whole.slice(0, 40)}", which is none of the five entities that every document has`)
      })
    : written

const add = (values: Values, name: string, value: unknown) => {
  const present = values.get(name)
  if (present) present.push(value)
  else values.set(name, [value])
}

const attributesOf = (written: string, element: string): Values => {
  const values: Values = new Map()
  attribute.lastIndex = 0
  for (let match = attribute.exec(written); match !== null; match = attribute.exec(written)) {
    const [, name = '', double, single] = match
    if (values.size === maxAttributes) refuse(`more than ${maxAttributes} attributes of "${element}"`)
    if (values.has(`@${name}`)) refuse(`the attribute "${name}" of "${element}" twice`)
    values.set(`@${name}`, [textIn(double ?? single ?? '')])
  }
  return values
}

const valueOf = ({ values, text }: Open): unknown => {
  if (values.size === 0) return text
  const entries = [...values].map(([name, list]) => [name, list.length === 1 ? list[0] : list] as const)
  return Object.fromEntries(text.trim() === '' ? entries : [...entries, ['#text', text.trim()]])
}

const tagAt = (tag: RegExp, text: string, at: number): RegExpExecArray => {
  tag.lastIndex = at
  return tag.exec(text) ?? refuse('a tag that is not well-formed')
}

/** Reads the markup of a document, one piece at a time. */
const createReader = (text: string) => {
  const root: Open = { name: '', values: new Map(), text: '' }
  const open: Open[] = [root]
  let elements = 0
  const isInside = () => open.length > 1

  const addText = (written: string) => {
    if (!isInside() && written.trim() !== '') refuse('text outside of its element')
    open.at(-1)!.text += written
  }
  const endOf = (closing: string, from: number): number => {
    const end = text.indexOf(closing, from)
    return end < 0 ? refuse('markup that does not end') : end
  }
  const close = () => {
    const element = open.pop()!
    add(open.at(-1)!.values, element.name, valueOf(element))
  }

  const readClosing = (at: number): number => {
    const [whole, name] = tagAt(closeTag, text, at)
    if (!isInside() || open.at(-1)!.name !== name) refuse(`"</${name}>" where another element ends`)
    close()
    return at + whole.length
  }
  const readOpening = (at: number): number => {
    const [whole, name = '', attributes = '', isEmpty] = tagAt(openTag, text, at)
    elements += 1
    if (elements > maxElements) refuse(`more than ${maxElements} elements`)
    if (open.length > maxDepth) refuse(`elements nested deeper than ${maxDepth} levels`)
    if (!isInside() && root.values.size > 0) refuse('more than one outermost element')
    open.push({ name, values: attributesOf(attributes, name), text: '' })
    if (isEmpty) close()
    return at + whole.length
  }

  return {
    root,
    isInside,
    addText: (written: string) => {
      if (written.includes(']]>')) refuse('"]]>" in a text')
      addText(textIn(written))
    },
    /** Reads what begins with "<" at this index, and returns the index after it. */
    readMarkup(at: number): number {
      if (text.startsWith('</', at)) return readClosing(at)
      if (text.startsWith('<!--', at)) return endOf('-->', at + 4) + 3
      if (text.startsWith('<?', at)) return endOf('?>', at + 2) + 2
      if (!text.startsWith('<!', at)) return readOpening(at)
      if (!isInside() || !text.startsWith('<![CDATA[', at)) return refuse('a document type')
      const end = endOf(']]>', at + 9)
      addText(text.slice(at + 9, end))
      return end + 3
    },
  }
}

const read = (text: string): unknown => {
  if (unfitCharacter.test(text)) refuse('a character that XML does not allow')
  const [head = ''] = declaration.exec(text) ?? []
  if (otherEncoding.test(head)) refuse('another encoding than UTF-8')
  const reader = createReader(text)
  let at = head.length
  while (at < text.length) {
    const markup = text.indexOf('<', at)
    const end = markup < 0 ? text.length : markup
    if (end > at) reader.addText(text.slice(at, end))
    at = markup < 0 ? end : reader.readMarkup(markup)
  }
  if (reader.isInside()) refuse('an element that does not end')
  if (reader.root.values.size === 0) refuse('no element')
  return valueOf({ ...reader.root, text: '' })
}

/** The document as an object with its outermost element by name, or why it cannot be read. Takes time in its length. */
export const readXml = (text: string): ReadBody => {
  try {
    return { value: read(text) }
  } catch (thrown) {
    if (!(thrown instanceof NotXml)) throw thrown
    return { why: `The body is no XML that is read here. It holds ${thrown.message}.` }
  }
}
