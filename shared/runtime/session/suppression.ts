import { namedBy, toFailureJson } from '#kit'
import type { EndpointProfile, Failure, Found, Json, LookupResult } from '#kit'
import type { RawContext } from '../catalogue/api-call-step.ts'
import { wireNamesOf } from '../gate/wire-names.ts'
import type { SuppressionList } from '../gate/pass.ts'
import type { Session } from './session.ts'
import { withoutNamed } from './unnamed.ts'

const failedAs = (failure: Failure): LookupResult => ({ failed: toFailureJson(failure) })

/** The parts of a found record that may name somebody, with the id that the provider has for a person. */
const shownIn = ({ record, raw }: Found, kind: string) => [record, raw, namedBy({ kind, id: record.id })]

/** A found company without the parts that name somebody suppressed; undefined when they cannot be told from the rest. */
const asCompany = async (privacy: SuppressionList, found: Found): Promise<Found | undefined> => {
  const [record, raw] = await Promise.all([
    withoutNamed(privacy, found.record as Json),
    withoutNamed(privacy, found.raw),
  ])
  const company: Found = { ...found, record: record as Found['record'], raw }
  return (await privacy.suppressed([shownIn(company, 'company')]))[0] ? undefined : company
}

/** What may be shown of each record that was found; undefined: nothing. A company is not a person, so it stays. */
const shownOf = async (privacy: SuppressionList, all: Found[], kind: string): Promise<(Found | undefined)[]> => {
  const hidden = await privacy.suppressed(all.map((record) => shownIn(record, kind)))
  const isOfCompanies = kind === 'company'
  return Promise.all(
    all.map(async (found, index) => (hidden[index] ? (isOfCompanies ? asCompany(privacy, found) : undefined) : found)),
  )
}

const isFound = (result: LookupResult): result is Found => 'matched' in result && result.matched

const hideIn = async (privacy: SuppressionList, results: LookupResult[], kind: string): Promise<LookupResult[]> => {
  const shown = await shownOf(privacy, results.filter(isFound), kind)
  let next = 0
  return results.map((result) => (isFound(result) ? (shown[next++] ?? failedAs(privacy.failure())) : result))
}

type Values = Record<string, unknown>
type Name = (endpoint: string, values: Values | undefined) => Values

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
  (
    privacy: SuppressionList,
    name: Name,
    kindOf: (endpoint: string) => string,
    send: RawContext['lookupMany'],
  ): RawContext['lookupMany'] =>
  async (endpoint, records, along) => {
    const hide = (results: LookupResult[]) => hideIn(privacy, results, kindOf(endpoint))
    const requestedRecords = records.map((sets, index) => [
      sets.map((set) => name(endpoint, set)),
      name(endpoint, along?.[index]),
    ])
    const refused = await privacy.refusals(requestedRecords)
    if (refused.every((failure) => failure === undefined)) return hide(await send(endpoint, records, along))
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
    const shown = await hide(sent)
    const byPlace = new Map(places.map((place, index) => [place, shown[index]!]))
    return refused.map((failure, index) => (failure ? failedAs(failure) : byPlace.get(index)!))
  }

/**
 * A context in which suppressed people are neither looked up nor shown, not even from an earlier result: every answer
 * is checked as well. For requests sent directly, the gate checks whom they name.
 */
export const withoutSuppressed = (context: RawContext, privacy: SuppressionList, { loaded }: Session): RawContext => {
  const { endpoints = {} } = loaded.loaded.wire
  const name = namer(endpoints)
  const kindOf = (endpoint: string) => endpoints[endpoint]?.kind ?? ''
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
      if (!result.matched) return result
      const [shown] = await shownOf(privacy, [result], kindOf(endpoint))
      if (shown === undefined) throw privacy.failure()
      return shown
    },
    lookupMany: lookupManyIn(privacy, name, kindOf, context.lookupMany),
    async search(endpoint, values, page) {
      await requireRequestAllowed(name(endpoint, values))
      const searchPage = await context.search(endpoint, values, page)
      const shown = await shownOf(privacy, searchPage.records, kindOf(endpoint))
      return { ...searchPage, records: shown.filter((found) => found !== undefined) }
    },
    async pdf(request, options) {
      const pdf = await context.pdf(request, options)
      await requireAnswerAllowed(pdf.text)
      return pdf
    },
    async call(request) {
      const reply = await context.call(request)
      await requireAnswerAllowed(reply.body ?? null)
      return reply
    },
  }
}
