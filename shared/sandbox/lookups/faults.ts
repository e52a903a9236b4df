/** Faults on demand: the next matching requests get the given answer or a broken connection. */

export type Answer = {
  status: number
  headers?: Record<string, string>
  /** A JSON value. A string is sent unchanged when `headers` has a content type other than JSON. */
  body: unknown
  /** Work that takes time, such as a request of the provider's own; its result is the body. */
  complete?: () => Promise<unknown>
}

export const payloadOf = ({ headers, body }: Answer): string => {
  const type = headers?.['content-type'] ?? 'application/json'
  return typeof body === 'string' && !type.includes('json') ? body : JSON.stringify(body)
}

export type Fault = {
  /** Which requests fail: method, and start of the path. An absent part matches every request. */
  match?: { method?: string; path?: string }
  /** How many matching requests fail; default 1. */
  times?: number
  /** How many matching requests pass first; default 0. */
  skip?: number
  /** The answer to give instead. Absent with `cut`, or when the request is only delayed. */
  answer?: Answer
  /**
   * `reset`: the socket is destroyed before the first byte of the answer. `partial`: it is destroyed after the head and
   * half of the body. `hang`: there is no answer until the caller gives up.
   */
  cut?: 'reset' | 'partial' | 'hang'
  delayMs?: number
  /** `after`: the request is carried out and charged before its answer fails. Default: `before`. */
  when?: 'before' | 'after'
}

export type ArmedFault = Fault & { left: number; passing: number }

export const armed = (fault: Fault): ArmedFault => ({ ...fault, left: fault.times ?? 1, passing: fault.skip ?? 0 })

/** The fault that applies to this request, with its counter decreased; undefined when there is none. */
export const takeFault = (faults: ArmedFault[], method: string, path: string): Fault | undefined => {
  for (const fault of faults) {
    const fits = (fault.match?.method ?? method) === method && path.startsWith(fault.match?.path ?? '')
    if (!fits || fault.left === 0) continue
    if (fault.passing > 0) {
      fault.passing -= 1
      continue
    }
    fault.left -= 1
    return fault
  }
  return undefined
}
