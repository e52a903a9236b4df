/**
 * Characters at which a spreadsheet takes a cell for a formula or a command: OWASP's list, with the full-width forms
 * that some programs treat alike.
 */
const start = '=+\\-@\\t\\r\\n＝＋－＠'
const isGuarded = new RegExp(`^'+[${start}]`)
const needsGuard = new RegExp(`^'*[${start}]`)

/** Matches where a program that splits at another usual delimiter would begin a cell, and compute it. */
export const hidesFormula = new RegExp(`[,;\\t|]['" \\u00a0]*[${start}]`)

/**
 * Makes a spreadsheet show a cell instead of computing it. A cell that already looks guarded gets another apostrophe,
 * so that `unguardCell` restores it.
 */
export const guardCell = (text: string): string => (needsGuard.test(text) ? `'${text}` : text)

/** Reverses `guardCell`. */
export const unguardCell = (text: string): string => (isGuarded.test(text) ? text.slice(1) : text)
