import { valueAt } from '#kit'
import type { Found, Json, RecordAlias } from '#kit'

const present = (value: unknown) => value !== undefined && value !== null && value !== ''

const firstOf = (raw: unknown, paths: string[]): unknown => {
  for (const path of paths) {
    const value = valueAt(raw, path)
    if (present(value)) return value
  }
  return undefined
}

const listOf = (raw: unknown, alias: Exclude<RecordAlias, string[]>) =>
  alias.lists.flatMap(({ at, item, set }) => {
    const found = valueAt(raw, at)
    const items = Array.isArray(found) ? found : present(found) ? [found] : []
    return items.flatMap((one) => {
      const entry: Record<string, unknown> = { ...set }
      let any = false
      for (const [ours, paths] of Object.entries(item)) {
        const value = firstOf(one, paths)
        if (value === undefined) continue
        entry[ours] = value
        any = true
      }
      return any ? [entry] : []
    })
  })

/** Our record out of the provider's, by the profile's alias paths. A list without items is left out: unknown, not "none". */
export const normaliseRecord = (raw: unknown, aliases: { [ours: string]: RecordAlias }): Record<string, unknown> => {
  const record: Record<string, unknown> = {}
  for (const [ours, alias] of Object.entries(aliases)) {
    const value = Array.isArray(alias) ? firstOf(raw, alias) : listOf(raw, alias)
    if (value === undefined || (Array.isArray(value) && !Array.isArray(alias) && value.length === 0)) continue
    record[ours] = value
  }
  return record
}

/** A found record in the one result contract. Provider text is marked untrusted: it may hold instructions. */
export const foundRecord = (
  raw: unknown,
  aliases: { [ours: string]: RecordAlias } | undefined,
  from: { provider: string; endpoint: string; at: number; matchedBy?: string | undefined },
): Found => ({
  matched: true,
  ...(from.matchedBy === undefined ? {} : { matchedBy: from.matchedBy }),
  record: normaliseRecord(raw, aliases ?? {}),
  raw: raw as Json,
  provenance: { provider: from.provider, endpoint: from.endpoint, at: new Date(from.at).toISOString(), untrusted: true },
})
