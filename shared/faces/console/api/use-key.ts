/** Idempotency keys: what is asked for again gets the key it had, until it is known how it ended. */
import { useRef } from 'preact/hooks'

/** Not crypto.randomUUID, which a page without https does not have. */
const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * `of`: the key of this request, the same one while the request is the same. `forget`: the next request is a new one.
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
