import { toFailureJson } from '#kit'
import type { EndpointProfile, Failure, FieldWire, LookupResult } from '#kit'
import type { RawContext } from '../catalogue/api-call-step.ts'
import type { SuppressionList } from '../gate/pass.ts'
import type { Session } from './session.ts'

const failedAs = (failure: Failure): LookupResult => ({ failed: toFailureJson(failure) })

const hideIn = async (privacy: SuppressionList, results: LookupResult[]): Promise<LookupResult[]> => {
  const shown = results.map((result) => ('matched' in result && result.matched ? [result.record, result.raw] : null))
  const hidden = await privacy.suppressed(shown)
  return results.map((result, index) => (hidden[index] ? failedAs(privacy.failure()) : result))
}

type Values = Record<string, unknown>
type Name = (endpoint: string, values: Values | undefined) => Values

const wireNamesOf = (field: FieldWire | undefined): string[] => {
  if (field === undefined || field === null) return []
  if (typeof field === 'string') return [field]
  return [field]
    .flat()
    .flatMap(({ name, template }) => [name ?? [], template === undefined ? [] : JSON.stringify(template)].flat())
}
/**
 * Renames values to our name followed by the provider's, which an operator may have changed: both tell what a value is.
 */
const namer =
  (endpoints: { [name: string]: EndpointProfile }): Name =>
  (endpoint, values = {}) => {
    const { fields = {}, bulk } = endpoints[endpoint] ?? {}
    const nameOf = (ours: string) => {
      const theirs = new Set([fields[ours], bulk?.fields?.[ours]].flatMap(wireNamesOf))
      theirs.delete(ours)
      return theirs.size === 0 ? ours : `${ours} (${[...theirs].join(', ')})`
    }
    return Object.fromEntries(Object.entries(values).map(([ours, value]) => [nameOf(ours), value]))
  }

const lookupManyIn =
  (privacy: SuppressionList, name: Name, send: RawContext['lookupMany']): RawContext['lookupMany'] =>
  async (endpoint, records, along) => {
    const requestedRecords = records.map((sets, index) => [
      sets.map((set) => name(endpoint, set)),
      name(endpoint, along?.[index]),
    ])
    const refused = await privacy.refusals(requestedRecords)
    if (refused.every((failure) => failure === undefined)) return hideIn(privacy, await send(endpoint, records, along))
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
    const shown = await hideIn(privacy, sent)
    const byPlace = new Map(places.map((place, index) => [place, shown[index]!]))
    return refused.map((failure, index) => (failure ? failedAs(failure) : byPlace.get(index)!))
  }

/**
 * A context in which suppressed people are neither looked up nor shown, not even from an earlier result: every answer
 * is checked as well. For requests sent directly, the gate checks whom they name.
 */
export const withoutSuppressed = (context: RawContext, privacy: SuppressionList, { loaded }: Session): RawContext => {
  const name = namer(loaded.loaded.wire.endpoints ?? {})
  const requireRequestAllowed = async (request: unknown) => {
    const [refused] = await privacy.refusals([request])
    if (refused) throw refused
  }
  const requireAnswerAllowed = async (answer: unknown) => {
    if ((await privacy.suppressed([answer]))[0]) throw privacy.failure()
  }
  return {
    ...context,
    async send(request) {
      const answer = await context.send(request)
      await requireAnswerAllowed(answer)
      return answer
    },
    async exchange(request) {
      const reply = await context.exchange(request)
      await requireAnswerAllowed(reply.body)
      return reply
    },
    async ask(endpoint, values) {
      await requireRequestAllowed(name(endpoint, values))
      const answer = await context.ask(endpoint, values)
      await requireAnswerAllowed(answer)
      return answer
    },
    async lookup(endpoint, sets, along) {
      await requireRequestAllowed([sets.map((set) => name(endpoint, set)), name(endpoint, along)])
      const result = await context.lookup(endpoint, sets, along)
      if (result.matched) await requireAnswerAllowed([result.record, result.raw])
      return result
    },
    lookupMany: lookupManyIn(privacy, name, context.lookupMany),
    async search(endpoint, values, page) {
      await requireRequestAllowed(name(endpoint, values))
      const searchPage = await context.search(endpoint, values, page)
      const hidden = await privacy.suppressed(searchPage.records.map(({ record, raw }) => [record, raw]))
      return hidden.includes(true)
        ? { ...searchPage, records: searchPage.records.filter((_, index) => !hidden[index]) }
        : searchPage
    },
    async call(request) {
      const reply = await context.call(request)
      await requireAnswerAllowed(reply.body ?? null)
      return reply
    },
  }
}
