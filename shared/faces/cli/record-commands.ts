import { Option } from 'commander'
import type { Command } from 'commander'
import type { Client } from './client.ts'
import { listConnections, listOptions, listRuns, oneConnection, removeConnection, showRun, showUsage } from './records.ts'
import type { OptionsGiven, RunsAsked } from './records.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

type Line = { program: Command; terminal: Terminal; finish(code: number): void; client(): Promise<Client> }

const asJson = ['--json', 'print JSON, failures as JSON on standard error'] as const
const collect = (value: string, before: string[]) => [...before, value]

const addRuns = ({ program, terminal, finish, client }: Line) => {
  const runs = program
    .command('runs')
    .description('list step runs, newest first')
    .option('-i, --integration <id>', 'only of this integration')
    .option('--step <id>', 'only of this step')
    .option('-c, --connection <name>', 'only with this account, by id or name')
    .addOption(new Option('--state <state>', 'only in this state').choices(['planned', 'sending', 'running', 'done', 'failed', 'unknown', 'not_sent']))
    .option('--start-id <id>', 'only of this agent start')
    .option('-n, --limit <n>', 'at most so many rows, 1 to 200', '20')
    .option('--cursor <cursor>', 'go on after the page before')
    .option(...asJson)
    .action(async (options: RunsAsked) => finish(await listRuns(await client(), terminal, options)))
  runs
    .command('show')
    .description('show one with its failure; and its output, where it ran in the background')
    .argument('<id>')
    .option(...asJson)
    .action(async (id: string, _options, command: Command) => finish(await showRun(await client(), terminal, { ...command.optsWithGlobals(), id })))
  program
    .command('usage')
    .description('show runs, requests and credits by day, step and account')
    .option('--days <n>', 'so many days back, 1 to 366', '30')
    .option(...asJson)
    .action(async (options: { days: string; json?: boolean }) => finish(await showUsage(await client(), terminal, options)))
}

const addConnections = ({ program, terminal, finish, client }: Line) => {
  const connections = program
    .command('connections')
    .description('list connected accounts and their state')
    .option('-i, --integration <id>', 'only of this integration')
    .option(...asJson)
    .action(async (options: { integration?: string; json?: boolean }) => finish(await listConnections(await client(), terminal, options)))
  for (const [name, verb, what] of [
    ['show', 'connection', 'show one; secrets by their last characters only'],
    ['test', 'testConnection', 'ask its provider whether it works, where that is free'],
    ['default', 'makeDefault', 'use this one where a run or a subscription names none'],
  ] as const)
    connections
      .command(name)
      .description(what)
      .argument('<connection>', 'id, its beginning, or name')
      .option(...asJson)
      .action(async (id: string, _options, command: Command) =>
        finish(await oneConnection(await client(), terminal, verb, { ...command.optsWithGlobals(), id })),
      )
  connections
    .command('remove')
    .description('remove one with its secrets and webhooks and pause its subscriptions; cannot be undone')
    .argument('<connection>', 'id, its beginning, or name')
    .option(...asJson)
    .action(async (id: string, _options, command: Command) => finish(await removeConnection(await client(), terminal, { ...command.optsWithGlobals(), id })))
}

const addOptions = ({ program, terminal, finish, client }: Line) => {
  program
    .command('options')
    .description('list the choices of an input field, from a connected account')
    .argument('<integration>')
    .argument('<step>', 'id of a step, or of a trigger')
    .argument('<field>', 'a field that "describe" marks as having choices')
    .option('-c, --connection <name>', 'id or name of the account; needed where several are connected')
    .option('-f, --field <name=value>', 'another field, where the choices depend on it; repeat for more', collect, [])
    .option('-q, --query <words>', 'only choices with these words')
    .option('--cursor <cursor>', 'go on after the page before')
    .option(...asJson)
    .addHelpText('after', `\nExample:\n  ${typed(terminal, 'options work-board create-card idList')}`)
    .action(async (integration: string, id: string, field: string, { field: value, ...options }: Omit<OptionsGiven, 'value' | 'field'> & { field: string[] }) =>
      finish(await listOptions(await client(), terminal, { ...options, integration, id, field, value })),
    )
}

/** Commands that show what was done, with which accounts, and what there is to choose from. */
export const addRecordCommands = (line: Line) => {
  for (const add of [addRuns, addConnections, addOptions]) add(line)
}
