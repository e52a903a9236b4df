/**
 * Characters at which a spreadsheet takes a cell for a formula or a command: OWASP's list, with the full-width forms
 * that some programs treat alike.
 */
export const formulaStart = '=+\\-@\\t\\r\\n＝＋－＠'
const isGuarded = new RegExp(`^'+[${formulaStart}]`)
const needsGuard = new RegExp(`^'*[${formulaStart}]`)

/**
 * Makes a spreadsheet show a cell instead of computing it. A cell that already looks guarded gets another apostrophe,
 * so that `unguardCell` restores it.
 */
export const guardCell = (text: string): string => (needsGuard.test(text) ? `'${text}` : text)

/** Reverses `guardCell`. */
export const unguardCell = (text: string): string => (isGuarded.test(text) ? text.slice(1) : text)

/** A line of a CSV file that no spreadsheet computes anything of. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map((cell) => (typeof cell === 'string' ? `"${guardCell(cell).replaceAll('"', '""')}"` : (cell ?? ''))).join(',')}\r\n`
