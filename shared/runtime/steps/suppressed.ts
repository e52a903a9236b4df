import { asText, toFailureJson } from '#kit'
import type { LookupResult } from '#kit'
import type { RawContext } from '../catalogue/api-call-step.ts'
import type { Session, SessionPrivacy } from './session.ts'

const failedAs = ({ failure }: SessionPrivacy): LookupResult => ({ failed: toFailureJson(failure()) })

const hideIn = async (privacy: SessionPrivacy, results: LookupResult[]): Promise<LookupResult[]> => {
  const shown = results.map((result) => ('matched' in result && result.matched ? [result.record, result.raw] : null))
  const hidden = await privacy.suppressed(shown)
  return results.map((result, index) => (hidden[index] ? failedAs(privacy) : result))
}

const lookupManyIn =
  (privacy: SessionPrivacy, send: RawContext['lookupMany']): RawContext['lookupMany'] =>
  async (endpoint, records, along) => {
    const refused = await privacy.suppressed(records)
    if (!refused.includes(true)) return hideIn(privacy, await send(endpoint, records, along))
    const places = records.flatMap((_, index) => (refused[index] ? [] : [index]))
    const some = along && places.map((place) => along[place]!)
    const sent =
      places.length === 0
        ? []
        : await send(
            endpoint,
            places.map((place) => records[place]!),
            some,
          )
    const results = records.map((): LookupResult => failedAs(privacy))
    const shown = await hideIn(privacy, sent)
    places.forEach((place, index) => (results[place] = shown[index]!))
    return results
  }

/**
 * A context in which whoever is suppressed is neither asked about nor shown. Nothing is sent, and nothing spent, for a suppressed identifier; what a
 * provider gives of somebody who was found otherwise is checked again.
 */
export const withoutSuppressed = (context: RawContext, { privacy, loaded }: Session): RawContext => {
  // Only providers with endpoints answer about people.
  if (!privacy || loaded.loaded.wire.endpoints === undefined) return context
  const require = async (value: unknown) => {
    if ((await privacy.suppressed([value]))[0]) throw privacy.failure()
  }
  return {
    ...context,
    async ask(endpoint, values) {
      await require(values)
      const answer = await context.ask(endpoint, values)
      await require(answer)
      return answer
    },
    async lookup(endpoint, sets, along) {
      await require(sets)
      const result = await context.lookup(endpoint, sets, along)
      if (result.matched) await require([result.record, result.raw])
      return result
    },
    lookupMany: lookupManyIn(privacy, context.lookupMany),
    async search(endpoint, values, page) {
      await require(values)
      const found = await context.search(endpoint, values, page)
      const hidden = await privacy.suppressed(found.records.map(({ record, raw }) => [record, raw]))
      return hidden.includes(true) ? { ...found, records: found.records.filter((_, index) => !hidden[index]) } : found
    },
    async call(request) {
      const { path, query, body } = request
      await require([decodeSafely(path), query ?? null, body ?? null])
      const reply = await context.call(request)
      await require([reply.body ?? null])
      return reply
    },
  }
}

const decodeSafely = (path: unknown): string => {
  const text = asText(path)
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
