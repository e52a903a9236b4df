/**
 * A JSON value as text. `String()` throws for an object whose own `toString` is not a function, which untrusted JSON
 * may contain.
 */
export const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
