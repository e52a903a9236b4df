import type { Integration, TriggerExampleCase, TriggerExampleFile } from '#kit'
import { deliveredBody } from './delivered.ts'

type Fact = {
  actor?: unknown
  objects?: unknown[] | undefined
  /** Whether we caused it, where the event says so itself. */
  own?: boolean | undefined
  /** Where the author sets them. */
  place: string
}

const missingFields = ({ actor, objects = [] }: Fact): string =>
  [...(actor === undefined ? ['actor'] : []), ...(objects.length === 0 ? ['objects'] : [])].join(' and ')

/** A find with `fireAt` is caused by a time, not by somebody. */
const factsOf = (
  webhooks: Integration['webhooks'],
  { delivery, found: polledEvents = [] }: TriggerExampleCase,
): Fact[] => {
  const events = delivery === undefined ? [] : (webhooks?.decode(deliveredBody(delivery), 'webhook').events ?? [])
  return [
    ...events.map(({ actor, objects, own }) => ({ actor, objects, own, place: 'when decoding' })),
    ...polledEvents
      .filter(({ fireAt }) => fireAt === undefined)
      .map(({ actor, objects, own }) => ({
        actor,
        objects,
        own,
        place: 'in what polls find, and in "found" of the example',
      })),
  ]
}

/**
 * Without a correlation header, what our own runs cause is recognised by who did it and by what was written; without
 * either, an agent would start itself. An event that says itself whether it is ours needs neither.
 */
export const ownEventProblems = (
  { triggers = [], wire, connections, webhooks }: Integration,
  files: { name: string; file: TriggerExampleFile }[],
): string[] => {
  if (triggers.length === 0 || wire.writeMark) return []
  const facts = files.flatMap(({ name, file }) =>
    file.cases.flatMap((exampleCase) =>
      factsOf(webhooks, exampleCase).map((fact) => ({
        ...fact,
        where: `examples/${name}.json, "${exampleCase.title}"`,
      })),
    ),
  )
  const unsaid = facts.filter(({ own }) => own === undefined)
  if (facts.length > 0 && unsaid.length === 0) return []
  const isKnown = connections.some(({ identify }) => identify)
  return [
    ...(isKnown
      ? []
      : [
          'manifest.ts: own events cannot be recognised. Give a connection type `test` and `identify`, or set `writeMark` in wire.ts.',
        ]),
    ...unsaid
      .filter((fact) => missingFields(fact) !== '')
      .map(
        (fact) =>
          `${fact.where}: own events cannot be recognised. Give ${missingFields(fact)} ${fact.place}, or set \`writeMark\` in wire.ts.`,
      ),
  ]
}
