import { Option } from 'commander'
import type { Command } from 'commander'
import { runState } from '../../api/resources/run.ts'
import type { Client } from './client.ts'
import { listConnections, listFields, listOptions, listRuns, oneConnection, removeConnection, showRun, showUsage } from './records.ts'
import type { FieldsGiven, OptionsGiven, RunsAsked } from './records.ts'
import { checkWire } from './wire-check.ts'
import type { WireAsked } from './wire-check.ts'
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
    .option('-c, --connection <name>', 'only with this connection, by id or name')
    .addOption(new Option('--state <state>', 'only in this state').choices(runState.options))
    .option('--start-id <id>', 'only of this agent start')
    .option('--external-id <id>', 'only of connections with this external id')
    .option('-l, --label <name:value>', 'only of connections with this label; repeat to narrow further', collect, [])
    .option('-n, --limit <n>', 'maximum number of rows, 1 to 200', '20')
    .option('--cursor <cursor>', 'continue after the previous page')
    .option(...asJson)
    .action(async (options: RunsAsked) => finish(await listRuns(await client(), terminal, options)))
  runs
    .command('show')
    .description('show one with its failure, and the output of a background run')
    .argument('<id>')
    .option(...asJson)
    .action(async (id: string, _options, command: Command) => finish(await showRun(await client(), terminal, { ...command.optsWithGlobals(), id })))
  program
    .command('usage')
    .description('show runs, requests and credits by day, step and connection')
    .option('--days <n>', 'number of days, 1 to 366', '30')
    .option(...asJson)
    .action(async (options: { days: string; json?: boolean }) => finish(await showUsage(await client(), terminal, options)))
}

const addConnections = ({ program, terminal, finish, client }: Line) => {
  const connections = program
    .command('connections')
    .description('list connections and their state')
    .option('-i, --integration <id>', 'only of this integration')
    .option(...asJson)
    .action(async (options: { integration?: string; json?: boolean }) => finish(await listConnections(await client(), terminal, options)))
  for (const [name, verb, what] of [
    ['show', 'connection', 'show one, with the last characters of its secrets'],
    ['test', 'testConnection', 'check it with the provider, where that is free'],
    ['default', 'makeDefault', 'make it the default for runs and subscriptions that name none'],
  ] as const)
    connections
      .command(name)
      .description(what)
      .argument('<connection>', 'id, unique prefix of it, or name')
      .option(...asJson)
      .action(async (id: string, _options, command: Command) =>
        finish(await oneConnection(await client(), terminal, verb, { ...command.optsWithGlobals(), id })),
      )
  connections
    .command('remove')
    .description('remove one with its secrets and webhooks and pause its subscriptions; cannot be undone')
    .argument('<connection>', 'id, unique prefix of it, or name')
    .option(...asJson)
    .action(async (id: string, _options, command: Command) => finish(await removeConnection(await client(), terminal, { ...command.optsWithGlobals(), id })))
}

const addOptions = ({ program, terminal, finish, client }: Line) => {
  program
    .command('options')
    .description('list the choices of an input field, loaded from the connected account')
    .argument('<integration>')
    .argument('<step>', 'id of a step, or of a trigger')
    .argument('<field>', 'a field that "describe" shows with choices')
    .option('-c, --connection <name>', 'id or name of the connection; required if there are several and no default')
    .option('-f, --field <name=value>', 'a field that the choices depend on; repeat for more', collect, [])
    .option('-q, --query <words>', 'only choices that contain these words')
    .option('--cursor <cursor>', 'continue after the previous page')
    .option(...asJson)
    .addHelpText('after', `\nExample:\n  ${typed(terminal, 'options <integration> <step> <field> -f <other field>=<value>')}`)
    .action(async (integration: string, id: string, field: string, { field: value, ...options }: Omit<OptionsGiven, 'value' | 'field'> & { field: string[] }) =>
      finish(await listOptions(await client(), terminal, { ...options, integration, id, field, value })),
    )
}

const addFields = ({ program, terminal, finish, client }: Line) => {
  program
    .command('fields')
    .description('list the fields that the connected account defines for a step, such as custom fields')
    .argument('<integration>')
    .argument('<step>')
    .option('-c, --connection <name>', 'id or name of the connection; required if there are several and no default')
    .option('-f, --field <name=value>', 'a field that they depend on; repeat for more', collect, [])
    .option(...asJson)
    .addHelpText('after', `\nExample:\n  ${typed(terminal, 'fields <integration> <step> -f <other field>=<value>')}`)
    .action(async (integration: string, step: string, { field: value, ...options }: Omit<FieldsGiven, 'value'> & { field: string[] }) =>
      finish(await listFields(await client(), terminal, { ...options, integration, step, value })),
    )
}

const addWire = ({ program, terminal, finish, client }: Line) => {
  program
    .command('wire')
    .description('check the wire settings of an integration')
    .command('check')
    .description('try each endpoint of the wire profile with the connected account')
    .argument('<integration>')
    .option('-c, --connection <name>', 'id or name of the connection; required if there are several and no default')
    .option('--spend', 'also send the requests that may cost credits; without it a terminal asks')
    .option(...asJson)
    .action(async (integration: string, options: Omit<WireAsked, 'integration'>) =>
      finish(await checkWire(await client(), terminal, { ...options, integration })),
    )
}

/** Commands for runs, usage, connections the choices of fields and the fields that accounts define. */
export const addRecordCommands = (line: Line) => {
  for (const add of [addRuns, addConnections, addWire, addOptions, addFields]) add(line)
}
