import { oneLine } from '#kit'

/** A program that asks to be let in. */
export type Client = {
  id: string
  name: string | null
  /** The operator of this server knows it, and gave it its name. Every other client names itself. */
  isKnown: boolean
  /** Host that vouches for it; null: nobody does. */
  host: string | null
  redirectUris: readonly string[]
  secretHash: string | null
}

/**
 * What a client is called where its rights are shown: on pages where people enter secrets, in lists and logs. A name
 * that it gave itself never stands alone, since it may be that of somebody whom people trust.
 */
export const labelOf = ({ name, isKnown, host, id }: Pick<Client, 'name' | 'isKnown' | 'host' | 'id'>): string => {
  if (isKnown) return name ?? id
  if (host !== null) return `Program at ${host}`
  const shown = oneLine(name ?? '')
    .replace(/[‘’“”]/g, "'")
    .trim()
  return shown === '' ? 'Unverified program without a name' : `Unverified program ‘${shown}’`
}
