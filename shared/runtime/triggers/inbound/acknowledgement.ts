import { valueAt } from '#kit'
import type { Acknowledgement } from '#kit'
import type { Receipt } from './delivery.ts'

const maxEchoLength = 256

const echoOf = (body: unknown, paths: string[]): string | undefined =>
  paths
    .map((path) => valueAt(body, path))
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .find((text) => text !== '' && text.length <= maxEchoLength)

/** The response that acknowledges a request, as the provider expects it. `now` in ms. */
export const acknowledge = (expected: Acknowledgement | undefined, body: unknown, now: number): Receipt => {
  if (expected === undefined) return { status: 200 }
  const { constants = {}, time, echo = {} } = expected
  const said: Record<string, unknown> = { ...constants }
  if (time !== undefined) said[time] = new Date(now).toISOString()
  for (const [name, paths] of Object.entries(echo)) said[name] = echoOf(body, paths)
  return { status: 200, contentType: 'application/json', body: JSON.stringify(said) }
}
