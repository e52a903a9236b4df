import type { Command } from 'commander'
import { failures } from '#kit'
import { settings } from '../../settings.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** Commands by what a reader wants to do, in the order of `--help`. */
const groups: [heading: string, names: string[]][] = [
  ['Start:', ['serve', 'mcp', 'demo', 'console', 'env']],
  ['Steps:', ['list', 'describe', 'run', 'options', 'fields', 'lookup', 'bulk', 'lists', 'files']],
  ['Accounts:', ['connect', 'connections', 'apps', 'names', 'people', 'grants', 'wire']],
  ['Triggers and agents:', ['subscribe', 'subscriptions', 'agents', 'events', 'starts', 'hooks', 'gaps', 'upgrade']],
  ['History and credits:', ['runs', 'usage', 'approvals', 'approval-rules', 'budgets', 'ledger', 'cache']],
  ['Own integrations:', ['dev', 'record', 'openapi', 'completion']],
  ['Operation:', ['doctor', 'tenants', 'tokens', 'keys', 'audit', 'notifications', 'suppressions', 'privacy']],
  ['Data:', ['backup', 'restore', 'export', 'import', 'migrate']],
]

const headings = new Map(groups.flatMap(([heading, names]) => names.map((name) => [name, heading])))
const order = [...headings.keys()]

/** Gives each command its heading and its place under it. */
export const groupCommands = (program: Command): void => {
  // For the "help" command, which Commander adds itself.
  program.commandsGroup(groups[0]![0]).helpCommand('help [command]', 'display help for command')
  for (const command of program.commands) command.helpGroup(headings.get(command.name()) ?? '')
  // Commander lists headings and commands in the order in which the commands were added.
  const added = program.commands as Command[]
  added.sort((a, b) => order.indexOf(a.name()) - order.indexOf(b.name()))
}

const exitCodes = () => {
  const byExit = new Map<number, string[]>()
  for (const [code, { exit }] of Object.entries(failures)) byExit.set(exit, [...(byExit.get(exit) ?? []), code])
  return [...byExit]
    .sort(([a], [b]) => a - b)
    .map(([exit, codes]) => `  ${String(exit).padStart(3)}  ${codes.join(', ')}`)
}

/** The text after the commands in `--help`. */
export const settingsAndExitCodes = () =>
  [
    '',
    'Settings, from the environment:',
    ...Object.entries(settings).map(([name, meaning]) => `  ${name.padEnd(26)}${meaning}`),
    '',
    'Exit codes, by failure:',
    '    0  success',
    ...exitCodes(),
  ].join('\n')

/** Printed when the command line names no command. */
export const firstCommands = (terminal: Terminal): string => {
  const lines = [
    ['serve --sandbox', 'start a server with sandboxed providers'],
    ['list', 'list integrations with their steps and triggers'],
    ['describe <integration> <step>', 'show the fields of a step, and a command to try'],
    ['run <integration> <step> -f name=value', 'run a step'],
    ['connect <integration>', 'connect an account in the browser'],
    ['doctor', 'find problems'],
    ['--help', 'every command, setting and exit code'],
  ] as const
  const commands = lines.map(([command]) => typed(terminal, command))
  const width = Math.max(...commands.map(({ length }) => length)) + 2
  return [
    'Name a command:',
    '',
    ...lines.map(([, meaning], at) => `  ${commands[at]!.padEnd(width)}${meaning}`),
    '',
  ].join('\n')
}
