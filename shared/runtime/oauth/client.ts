/** A program that asks to be let in. */
export type Client = {
  id: string
  name: string | null
  /** Host that vouches for it; null: nobody does. */
  host: string | null
  redirectUris: readonly string[]
  secretHash: string | null
}
