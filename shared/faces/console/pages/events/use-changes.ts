import { useEffect, useRef } from 'preact/hooks'
import { listen } from '../../api/index.ts'
import type { Change } from '../../api/index.ts'

/** Calls `reload` once after changes that concern the page, and when the stream has reconnected. */
export const useChanges = (concerns: (change: Change) => boolean, reload: () => void) => {
  const latest = useRef({ concerns, reload })
  latest.current = { concerns, reload }
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const now = () => {
      timer = undefined
      latest.current.reload()
    }
    const soon = () => void (timer ??= setTimeout(now, 50))
    const changed = (changes: Change[]) => {
      if (changes.some((change) => latest.current.concerns(change))) soon()
    }
    const stop = listen({ changed, reconnected: soon })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [])
}
