import { asText } from '#kit'
import type { Json } from '#kit'

/** The texts of a signal under our names; numbers become text, and what is absent or empty is left out. */
export const textsOf = <Name extends string>(
  details: { [name: string]: Json },
  names: { [ours in Name]: string },
): { [ours in Name]?: string } => {
  const texts: { [ours in Name]?: string } = {}
  for (const ours of Object.keys(names) as Name[]) {
    const value = details[names[ours]]
    const isSaid = (typeof value === 'string' && value !== '') || typeof value === 'number'
    if (isSaid) texts[ours] = asText(value)
  }
  return texts
}
