import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { failField } from '#kit'

export type PastedDelivery = { headers: Record<string, string>; body: string }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lines of headers, an empty line and the body, as request viewers copy them. */
const readHttp = (text: string): PastedDelivery | undefined => {
  const gap = /\r?\n\r?\n/.exec(text)
  if (gap === null) return undefined
  const head = text.slice(0, gap.index).split(/\r?\n/)
  const lines = head.filter((line) => !/^[A-Z]+ \S+( HTTP\/[\d.]+)?$/.test(line))
  const headers = lines.map((line): [string, string] => {
    const end = line.indexOf(':')
    return [line.slice(0, Math.max(end, 0)).toLowerCase(), line.slice(end + 1).trim()]
  })
  if (!headers.every(([name]) => /^[\w-]+$/.test(name))) return undefined
  return { headers: Object.fromEntries(headers), body: text.slice(gap.index + gap[0].length) }
}

const readJson = (text: string): PastedDelivery | undefined => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (isObject(value) && isObject(value['headers']) && 'body' in value && Object.keys(value).length === 2) {
    const { headers, body } = value as { headers: Record<string, unknown>; body: unknown }
    return {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, content]) => [name.toLowerCase(), String(content)]),
      ),
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }
  }
  return { headers: { 'content-type': 'application/json' }, body: text }
}

/**
 * A delivery as somebody has copied it: its JSON body, an object with `headers` and `body`, or headers, an empty line
 * and the body as they were sent.
 * @throws Failure `invalid_input` when it is none of these
 */
export const readPastedDelivery = (text: string): PastedDelivery => {
  const delivery = readJson(text) ?? readHttp(text)
  if (delivery) return delivery
  throw failField(
    'delivery',
    '--delivery: the file holds no delivery. Write its JSON body, {"headers":{…},"body":…}, or its headers, an empty line and its body.',
  )
}

/** @param file path, relative to `cwd`; `-` is standard input */
export const readDeliveryFile = async (
  file: string,
  cwd: string,
  readStdin: () => Promise<string>,
): Promise<PastedDelivery> => {
  if (file === '-') return readPastedDelivery(await readStdin())
  const text = await readFile(resolve(cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw failField('delivery', `--delivery: ${file} cannot be read (${error.code}).`)
  })
  return readPastedDelivery(text)
}
