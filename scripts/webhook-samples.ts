/**
 * Checks recorded deliveries of the live service, if there are any on this machine: each must decode to one event
 * without anybody's private record, start exactly the triggers listed in test/work-board/trigger-samples.json, and have the
 * shape of its fictional counterpart in test/work-board/samples.
 *
 *   node scripts/webhook-samples.ts [folder of the recordings, else from BOARD_SAMPLES]
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BoardEvent } from '../integrations/work-board/event.ts'
import { decoded, shapeOf, startedBy } from '../test/work-board/starts.ts'
import { sampleTable } from '../test/work-board/trigger-tables.ts'
import type { SampleRow } from '../test/work-board/trigger-tables.ts'

const twins = fileURLToPath(new URL('../test/work-board/samples/', import.meta.url))
const read = (folder: string, file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'))

/** The problems of one delivery compared with its table row; empty when there are none. */
export const sampleProblems = (delivery: unknown, row: SampleRow): string[] => {
  const { events, undecodable } = decoded(delivery)
  const [event] = events as (BoardEvent | undefined)[]
  if (event === undefined || events.length > 1)
    return [`gives ${events.length} events${undecodable === undefined ? '' : `: ${undecodable}`}`]
  const problems: string[] = []
  const equal = (what: string, actualValue: unknown, expectedValue: unknown) => {
    if (JSON.stringify(actualValue) !== JSON.stringify(expectedValue))
      problems.push(`${what} is ${JSON.stringify(actualValue)}, not ${JSON.stringify(expectedValue)}`)
  }
  equal('type', event.type, row.type)
  equal('the watched kind', event.model.kind, row.watched)
  equal('what changed', event.before && Object.keys(event.before), row.changed)
  equal('what changed to', event.after && Object.keys(event.after), row.changed)
  equal('what it starts', startedBy(event, { boards: [event.board?.id ?? ''] }).sort(), [...row.starts].sort())
  if (/"(email|loginTypes|idPremOrgsAdmin|avatarHash|nonPublic)"/.test(JSON.stringify(event)))
    problems.push('the event holds a private record of a member')
  return problems
}

const shapeProblems = (recorded: unknown, twin: unknown): string[] => {
  const [a, b] = [shapeOf(recorded), shapeOf(twin)]
  return [...a]
    .filter((place) => !b.has(place))
    .map((place) => `its twin lacks ${place}`)
    .concat([...b].filter((place) => !a.has(place)).map((place) => `its twin has ${place}, which it lacks`))
}

const main = (folder: string | undefined): number => {
  if (folder === undefined || !existsSync(folder)) {
    console.log(
      `webhook-samples: skipped, ${folder === undefined ? 'no folder of recordings given (argument or BOARD_SAMPLES)' : `${folder} is not here`}`,
    )
    return 0
  }
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const problems = [
    ...Object.keys(sampleTable)
      .filter((file) => !files.includes(file))
      .map((file) => `${file}: is not there`),
    ...files.flatMap((file) => {
      const row = sampleTable[file]
      if (row === undefined) return [`${file}: is not in the table`]
      const recorded = read(folder, file)
      return [...sampleProblems(recorded, row), ...shapeProblems(recorded, read(twins, file))].map(
        (problem) => `${file}: ${problem}`,
      )
    }),
  ]
  for (const problem of problems) console.error(problem)
  console.log(`webhook-samples: ${files.length} recordings, ${problems.length} problems`)
  return problems.length > 0 || files.length === 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = main(process.argv[2] ?? process.env.BOARD_SAMPLES)
