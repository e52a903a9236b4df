/**
 * The beginning of a value's JSON text: at least `length` characters, unless the whole text is shorter. A large value
 * costs no more than a small one.
 */
export const startOf = (value: unknown, length: number): string => {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, length))
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  let text = ''
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && text.length <= length; at += 1)
      text += `${at === 0 ? '' : ','}${startOf(value[at], length - text.length)}`
    return `[${text}]`
  }
  for (const [name, inner] of Object.entries(value)) {
    if (text.length > length) break
    if (inner !== undefined)
      text += `${text === '' ? '' : ','}${JSON.stringify(name.slice(0, length))}:${startOf(inner, length - text.length)}`
  }
  return `{${text}}`
}
