/** The texts of the connect pages in each language. */
import type { PageLocale } from '../../../../runtime/connections/browser/types.ts'
import { english } from './en.ts'
import type { Texts } from './en.ts'

export { english }
export type { Texts }

/** Languages other than English are loaded when a page is first shown in them. */
export const textsIn: Record<PageLocale, () => Promise<Texts>> = {
  en: async () => english,
  de: async () => (await import('./de.ts')).german,
}
