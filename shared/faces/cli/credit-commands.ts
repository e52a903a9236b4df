import { Option } from 'commander'
import type { Command } from 'commander'
import type { Client } from './client.ts'
import { addBudget, changeBudget, clearCache, listBudgets, listLedger, removeBudget, resolveEntry } from './credits.ts'
import type { BudgetGiven, CacheGiven, LedgerGiven } from './credits.ts'
import { readAmount } from './input.ts'
import type { Terminal } from './terminal.ts'

type Line = { program: Command; terminal: Terminal; finish(code: number): void; client(): Promise<Client> }

const asJson = ['--json', 'print JSON, failures as JSON on standard error'] as const
const warnAt = ['--warn-at <percentage>', 'notify the platform (budget.warned) from this share on, 1 to 100, or never; default: 80'] as const

const addBudgets = ({ program, terminal, finish, client }: Line) => {
  const budgets = program
    .command('budgets')
    .description('list budgets of credits, and what is spent, reserved and left')
    .option(...asJson)
    .action(async (options) => finish(await listBudgets(await client(), terminal, options)))
  budgets
    .command('add')
    .description('limit what runs may cost; a run that might cost more is not sent')
    .argument('<credits>', 'how many credits in each period', readAmount('credits'))
    .option('-c, --connection <id>', 'only runs with this connection')
    .option('--token <id>', 'only runs of this token')
    .option('-i, --integration <id>', 'only runs of this integration')
    .addOption(new Option('--period <period>', 'when it is full again').choices(['day', 'week', 'month', 'total']).default('month'))
    .option('--time-zone <name>', 'where days, weeks and months begin, such as Australia/Sydney; default: UTC')
    .option(...warnAt)
    .option(...asJson)
    .action(async (credits: number, _options, command: Command) =>
      finish(await addBudget(await client(), terminal, { ...command.optsWithGlobals<BudgetGiven>(), credits })),
    )
  budgets
    .command('set')
    .description('change the credits or the warning of a budget')
    .argument('<id>')
    .option('--credits <credits>', 'how many credits in each period', readAmount('credits'))
    .option(...warnAt)
    .option(...asJson)
    .action(async (id: string, _options, command: Command) => finish(await changeBudget(await client(), terminal, { ...command.optsWithGlobals(), id })))
  budgets
    .command('remove')
    .description('remove a budget; the ledger stays')
    .argument('<id>')
    .option(...asJson)
    .action(async (id: string, _options, command: Command) => finish(await removeBudget(await client(), terminal, { ...command.optsWithGlobals(), id })))
}

const addLedger = ({ program, terminal, finish, client }: Line) => {
  const ledger = program.command('ledger').description('what runs reserved and spent')
  ledger
    .command('list')
    .description('list the rows of the ledger, newest first')
    .option('--run <id>', 'only of this run')
    .option('-c, --connection <id>', 'only with this connection')
    .option('--token <id>', 'only of this token')
    .option('-i, --integration <id>', 'only of this integration')
    .addOption(new Option('--kind <kind>', 'only rows of this kind').choices(['reserved', 'settled', 'released', 'unknown', 'resolved']))
    .option('--unresolved', 'only runs of unknown outcome whose credits stay reserved')
    .option('-n, --limit <n>', 'maximum number of rows, 1 to 200', '20')
    .option('--cursor <cursor>', 'continue after the previous page')
    .option(...asJson)
    .action(async (options: LedgerGiven) => finish(await listLedger(await client(), terminal, options)))
  ledger
    .command('resolve')
    .description('say what a run of unknown outcome has cost')
    .argument('<run>', 'id of the run')
    .option('--credits <credits>', 'what the provider charged; 0 for nothing', readAmount('credits'))
    .option(...asJson)
    .action(async (entry: string, options: { credits?: number; json?: boolean }) => finish(await resolveEntry(await client(), terminal, { ...options, entry })))
}

const addCache = ({ program, terminal, finish, client }: Line) => {
  program
    .command('cache')
    .description('results of lookups that are stored to be used again')
    .command('clear')
    .description('remove stored results; the next lookups ask the provider, and may cost credits')
    .option('-c, --connection <id>', 'only those of this connection')
    .option('-i, --integration <id>', 'only those of this integration')
    .option('--all', 'all of them')
    .option(...asJson)
    .action(async (options: CacheGiven) => finish(await clearCache(await client(), terminal, options)))
}

/** Commands for budgets, the ledger and stored results. */
export const addCreditCommands = (line: Line) => {
  addBudgets(line)
  addLedger(line)
  addCache(line)
}
