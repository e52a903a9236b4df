import { resolve } from 'node:path'
import type { Command } from 'commander'
import { failField } from '#kit'
import type { BulkJobView, Consent } from '../../runtime/bulk-jobs/bulk-jobs.ts'
import { endJob, enrich, followJob } from './bulk-enrich.ts'
import type { EnrichOptions } from './bulk-enrich.ts'
import type { Client } from './client.ts'
import type { Wanted } from './find-client.ts'
import { over, printList, readPaging, shortTime } from './subscriptions.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

type Line = { program: Command; terminal: Terminal; cwd: string; finish(code: number): void; clientFor(wanted: Wanted): Promise<Client> }

const asJson = ['--json', 'print JSON, failures as JSON on standard error'] as const
const outOption = ['--out <path>', 'file for the result; must not exist'] as const
const budgetOption = ['--max-credits <n>', 'the most that the job may spend'] as const
const yesOption = ['--yes', 'agree to what its rows cost, without a budget'] as const

const readNumber = (option: string, isWhole: boolean) => (text: string) => {
  const number = Number(text)
  if (text.trim() !== '' && number >= 0 && Number.isFinite(number) && (!isWhole || Number.isInteger(number))) return number
  throw failField(option, `--${option} must be a ${isWhole ? 'whole ' : ''}number that is not negative, not "${text}".`)
}
const budget = readNumber('max-credits', false)

const examples = (terminal: Terminal) => `
Examples:
  ${typed(terminal, 'bulk enrich people.csv --map email=Email --out result.csv')}
  ${typed(terminal, 'bulk enrich people.csv -i contact-data --sample 20 --max-credits 500 --out result.csv')}
Without --max-credits or --yes it shows the first rows and the price, and asks. Run the same command again to go on after an interruption.`

const listJobs = (client: Client, terminal: Terminal, { limit, cursor, json }: { limit: string; cursor?: string; json?: boolean }) =>
  over(client, async () => {
    const listed = await client.jobs.list(readPaging({ limit, ...(cursor === undefined ? {} : { cursor }) }))
    const row = ({ id, name, state, done, rows, credits, createdAt }: BulkJobView) => [
      id,
      name,
      state,
      `${done}/${rows ?? '?'}`,
      String(credits.spent),
      shortTime(createdAt),
    ]
    const none = `No jobs. Make one with: ${typed(terminal, 'bulk enrich <file> --out <path>')}`
    printList(terminal, listed, json, ['job', 'file', 'state', 'rows', 'credits', 'made'], row, none)
  })

/** Runs a command with a client and closes the client, whatever its exit code is. */
const within = async (client: Client, work: () => Promise<number>): Promise<number> => {
  try {
    return await work()
  } finally {
    await client.close()
  }
}

const addEnrich = (bulk: Command, { terminal, cwd, finish, clientFor }: Line) =>
  bulk
    .command('enrich')
    .description('look up a person or company for every row of a CSV or JSONL file')
    .argument('<file>', 'CSV with a header, or JSONL; UTF-8')
    .option('--map <pairs>', 'columns by field: email=Email,linkedinUrl=Profile; found by name when absent')
    .option(...outOption)
    .option('--kind <kind>', 'person or company', 'person')
    .option('-i, --integration <id>', 'who looks up; required where several can')
    .option('-c, --connection <name>', 'id or name of the connection')
    .option('--columns <paths>', 'what of a record is written, such as email,phones.0.number')
    .option('--value <field=value>', 'value of a field for every row; repeatable', (one: string, others: string[]) => [...others, one], [])
    .option('--delimiter <sign>', 'of CSV; found out when absent')
    .option('--sample <n>', 'look up and pay this many rows, 1 to 100, before asking', readNumber('sample', true))
    .option(...budgetOption, budget)
    .option(...yesOption)
    .option('--max-age <seconds>', 'how old a stored result may be; 0 asks the provider', readNumber('max-age', true))
    .option('--refresh', 'ask the provider for every row, and store its answers')
    .option('--again', 'make a new job, even if the same one was made before')
    .option('--sandbox', 'use the sandbox: the running one, otherwise a new one')
    .option(...asJson)
    .addHelpText('after', examples(terminal))
    .action(async (file: string, options: EnrichOptions & { sandbox?: boolean }, command: Command) => {
      const client = await clientFor({ sandbox: options.sandbox ?? false, catalogueOnly: false })
      finish(await within(client, () => enrich(client, terminal, file, { ...options, ...command.optsWithGlobals<EnrichOptions>() }, cwd)))
    })

type ResumeOptions = { out?: string; maxCredits?: number; yes?: boolean; sandbox?: boolean }

/** `toolyard bulk`: files of rows, looked up one by one. */
export const addBulk = (line: Line) => {
  const { program, terminal, cwd, finish, clientFor } = line
  const client = () => clientFor({ sandbox: false, catalogueOnly: false })
  const bulk = program
    .command('bulk')
    .description('list jobs that look up the rows of a file')
    .option('-n, --limit <n>', 'maximum number of rows, 1 to 200', '20')
    .option('--cursor <cursor>', 'continue after the previous page')
    .option(...asJson)
    .action(async (options: { limit: string; cursor?: string; json?: boolean }) => finish(await listJobs(await client(), terminal, options)))
  addEnrich(bulk, line)
  bulk
    .command('resume')
    .description('start or go on with a job, and follow it')
    .argument('<job>')
    .option(...outOption)
    .option(...budgetOption, budget)
    .option(...yesOption)
    .option(...asJson)
    .action(async (id: string, { out, maxCredits, yes }: ResumeOptions, command: Command) => {
      const opened = await client()
      const { json } = command.optsWithGlobals<{ json?: boolean }>()
      const consent: Consent = { ...(maxCredits === undefined ? {} : { maxCredits }), ...(yes ? { confirm: true } : {}) }
      const work = async () => {
        const before = await opened.jobs.get(id)
        if (before.state !== 'done' && before.state !== 'cancelled') await opened.jobs.resume(id, consent)
        return endJob(opened, terminal, await followJob(opened, terminal, id), { out: out === undefined ? undefined : resolve(cwd, out), json })
      }
      finish(await within(opened, work))
    })
  const verbs = {
    show: 'show how far a job is, and its bill',
    pause: 'pause a job; rows under way end',
    cancel: 'end a job; rows that were looked up are in its result',
  } as const
  for (const verb of Object.keys(verbs) as (keyof typeof verbs)[]) {
    bulk
      .command(verb)
      .description(verbs[verb])
      .argument('<job>')
      .option(...asJson)
      .action(async (id: string, _: object, command: Command) => {
        const opened = await client()
        const { json } = command.optsWithGlobals<{ json?: boolean }>()
        const work = async () => {
          const job = verb === 'show' ? await opened.jobs.get(id) : await opened.jobs[verb](id)
          return endJob(opened, terminal, verb === 'cancel' ? await followJob(opened, terminal, id) : job, { json })
        }
        finish(await within(opened, work))
      })
  }
}
