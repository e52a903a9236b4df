const here = 'http://here.invalid'

/**
 * A path of this server that a browser may be sent to, as browsers read it; undefined for everything else, above all for
 * what a browser would read as an address elsewhere.
 */
export const readLocalPath = (text: string, maxLength = 512): string | undefined => {
  // A URL parser removes tabs and line breaks and reads "\\" as "/", so texts that it would change are refused before
  // parsing.
  if (text.length > maxLength || /[^\x21-\x7e]/.test(text) || text.includes('\\')) return undefined
  if (!/^\/(?!\/)/.test(text) || !URL.canParse(text, here)) return undefined
  const url = new URL(text, here)
  if (url.origin !== here || url.pathname.startsWith('//')) return undefined
  return url.pathname + url.search + url.hash
}
