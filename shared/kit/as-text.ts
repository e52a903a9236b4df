/**
 * Anything of JSON as a text. `String()` throws for an object whose `toString` is no function, as one that somebody
 * sent may have.
 */
export const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
