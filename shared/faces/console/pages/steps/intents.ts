/**
 * What this browser tab sent, by run, so that a run can be repeated with a change although the server keeps no inputs.
 * The browser forgets it with the tab, and signing out removes it: inputs may be personal data.
 */
import { session } from '../../api/index.ts'

export type Intent = {
  integration: string
  step: string
  connection: string | undefined
  input: Record<string, unknown>
  /** What was filled in, with the fields that only narrow choices; without it, the form has the input. */
  values?: Record<string, unknown> | undefined
  /** The names of things in the input that are known, by id. */
  names?: [id: string, name: string][]
}

const prefix = 'toolyard.sent.'
const maxRemembered = 50
const maxLength = 64_000
/** `token`: the session's, so that what one person sent is not offered to the next one. */
type Stored = { at: number; token: string; intent: Intent }

const read = (key: string): Stored | undefined => {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? 'null') as Stored | null) ?? undefined
  } catch {
    return undefined
  }
}

const makeRoom = () => {
  const stored = Object.keys(sessionStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => ({ key, at: read(key)?.at ?? 0 }))
    .toSorted((left, right) => left.at - right.at)
  for (const { key } of stored.slice(0, Math.max(0, stored.length - maxRemembered + 1))) sessionStorage.removeItem(key)
}

export const remember = (runId: string, intent: Intent) => {
  const text = JSON.stringify({ at: Date.now(), token: session.value?.token.id ?? '', intent } satisfies Stored)
  if (text.length > maxLength) return
  try {
    makeRoom()
    sessionStorage.setItem(prefix + runId, text)
  } catch {
    // A browser that stores nothing, or has no room: the form stays as it is until the page is left.
  }
}

export const recall = (runId: string): Intent | undefined => {
  const stored = read(prefix + runId)
  return stored?.token === session.value?.token.id ? stored?.intent : undefined
}
