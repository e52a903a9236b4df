import { randomInt } from 'node:crypto'

/**
 * With NODES=all every figure is as the project promises it; without, a tenth of it, and always the same course of
 * events.
 */
const isWhole = process.env['NODES'] === 'all'

export const seed = Number(process.env['NODES_SEED'] ?? (isWhole ? randomInt(2 ** 31) : 1_755_082_154))
export const figure = (whole: number, tenth = Math.max(1, Math.round(whole / 10))) => (isWhole ? whole : tenth)
