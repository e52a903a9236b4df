import type { Integration, TriggerExampleFile } from '#kit'
import { deliveredBody } from './delivered.ts'

type Fact = { actor?: unknown; objects?: unknown[] }

const lacking = ({ actor, objects = [] }: Fact): string =>
  [...(actor === undefined ? ['actor'] : []), ...(objects.length === 0 ? ['objects'] : [])].join(' and ')

/**
 * Without a correlation header, what our own runs cause is recognised by who did it and by what was written; without
 * either, an agent would start itself. A find with `fireAt` is caused by a time, not by somebody.
 */
export const ownEventProblems = (
  { triggers = [], wire, connections, webhooks }: Integration,
  files: { name: string; file: TriggerExampleFile }[],
): string[] => {
  if (triggers.length === 0 || wire.writeMark) return []
  const problems = connections.some(({ identify }) => identify)
    ? []
    : [
        'manifest.ts: own events cannot be recognised. Give a connection type `test` and `identify`, or set `writeMark` in wire.ts.',
      ]
  for (const { name, file } of files)
    for (const { title, delivery, found: polledEvents = [] } of file.cases) {
      const events: Fact[] =
        delivery === undefined ? [] : (webhooks?.decode(deliveredBody(delivery), 'webhook').events ?? [])
      for (const fact of [...events, ...polledEvents.filter(({ fireAt }) => fireAt === undefined)])
        if (lacking(fact) !== '')
          problems.push(
            `examples/${name}.json, "${title}": own events cannot be recognised. Give ${lacking(fact)} when decoding, or set \`writeMark\` in wire.ts.`,
          )
    }
  return problems
}
