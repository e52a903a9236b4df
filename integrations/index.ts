import anzData from './anz-data/manifest.ts'
import contactData from './contact-data/manifest.ts'
import workBoard from './work-board/manifest.ts'

/** All integrations, sorted by id. A new integration adds one import and one entry. */
export const integrations = [anzData, contactData, workBoard]
