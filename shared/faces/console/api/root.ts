/**
 * Path of the console, with a trailing "/": all of its files are in one folder. The API is its neighbour, also where a
 * proxy adds a prefix.
 */
export const consoleRoot = new URL('.', import.meta.url).pathname
export const apiRoot = new URL('../v1/', import.meta.url).pathname

/** Address of a page of the console: `pathTo('steps', integration, step)`. */
export const pathTo = (...parts: string[]) => consoleRoot + parts.map(encodeURIComponent).join('/')
