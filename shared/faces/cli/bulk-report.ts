import type { Answer } from './operations.ts'
import { plain, table } from './table.ts'
import type { Terminal } from './terminal.ts'

type Job = Answer<'jobs.getJob'>
type Preview = Answer<'jobs.previewJob'>

const barWidth = 20
const credits = (count: number) => `${Math.round(count * 100) / 100} ${count === 1 ? 'credit' : 'credits'}`
const percent = (share: number) => `${Math.round(share * 100)} %`

const duration = (seconds: number) => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${Math.round(seconds)} s`
}

/** The progress of a job on one line. */
export const progressLine = ({
  state,
  rows,
  done,
  hitRate,
  credits: { spent },
  rowsPerSecond,
  secondsLeft,
}: Job): string => {
  if (rows === null) return 'reading the file'
  if (state === 'running' && done === rows) return 'writing the result'
  const filled = Math.floor((done / Math.max(1, rows)) * barWidth)
  const parts = [
    `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${done} of ${rows} rows`,
    ...(hitRate === null ? [] : [`${percent(hitRate)} found`]),
    credits(spent),
    ...(rowsPerSecond === null ? [] : [`${rowsPerSecond} rows/s`]),
    ...(secondsLeft === null ? [] : [`${duration(secondsLeft)} left`]),
  ]
  return parts.join(', ')
}

const range = (least: number, most: number) => (least === most ? credits(most) : `${least} to ${credits(most)}`)

type Expectation = NonNullable<Preview['expected']>

const spanText = ({ least, likely, most }: Expectation['matches']) =>
  least === most ? String(most) : `${likely} (${least} to ${most})`

/** What is expected, in what order providers are asked and why, and what was assumed. */
const expectationLines = (title: string, expectation: Expectation): string[] => {
  const { matches, credits: cost, likelihood, orders, assumed } = expectation
  return [
    `${title}: ${spanText(matches)} matches, ${spanText(cost)} credits; ${percent(likelihood)} likely to be in these ranges`,
    ...orders.flatMap(({ rows, providers }) => [
      ...(orders.length > 1 ? [`  ${rows} rows in this order:`] : []),
      ...providers.map(({ provider, estimate }, place) => `  ${place + 1}. ${provider}: ${estimate.why}`),
    ]),
    ...assumed.map((sentence) => `  assumed: ${sentence}`),
  ]
}

/** Prints the first rows, and the price of all rows. */
export const printPreview = (terminal: Terminal, job: Job, preview: Preview): void => {
  const fields = Object.keys(job.map)
  const shown = preview.rows.map(({ row, input, price, problem }) => [
    String(row),
    ...fields.map((field) => plain(String(input[field] ?? ''))),
    price ? range(price.least, price.most) : plain(`skipped: ${problem ?? ''}`),
  ])
  terminal.err(`${table(['row', ...fields, 'price'], shown, terminal.width)}\n`)
  terminal.err(`${fields.map((field) => `${field} = "${plain(job.map[field]!)}"`).join(', ')}\n`)
  const { rows, quote, hitRate, done } = job
  if (!quote) return
  const sampled =
    hitRate === null
      ? ''
      : `; of ${done} rows looked up, ${percent(hitRate)} were found, so about ${credits(quote.expected ?? 0)} in all`
  terminal.err(`${rows} rows, ${range(quote.least, quote.most)}${sampled}\n`)
  const lines = [
    ...(preview.expected ? expectationLines('expected', preview.expected) : []),
    ...(preview.combined ? expectationLines('with lookups at all providers', preview.combined) : []),
  ]
  for (const line of lines) terminal.err(`${plain(line)}\n`)
}

/** Prints the outcome of a job, with its bill. */
export const printSummary = (terminal: Terminal, job: Job, path: string | undefined): void => {
  const { rows, done, matched, noMatch, skipped, suppressed, errors, credits: bill, rowsPerSecond } = job
  terminal.err(`job ${job.id}: ${job.state}, ${done} of ${rows ?? '?'} rows\n`)
  terminal.err(
    `  ${matched} match, ${noMatch} no match, ${skipped} skipped, ${suppressed} suppressed, ${errors} error\n`,
  )
  const estimated = bill.estimated > 0 ? `, of which ${bill.estimated} estimated` : ''
  const speed = rowsPerSecond === null ? '' : `; ${rowsPerSecond} rows/s`
  terminal.err(`  ${credits(bill.spent)}${estimated}${bill.max === null ? '' : ` of ${bill.max}`}${speed}\n`)
  if (job.reason) terminal.err(`  ${plain(job.reason.message)}\n`)
  if (path !== undefined) terminal.err(`  written to ${plain(path)}\n`)
}
