import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fail, failField, failures } from '#kit'
import { lookupKind } from '../../../api/resources/lookup.ts'
import type { Answer, Input } from '../operations.ts'
import { amount, command, flag, paging, text, texts } from '../declare.ts'
import type { Context } from '../declare.ts'
import { printPreview, printSummary, progressLine } from '../bulk-report.ts'
import { exists } from '../exists.ts'
import { personOption } from '../person-options.ts'
import { shortTime } from '../table.ts'
import { storeFile } from './files.ts'

type Job = Answer<'jobs.getJob'>
type Consent = { maxCredits?: number | undefined; confirm?: boolean | undefined }

const out = text('<path>', 'file for the result; must not exist')
const maxCredits = amount('<n>', 'the most that the job may spend')
const yes = flag('agree to what its rows cost, without a budget')

const pollMs = 200
const goesOn = new Set<Job['state']>(['preparing', 'running'])

const readPairs = (option: string, pairs: string[]): { [name: string]: string } =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1 || at === pair.length - 1)
        throw failField(
          option,
          `--${option} "${pair}" is not usable. Write --${option} field=${option === 'map' ? 'Column' : 'value'}.`,
        )
      return [pair.slice(0, at).trim(), pair.slice(at + 1)]
    }),
  )

const readList = (list: string) => list.split(',').map((entry) => entry.trim())
const readValue = (value: string) =>
  value.startsWith('[') ? readList(value.slice(1, -1)).map((entry) => entry.replaceAll(/^"|"$/g, '')) : value

const hashOf = async (about: object, path?: string): Promise<string> => {
  const hash = createHash('sha256').update(JSON.stringify(about))
  if (path === undefined) return hash.digest('hex')
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer)
  return hash.digest('hex')
}

const requireFile = async (path: string) => {
  const file = await stat(path).catch(() => undefined)
  if (!file?.isFile()) throw fail('invalid_input', `There is no file ${path}. Give the path of a CSV or JSONL file.`)
}
const requireNew = async (target: string | undefined) => {
  if (target !== undefined && (await exists(target)))
    throw failField('out', `${target} exists already, and is not overwritten. Give another path with --out.`)
}

/**
 * Shows the progress of a job until it stops. Ctrl-C pauses the job if this process runs it; on a server it continues.
 * @throws Failure `cancelled` after Ctrl-C, saying how to continue
 */
const followJob = async ({ call, client, terminal, typed }: Context, id: string): Promise<Job> => {
  const { isServed } = await client()
  try {
    for (;;) {
      const job = await call('jobs.getJob', { id })
      if (!goesOn.has(job.state)) return job
      terminal.status?.(progressLine(job))
      if (terminal.signal.aborted) {
        if (!isServed) await call('jobs.pauseJob', { id })
        throw fail(
          'cancelled',
          `${isServed ? 'The job goes on; follow it' : 'The job is paused; go on'} with: ${typed(`bulk resume ${id}`)}`,
        )
      }
      await wait(pollMs, undefined, { signal: terminal.signal }).catch(() => undefined)
    }
  } finally {
    terminal.status?.('')
  }
}

const outOf = (target: string | undefined) => (target === undefined ? '' : ` --out ${target}`)

const inFolder = ({ parts }: Context, path: string | undefined) =>
  path === undefined ? undefined : resolve(parts.cwd, path)

/** Saves the result at `target`, prints the bill, and returns the exit code. */
const endJob = async ({ client, say, note, terminal, typed }: Context, job: Job, target?: string): Promise<number> => {
  const path = job.result === null ? undefined : target
  if (path !== undefined) await (await client()).save('files.downloadFile', { id: job.result }, path)
  say(job, () => printSummary(terminal, job, path))
  if (job.state === 'paused') note(`Go on with: ${typed(`bulk resume ${job.id}${outOf(target)}`)}`)
  return job.reason ? failures[job.reason.code as keyof typeof failures].exit : 0
}

/** Asks the person at the terminal to agree to the price; false if nobody is there. */
const isAgreed = async (
  { terminal, typed }: Context,
  { id, rows, quote }: Job,
  target: string | undefined,
): Promise<boolean> => {
  const answer = await terminal.ask?.(`Look up ${rows} rows for up to ${quote?.most ?? '?'} credits? [y/N] `)
  if (/^y(es)?$/i.test(answer?.trim() ?? '')) return true
  terminal.err(`Nothing more was sent. Go on with: ${typed(`bulk resume ${id} --max-credits <n>${outOf(target)}`)}\n`)
  return false
}

type Order = Omit<Input<'jobs.createJob'>, 'file' | 'list'>
/** The path of a file, or the id or name of a stored list. */
type Given = { file: string | undefined; list: string | undefined }

/** What the job reads, and its key: the same for the same rows and options, unless `again`. */
const openSource = async ({ call, parts }: Context, { file, list }: Given, order: Order, again = false) => {
  if (file !== undefined && list === undefined) {
    const path = resolve(parts.cwd, file)
    await requireFile(path)
    const key = again ? randomUUID() : `bulk-${await hashOf(order, path)}`
    // The key is the hash of the content, so that an earlier upload is reused.
    const { id } = await storeFile(call, path, { key, person: order.person })
    return { key, source: { file: id } }
  }
  if (file !== undefined || list === undefined) throw failField('file', 'Give one of: a file, --list <list>.')
  // Another list may have the name later.
  const { id } = await call('people-lists.getPeopleList', { id: list })
  const source = { list: id }
  return { key: again ? randomUUID() : `bulk-${await hashOf({ ...order, ...source })}`, source }
}

type EnrichOptions = { out: string | undefined; again: boolean | undefined }

/**
 * Starts or continues a job. The same file or list with the same options is the same job, so running the command again
 * continues it.
 */
