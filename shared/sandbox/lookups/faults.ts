/** Answers and broken connections on demand: the next matching requests go wrong as given. */

export type Answer = {
  status: number
  headers?: Record<string, string>
  /** JSON value. A string goes out as it is when `headers` names a content type that is not JSON. */
  body: unknown
}

export const payloadOf = ({ headers, body }: Answer): string => {
  const type = headers?.['content-type'] ?? 'application/json'
  return typeof body === 'string' && !type.includes('json') ? body : JSON.stringify(body)
}

export type Fault = {
  /** Which requests: method, and start of the path. Absent parts match all. */
  match?: { method?: string; path?: string }
  /** How many matching requests go wrong; default 1. */
  times?: number
  /** How many matching requests pass first; default 0. */
  skip?: number
  /** Answer to give instead. Absent with `cut`, or for a mere delay. */
  answer?: Answer
  /**
   * `reset`: the socket is destroyed before any byte of an answer. `partial`: the head and half of the body, then the
   * same. `hang`: no answer until the caller gives up.
   */
  cut?: 'reset' | 'partial' | 'hang'
  delayMs?: number
  /** `after`: the request is carried out and charged, and only then does the answer go wrong. Default `before`. */
  when?: 'before' | 'after'
}

export type ArmedFault = Fault & { left: number; passing: number }

export const armed = (fault: Fault): ArmedFault => ({ ...fault, left: fault.times ?? 1, passing: fault.skip ?? 0 })

/** The fault that strikes this request, counted down; undefined when none does. */
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
