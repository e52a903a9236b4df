import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fail, failField, failures } from '#kit'
import type { BulkJobView, Consent, NewBulkJob } from '../../runtime/bulk-jobs/bulk-jobs.ts'
import { printPreview, printSummary, progressLine } from './bulk-report.ts'
import type { Client } from './client.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export type EnrichOptions = {
  out?: string
  map?: string
  kind: string
  integration?: string
  connection?: string
  columns?: string
  value: string[]
  delimiter?: string
  maxCredits?: number
  maxAge?: number
  refresh?: boolean
  sample?: number
  yes?: boolean
  again?: boolean
  json?: boolean
}

const pollMs = 200
const ended = new Set<BulkJobView['state']>(['done', 'cancelled', 'failed', 'paused', 'ready'])

const readPairs = (option: string, pairs: string[]): { [name: string]: string } =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1 || at === pair.length - 1)
        throw failField(option, `--${option} "${pair}" is not usable. Write --${option} field=${option === 'map' ? 'Column' : 'value'}.`)
      return [pair.slice(0, at).trim(), pair.slice(at + 1)]
    }),
  )

/** Values are JSON where they look like a list. */
const readValues = (pairs: string[]) =>
  Object.fromEntries(
    Object.entries(readPairs('value', pairs)).map(([name, text]): [string, unknown] => [
      name,
      text.startsWith('[')
        ? text
            .slice(1, -1)
            .split(',')
            .map((one) => one.trim().replace(/^"|"$/g, ''))
        : text,
    ]),
  )

const hashOf = async (path: string, about: object): Promise<string> => {
  const hash = createHash('sha256').update(JSON.stringify(about))
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer)
  return hash.digest('hex')
}

const requirePaths = async (path: string, out: string | undefined) => {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw fail('invalid_input', `There is no file ${path}. Give the path of a CSV or JSONL file.`)
  const isTaken =
    out !== undefined &&
    (await access(out).then(
      () => true,
      () => false,
    ))
  if (isTaken) throw failField('out', `${out} exists already, and is not overwritten. Give another path with --out.`)
}

const orderOf = ({ map, kind, integration, connection, columns, value, delimiter, maxAge, refresh, sample }: EnrichOptions): Omit<NewBulkJob, 'file'> => {
  if (kind !== 'person' && kind !== 'company') throw failField('kind', `--kind is person or company, not "${kind}".`)
  return {
    kind,
    ...(integration === undefined ? {} : { integration }),
    ...(connection === undefined ? {} : { connection }),
    ...(map === undefined ? {} : { map: readPairs('map', map.split(',')) }),
    ...(columns === undefined ? {} : { columns: columns.split(',').map((one) => one.trim()) }),
    ...(value.length === 0 ? {} : { values: readValues(value) }),
    ...(delimiter === undefined ? {} : { delimiter: delimiter === '\\t' ? '\t' : delimiter }),
    ...(maxAge === undefined ? {} : { maxAge }),
    ...(refresh ? { refresh } : {}),
    ...(sample === undefined ? {} : { sample }),
  }
}

/**
 * Shows how far a job is until it stops. Ctrl-C pauses a job that this process works on; one of a server goes on.
 * @throws Failure `cancelled` after Ctrl-C, saying how to go on
 */
export const followJob = async (client: Client, terminal: Terminal, id: string): Promise<BulkJobView> => {
  try {
    for (;;) {
      const job = await client.jobs.get(id)
      if (ended.has(job.state)) return job
      terminal.status?.(progressLine(job))
      if (terminal.signal.aborted) {
        if (!client.isServed) await client.jobs.pause(id)
        const goesOn = client.isServed ? 'The job goes on; follow it' : 'The job is paused; go on'
        throw fail('cancelled', `${goesOn} with: ${typed(terminal, `bulk resume ${id}`)}`)
      }
      await wait(pollMs, undefined, { signal: terminal.signal }).catch(() => undefined)
    }
  } finally {
    terminal.status?.('')
  }
}

/** Writes the result where it was asked for, prints the bill, and gives the exit code. */
export const endJob = async (
  client: Client,
  terminal: Terminal,
  job: BulkJobView,
  { out, json }: { out?: string | undefined; json?: boolean | undefined },
): Promise<number> => {
  const path = out === undefined || job.result === null ? undefined : resolve(out)
  if (path !== undefined) await client.files.save(job.result!, path)
  if (json) terminal.out(`${JSON.stringify(job)}\n`)
  else printSummary(terminal, job, path)
  if (job.state === 'paused' && !json) terminal.err(`Go on with: ${typed(terminal, `bulk resume ${job.id}${out === undefined ? '' : ` --out ${out}`}`)}\n`)
  return job.reason ? failures[job.reason.code].exit : 0
}

const agree = async (terminal: Terminal, client: Client, job: BulkJobView, given: Consent, out: string | undefined): Promise<boolean> => {
  if (given.maxCredits === undefined && !given.confirm) {
    const answer = await terminal.ask?.(`Look up ${job.rows} rows for up to ${job.quote?.most ?? '?'} credits? [y/N] `)
    if (!/^y(es)?$/i.test(answer?.trim() ?? '')) {
      terminal.err(
        `Nothing more was sent. Go on with: ${typed(terminal, `bulk resume ${job.id} --max-credits <n>${out === undefined ? '' : ` --out ${out}`}`)}\n`,
      )
      return false
    }
    given.confirm = true
  }
  await client.jobs.resume(job.id, given)
  return true
}

/** `toolyard bulk enrich`: the same file with the same options is the same job, so that running it again goes on. */
export const enrich = async (client: Client, terminal: Terminal, given: string, options: EnrichOptions, cwd: string): Promise<number> => {
  const path = resolve(cwd, given)
  const out = options.out === undefined ? undefined : resolve(cwd, options.out)
  await requirePaths(path, out)
  const order = orderOf(options)
  const consent: Consent = { ...(options.maxCredits === undefined ? {} : { maxCredits: options.maxCredits }), ...(options.yes ? { confirm: true } : {}) }
  const key = options.again ? randomUUID() : `bulk-${await hashOf(path, order)}`
  // Under the key of its content, so that an upload of before is used again.
  const { id: file } = await client.files.add(path, undefined, key)
  const made = await client.jobs.create({ ...order, file, idempotencyKey: key })
  const isAgreed = made.confirmed || consent.maxCredits !== undefined || consent.confirm === true
  if (made.state === 'paused' && isAgreed) await client.jobs.resume(made.id, consent)
  let job = await followJob(client, terminal, made.id)
  if (job.state === 'ready' || (job.state === 'paused' && !isAgreed)) {
    if (!options.json) printPreview(terminal, job, await client.jobs.preview(job.id))
    if (!(await agree(terminal, client, job, consent, options.out))) {
      if (options.json) terminal.out(`${JSON.stringify(job)}\n`)
      return failures.budget_exceeded.exit
    }
    job = await followJob(client, terminal, job.id)
  }
  return endJob(client, terminal, job, { out, json: options.json })
}
