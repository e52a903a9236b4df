/** Markup that was built by `html`; anything else put into a page is escaped. */
export type Html = { readonly html: string }
type Part = Html | string | number | null | undefined | false | Part[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string) => text.replace(/[&<>"']/g, (sign) => entities[sign]!)

const render = (part: Part): string => {
  if (part === null || part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(render).join('')
  return typeof part === 'object' ? part.html : escape(String(part))
}

/** html`<p>${text}</p>`: `text` is escaped, also inside quoted attributes. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html => ({
  html: strings.reduce((built, string, index) => built + string + render(parts[index]), ''),
})
