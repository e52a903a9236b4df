import workBoard from './work-board/manifest.ts'

/** The list of integrations, sorted by id: one import and one entry each. */
export const integrations = [workBoard]
