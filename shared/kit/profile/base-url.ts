/** `https://*.desk.example/api`: "*" matches one whole label of the host name, and two labels after it are fixed. */
const pattern = /^https?:\/\/(?:\*\.|[\w-]+\.)*[\w-]+(:\d{1,5})?(\/[\w.~/-]*)?$/i
const wideOpen = /\*\.[^/.:]+(:\d+)?(\/|$)/

/**
 * Whether a pattern of base addresses may be used. One that leaves the registered name open would let a caller choose
 * the host.
 */
export const isBaseUrlPattern = (text: string): boolean => pattern.test(text) && !wideOpen.test(text)
