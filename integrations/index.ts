import anzData from './anz-data/manifest.ts'
import contactData from './contact-data/manifest.ts'
import workBoard from './work-board/manifest.ts'

/** The list of integrations, sorted by id: one import and one entry each. */
export const integrations = [anzData, contactData, workBoard]
