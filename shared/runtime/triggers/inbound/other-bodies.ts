import type { DeliveryBodies, DeliveryBody } from '#kit'
import { isJson, isUtf8, readJson } from './body.ts'
import type { ReadBody } from './body.ts'
import { readXml } from './xml.ts'

/** Fields of a form, as many as any form of a provider has. */
const maxFields = 1000

const typesOf: { [kind in Exclude<DeliveryBody, 'json'>]: RegExp } = {
  form: /^application\/x-www-form-urlencoded\s*(?:;|$)/i,
  xml: /^(?:text|application)\/(?:[\w.+-]+\+)?xml\s*(?:;|$)/i,
  text: /^text\/plain\s*(?:;|$)/i,
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const decode = (body: Uint8Array): string | undefined => {
  try {
    return utf8.decode(body)
  } catch {
    return undefined
  }
}

/** Texts by name, a list where a name is repeated; `jsonFields` parsed. */
const readForm = (text: string, jsonFields: readonly string[]): ReadBody => {
  const fields = [...new URLSearchParams(text)]
  if (fields.length > maxFields) return { why: `The form has more than ${maxFields} fields.` }
  const byName = Object.entries(Object.groupBy(fields, ([name]) => name))
  const values: [string, unknown][] = []
  for (const [name, entries] of byName) {
    const texts = entries!.map(([, value]) => value)
    if (texts.length === 1 && jsonFields.includes(name)) {
      const json = readJson(Buffer.from(texts[0]!))
      if ('why' in json) return { why: `The field "${name}" of the form cannot be read. ${json.why}` }
      values.push([name, json.value])
    } else values.push([name, texts.length === 1 ? texts[0] : texts])
  }
  return { value: Object.fromEntries(values) }
}

/** Reads a body by its content type; undefined when the profile does not list that. */
export const readByType = (
  type: unknown,
  body: Uint8Array,
  deliveries: DeliveryBodies | undefined,
): ReadBody | undefined => {
  if (isJson(type, deliveries)) return readJson(body)
  if (!deliveries || typeof type !== 'string' || !isUtf8(type)) return undefined
  const { bodies, jsonFields = [] } = deliveries
  const kind = bodies.find((name) => name !== 'json' && typesOf[name].test(type))
  if (kind === undefined) return undefined
  const text = decode(body)
  if (text === undefined) return { why: 'The body is not UTF-8.' }
  if (kind === 'text') return { value: text }
  return kind === 'form' ? readForm(text, jsonFields) : readXml(text)
}
