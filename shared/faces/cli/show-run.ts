import type { Answer } from './operations.ts'
import { plain, printPairs, shortTime } from './table.ts'
import { printTable } from './declare.ts'
import type { Terminal } from './terminal.ts'

type Run = Answer<'runs.getRun'>

const ms = (duration: number) => `${Math.round(duration)} ms`

const outcomeOf = ({ state, code, failure }: Run) =>
  failure ? `${state}: ${failure.code}: ${failure.message}` : code === null ? state : `${state}: ${code}`

const pairsOf = (run: Run) =>
  Object.entries({
    run: run.id,
    step: `${run.integration} ${run.step}`,
    at: shortTime(run.createdAt),
    outcome: outcomeOf(run),
    duration: `${ms(run.durationMs)}${run.waitedMs > 0 ? `, of which ${ms(run.waitedMs)} waiting` : ''}`,
    credits: run.credits === 0 ? '' : `${run.credits}${run.creditsEstimated ? ' (estimated)' : ''}`,
    connection: run.connection ?? '',
    person: run.person ?? '',
    start: run.startId ?? '',
    job: run.jobId ?? '',
    lookup: run.parentId ?? '',
  }).filter(([, value]) => value !== '')

const requestRow = ({ at, method, path, status, code, waitedMs, durationMs }: Run['exchanges'][number]) => ({
  at: shortTime(at),
  waited: waitedMs > 0 ? ms(waitedMs) : '',
  took: ms(durationMs),
  answer: [status, code].filter((part) => part !== null).join(' ') || 'none recorded',
  request: method === null ? 'not recorded' : `${method} ${path}`,
})

/** JSON cannot move the cursor: it escapes control characters, and other characters are removed line by line. */
const json = (value: unknown) =>
  JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => line.match(/^ */)![0] + plain(line))

const printPart = ({ out }: Terminal, title: string, value: unknown, tooLarge: true | undefined) => {
  if (tooLarge) out(`\n${title}: larger than 64 kB, so it is not stored\n`)
  else if (value !== undefined) out(`\n${title}:\n${json(value).join('\n')}\n`)
}

/** Prints a run with its requests, and what it took and returned where that is stored. */
export const printRun = (terminal: Terminal, run: Run): void => {
  printPairs(terminal, 12, Object.fromEntries(pairsOf(run)))
  terminal.out('\n')
  if (run.exchanges.length === 0) terminal.out('No requests to the provider.\n')
  else printTable(terminal, { items: run.exchanges.map(requestRow) })
  const { contents, output } = run
  printPart(terminal, 'Input', contents?.input, contents?.inputTooLarge)
  printPart(terminal, 'Output', contents?.output ?? output, contents?.outputTooLarge)
  if (contents) terminal.out(`\nInput and output are removed at ${shortTime(contents.until)}.\n`)
}