const enrich = async (
  context: Context,
  given: Given,
  order: Order,
  consent: Consent,
  { out, again }: EnrichOptions,
) => {
  const { call, json, say, terminal } = context
  const target = inFolder(context, out)
  await requireNew(target)
  const { key, source } = await openSource(context, given, order, again)
  const created = await call('jobs.createJob', { ...order, ...source }, { headers: { 'idempotency-key': key } })
  const { id } = created
  const hasConsent = consent.maxCredits !== undefined || consent.confirm === true
  const goesOn = created.confirmed || hasConsent
  // A job that was paused before it had a price goes on reading its file, and asks then.
  if (created.state === 'paused' && (goesOn || created.quote === null)) await call('jobs.resumeJob', { id, ...consent })
  let job = await followJob(context, id)
  if (job.state === 'ready' || (job.state === 'paused' && job.quote !== null && !goesOn)) {
    if (!json) printPreview(terminal, job, await call('jobs.previewJob', { id }))
    if (!hasConsent && !(await isAgreed(context, job, out))) {
      if (json) say(job, '')
      return failures.budget_exceeded.exit
    }
    await call('jobs.resumeJob', { id, ...(hasConsent ? consent : { confirm: true }) })
    job = await followJob(context, id)
  }
  return endJob(context, job, target)
}

export const jobCommands = [
  command(
    {
      usage: 'bulk',
      about: 'list jobs that look up the rows of a file',
      options: paging(),
    },
    async ({ call, list, typed }, page) =>
      list(
        await call('jobs.listJobs', page),
        `No jobs. Make one with: ${typed('bulk enrich <file> --out <path>')}`,
        (job) => ({
          job: job.id,
          file: job.name,
          state: job.state,
          rows: `${job.done}/${job.rows ?? '?'}`,
          credits: String(job.credits.spent),
          made: shortTime(job.createdAt),
        }),
      ),
  ),
  command(
    {
      usage: 'bulk enrich [file]',
      about: 'look up a person or company for every row of a CSV or JSONL file, or of a stored list',
      arguments: { file: 'CSV with a header, or JSONL; UTF-8' },
      options: {
        list: text('<list>', 'id or name of a stored list, instead of a file'),
        map: text('<pairs>', 'columns by field: email=Email,linkedinUrl=Profile; found by name when absent'),
        out,
        kind: text('<kind>', 'person or company', 'person'),
        integration: text('-i <id>', 'who looks up; required where several can'),
        connection: text('-c <name>', 'id or name of the connection'),
        person: personOption,
        columns: text('<paths>', 'what of a record is written, such as email,phones.0.number'),
        value: texts('<field=value>', 'value of a field for every row; repeatable'),
        delimiter: text('<sign>', 'of CSV; found out when absent'),
        sample: amount('<n>', 'look up and pay this many rows, 1 to 100, before asking', { isWhole: true }),
        maxCredits,
        yes,
        maxAge: amount('<seconds>', 'how old a stored result may be; 0 asks the provider', { isWhole: true }),
        refresh: flag('ask the provider for every row, and store its answers'),
        again: flag('make a new job, even if the same one was made before'),
        sandbox: flag('use the sandbox: the running one, otherwise a new one'),
      },
      help: ({ typed }) => `
Examples:
  ${typed('bulk enrich people.csv --map email=Email --out result.csv')}
  ${typed('bulk enrich people.csv -i contact-data --sample 20 --max-credits 500 --out result.csv')}
  ${typed('bulk enrich --list Leads --out result.csv')}
Without --max-credits or --yes it shows the first rows and the price, and asks. Run the same command again to go on after an interruption.`,
    },
    async (context, { file, list, out, map, columns, value, delimiter, maxCredits, yes, again, ...options }) => {
      const kind = lookupKind.options.find((kind) => kind === options.kind)
      if (!kind) throw failField('kind', `--kind is person or company, not "${options.kind}".`)
      const values = Object.entries(readPairs('value', value)).map(([name, text]): [string, unknown] => [
        name,
        readValue(text),
      ])
      const order = {
        kind,
        integration: options.integration,
        connection: options.connection,
        person: options.person,
        map: map === undefined ? undefined : readPairs('map', map.split(',')),
        columns: columns === undefined ? undefined : readList(columns),
        values: values.length === 0 ? undefined : Object.fromEntries(values),
        delimiter: delimiter === '\\t' ? '\t' : delimiter,
        maxAge: options.maxAge,
        refresh: options.refresh,
        sample: options.sample,
      }
      return enrich(context, { file, list }, order, { maxCredits, confirm: yes }, { out, again })
    },
  ),
  command(
    {
      usage: 'bulk resume <job>',
      about: 'start or go on with a job, and follow it',
      options: { out, maxCredits, yes },
    },
    async (context, { job: id, out, maxCredits, yes }) => {
      const { state } = await context.call('jobs.getJob', { id })
      if (state !== 'done' && state !== 'cancelled')
        await context.call('jobs.resumeJob', { id, maxCredits, confirm: yes })
      return endJob(context, await followJob(context, id), inFolder(context, out))
    },
  ),
  command(
    {
      usage: 'bulk show <job>',
      about: 'show how far a job is, and its bill',
    },
    async (context, { job }) => endJob(context, await context.call('jobs.getJob', { id: job })),
  ),
  command(
    {
      usage: 'bulk pause <job>',
      about: 'pause a job; rows under way end',
    },
    async (context, { job }) => endJob(context, await context.call('jobs.pauseJob', { id: job })),
  ),
  command(
    {
      usage: 'bulk cancel <job>',
      about: 'end a job; rows that were looked up are in its result',
    },
    async (context, { job }) => {
      await context.call('jobs.cancelJob', { id: job })
      return endJob(context, await followJob(context, job))
    },
  ),
]
