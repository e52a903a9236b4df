/**
 * What a spreadsheet takes for a formula or a command: OWASP's list, with the full-width forms that some programs read
 * alike.
 */
const start = '=+\\-@\\t\\r\\n＝＋－＠'
const isGuarded = new RegExp(`^'+[${start}]`)
const needsGuard = new RegExp(`^'*[${start}]`)

/** Where a program that separates by another of the usual separators would begin a cell, and compute it. */
export const hidesFormula = new RegExp(`[,;\\t|]['" \\u00a0]*[${start}]`)

/**
 * A cell that a spreadsheet shows instead of computing it. What looks guarded already gets another apostrophe, so that
 * nothing is lost.
 */
export const guardCell = (text: string): string => (needsGuard.test(text) ? `'${text}` : text)

/** What `guardCell` was given. */
export const unguardCell = (text: string): string => (isGuarded.test(text) ? text.slice(1) : text)
