/** Idempotency keys: a repeated request keeps its key until its outcome is known. */
import { useRef } from 'preact/hooks'

/** Not crypto.randomUUID, which browsers do not offer to pages without https. */
const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * `of`: the key of a request, the same for as long as the request does not change. `forget`: the next request gets a
 * new key.
 */
export const useKey = () => {
  const currentKey = useRef<{ key: string; of: string }>(undefined)
  return {
    of(request: unknown) {
      const text = JSON.stringify(request)
      if (currentKey.current?.of !== text) currentKey.current = { key: newKey(), of: text }
      return { 'idempotency-key': currentKey.current.key }
    },
    forget: () => void (currentKey.current = undefined),
  }
}
