/** With DRILL=all every figure is whole; without, a tenth of it. */
const isWhole = process.env['DRILL'] === 'all'

export const figure = (whole: number, tenth = Math.max(1, Math.round(whole / 10))) => (isWhole ? whole : tenth)
