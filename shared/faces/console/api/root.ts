/**
 * Path of the console, with a trailing "/": all its files are in one folder. The API is in the neighbouring folder,
 * even when a proxy adds a prefix.
 */
export const consoleRoot = new URL('.', import.meta.url).pathname
export const apiRoot = new URL('../v1/', import.meta.url).pathname

/** Address of a page of the console: `pathTo('steps', integration, step)`. */
export const pathTo = (...parts: string[]) => consoleRoot + parts.map(encodeURIComponent).join('/')
