import type { ResultRange } from './tool-result.ts'
import { resultBytes } from './tool-result.ts'

/**
 * What a task is of, and how its result is to be shown. All of it is in the id, so that every node answers for it and
 * none has to remember it. Who may use it says the run or the held run: the id itself allows nothing.
 */
export type TaskId = {
  /** Id of a run in the background, or of a held run. */
  of: string
  isHeld: boolean
  isKeyed: boolean
  free: boolean
  /** Hash of what was requested. */
  request: string
  paging: ResultRange
  /** The fields of the result that were asked for. */
  fields: string | undefined
}

/** Ids are sent in a header. */
const maxLength = 512
const format = /^((apr_)?[0-9a-f-]{36})\.([\w-]{1,400})$/

/** Undefined: what is to be shown does not fit into an id. */
export const writeTaskId = ({
  of,
  isKeyed,
  free,
  request,
  paging,
  fields,
}: Omit<TaskId, 'isHeld'>): string | undefined => {
  const shown = [request, Number(isKeyed), Number(free), paging.maxBytes, paging.from, fields ?? null]
  const id = `${of}.${Buffer.from(JSON.stringify(shown)).toString('base64url')}`
  return id.length <= maxLength && format.test(id) ? id : undefined
}

const isWithin = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max

const readShown = (text: string): unknown[] => {
  try {
    const shown: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(shown) ? shown : []
  } catch {
    return []
  }
}

/** Undefined: no task has that id. */
export const readTaskId = (id: string): TaskId | undefined => {
  const [, of, kind, text] = (id.length <= maxLength && format.exec(id)) || []
  if (of === undefined || text === undefined) return undefined
  const [request, isKeyed, free, maxBytes, from, fields] = readShown(text)
  if (typeof request !== 'string' || !/^[0-9a-f]{64}$/.test(request)) return undefined
  if (!isWithin(maxBytes, resultBytes.min, resultBytes.max) || !isWithin(from, 0, Number.MAX_SAFE_INTEGER))
    return undefined
  if (fields !== null && typeof fields !== 'string') return undefined
  return {
    of,
    isHeld: kind !== undefined,
    isKeyed: isKeyed === 1,
    free: free === 1,
    request,
    paging: { maxBytes, from },
    fields: fields ?? undefined,
  }
}
