/** Types by their reason, since many types share one. */
const byReason = (reasons: Record<string, string>): [types: string[], why: string][] => {
  const types = Map.groupBy(Object.entries(reasons), ([, why]) => why)
  return [...types].map(([why, entries]) => [entries.map(([type]) => type), why])
}

/** What a builder must know about a trigger: its caveat, and why types of its events cannot be recovered. */
export const triggerNotes = ({
  caveat,
  whyWebhookOnly = {},
}: {
  caveat: string | null
  whyWebhookOnly?: Record<string, string>
}): string[] => [
  ...(caveat === null ? [] : [caveat]),
  ...byReason(whyWebhookOnly).map(([types, why]) => `${types.join(', ')}: ${why}`),
]
