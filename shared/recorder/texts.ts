/** Copies a JSON value with every text changed; `name` is the name of the field that holds the text. */
export const mapTexts = (value: unknown, change: (text: string, name: string) => string, name = ''): unknown => {
  if (typeof value === 'string') return change(value, name)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, name))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change, key)]))
}

/** Changes a text, and one inside a cursor of `readPage` too, which contains the address of the next page. */
export const changeWithCursor = (text: string, change: (text: string) => string): string => {
  const decoded = /^eyJ[\w-]+$/.test(text) ? Buffer.from(text, 'base64url').toString() : ''
  return decoded.startsWith('{"at":') ? Buffer.from(change(decoded)).toString('base64url') : change(text)
}

/** The JSON object or list that a text holds, as fields of forms do; undefined when it holds none. */
export const jsonInText = (text: string): unknown => {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The name of a field without separators and in lower case: `clientSecret`, `client_secret` are the same. */
export const plainName = (name: string) => name.toLowerCase().replaceAll(/[\s._-]/g, '')
