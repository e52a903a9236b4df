import { Command, CommanderError } from 'commander'
import { fail, failures, isFailure, toFailureJson } from '#kit'
import type { Client, InProcess } from './client.ts'
import { readConfiguration, settings, withPicked } from './configuration.ts'
import type { Configuration, Environment } from './configuration.ts'
import { describe } from './describe.ts'
import { addAuthorCommands } from './author-commands.ts'
import type { DevCall } from './author-commands.ts'
import { addDevCommands } from './dev-commands.ts'
import { findClient } from './find-client.ts'
import type { ToOpen, Wanted } from './find-client.ts'
import { list } from './list.ts'
import { mcpCall } from './mcp.ts'
import type { McpCall, McpOptions } from './mcp.ts'
import { addFiles } from './files.ts'
import { addOperatorCommands } from './operator-commands.ts'
import { addRecordCommands } from './record-commands.ts'
import { run } from './run.ts'
import type { RunOptions } from './run.ts'
import { printFailure, typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { addTriggerCommands } from './trigger-commands.ts'
import { namesStep } from './step-arguments.ts'

export type CommandParts = {
  /** Arguments after the command's own name. */
  argv: string[]
  env: Environment
  cwd: string
  version: string
  terminal: Terminal
  /** Runs until stopped; gives the exit code. */
  serve(configuration: Configuration, options: { sandbox: boolean }): Promise<number>
  /** Serves MCP on standard input and output until the host closes them; gives the exit code. */
  mcp(configuration: Configuration, call: McpCall): Promise<number>
  /** Demonstrates everything against a sandbox of its own; gives the exit code. */
  demo(configuration: Configuration): Promise<number>
  /** Opens a pack in this process, for commands that find no running server. */
  openInProcess(configuration: Configuration, wanted: ToOpen): Promise<InProcess>
  /** Serves the integration of one folder until stopped; gives the exit code. */
  dev(configuration: Configuration, call: DevCall): Promise<number>
}

const exitCodes = () => {
  const byExit = new Map<number, string[]>()
  for (const [code, { exit }] of Object.entries(failures)) byExit.set(exit, [...(byExit.get(exit) ?? []), code])
  return [...byExit].sort(([a], [b]) => a - b).map(([exit, codes]) => `  ${String(exit).padStart(3)}  ${codes.join(', ')}`)
}

const aboutSettings = () => Object.entries(settings).map(([name, meaning]) => `  ${name.padEnd(26)}${meaning}`)

const asJson = ['--json', 'print JSON, failures as JSON on standard error'] as const
const withSandbox = '--sandbox'

type Finish = (code: number) => void

const wantsJson = ({ argv }: CommandParts) => argv.includes('--json')

type Line = { program: Command; parts: CommandParts; finish: Finish; configuration(): Configuration; clientFor(wanted: Wanted): Promise<Client> }

const addCatalogue = ({ program, parts: { terminal }, finish, clientFor }: Line) => {
  const wanted = { sandbox: false, catalogueOnly: true }
  program
    .command('list')
    .description('list integrations with their steps and triggers')
    .argument('[words...]', 'only steps and triggers that contain all these words')
    .option('-i, --integration <id>', 'only this integration')
    .option(...asJson)
    .action(async (words: string[], options: { integration?: string; json?: boolean }) =>
      finish(await list(await clientFor(wanted), terminal, { ...options, words })),
    )
  program
    .command('describe')
    .description('show an integration, or a step or trigger with its fields')
    .argument('<integration>')
    .argument('[step]', 'id of a step, or of a trigger')
    .option('--example', 'show sample inputs and outputs')
    .option(...asJson)
    .action(async (integration: string, step: string | undefined, options: { json?: boolean; example?: boolean }) =>
      finish(await describe(await clientFor(wanted), terminal, { ...options, integration, step })),
    )
}

const runExamples = (terminal: Terminal) => `
Examples:
  ${typed(terminal, 'run <integration> <step> -f name="Press kit" -f limit=5')}
  ${typed(terminal, `run <integration> <step> '{"name":"Press kit","limit":5}' --json`)}
The fields of a step, and a command to try: ${typed(terminal, 'describe <integration> <step>')}`

const addRun = ({ program, parts: { terminal }, finish, clientFor }: Line) => {
  namesStep(program.command('run').description('run a step with a connection'))
    .option('--dry-run', 'show the exact requests with secrets masked; send nothing')
    .option('--idempotency-key <key>', 'makes a repeat safe: with the same key the stored outcome is returned and nothing is sent again')
    .option('--force', 'create again even though the same run recently ended with an unknown outcome')
    .option('--start-id <id>', 'the agent start this run belongs to')
    .option(withSandbox, 'use the sandbox: the running one, otherwise a new one for this run')
    .option(...asJson)
    .addHelpText('after', runExamples(terminal))
    .action(async (integration: string, step: string, input: string | undefined, options: RunOptions & { sandbox?: boolean }) =>
      finish(
        await run(await clientFor({ sandbox: options.sandbox ?? false, catalogueOnly: false }), terminal, { ...options, integration, step, argument: input }),
      ),
    )
}

const addProcesses = ({ program, parts, finish, configuration }: Line) => {
  program
    .command('serve')
    .description('run the HTTP server until Ctrl-C')
    .option(withSandbox, 'also start the sandbox and connect its accounts; its data is stored separately, in <data>/sandbox')
    .option(
      '--profile <integration=profile>',
      'wire profile of an integration, as TOOLYARD_PROFILES; with --sandbox it speaks this profile too; repeatable',
      (one: string, others: string[]) => [...others, one],
      [],
    )
    .action(async ({ sandbox = false, profile }: { sandbox?: boolean; profile: string[] }) =>
      finish(await parts.serve(withPicked(configuration(), profile), { sandbox })),
    )
  program
    .command('mcp')
    .description('serve MCP over standard input and output, from the running server or otherwise from the data directory')
    .option('-i, --integration <id>', 'only the tools of this integration')
    .option('-t, --tools <names>', 'only these tools, comma-separated')
    .option('--set <name>', 'tool set to list; default: core. The tool find_tools finds all others')
    .option('--approved <hash>', 'only while the tool list has this hash; if it changes, nothing is listed or called')
    .option(withSandbox, 'use the sandbox: the running one, otherwise one started here')
    .action(async (options: McpOptions) => {
      const read = configuration()
      finish(await parts.mcp(read, await mcpCall(read, options, parts.terminal)))
    })

  program
    .command('demo')
    .description('demonstrate everything against a sandbox in this process, with temporary data')
    .action(async () => finish(await parts.demo(configuration())))
}

const create = (parts: CommandParts, finish: Finish): Command => {
  const { terminal, version } = parts
  const program = new Command('toolyard')
    .description('Integration pack for agent platforms: tool steps and triggers, over HTTP and from the command line.')
    .version(version, '-V, --version')
    .exitOverride()
    // An error in the command line is printed once, as text or as JSON.
    .configureOutput({
      writeOut: terminal.out,
      writeErr: wantsJson(parts) ? () => {} : terminal.err,
      getOutHelpWidth: () => terminal.width,
      getErrHelpWidth: () => terminal.width,
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(--help lists commands and options)')
  program.addHelpText('after', () =>
    ['', 'Settings, from the environment:', ...aboutSettings(), '', 'Exit codes, by failure:', '    0  success', ...exitCodes()].join('\n'),
  )
  const configuration = () => readConfiguration(parts.env, parts.cwd)
  const clientFor = (wanted: Wanted) => {
    const read = configuration()
    return findClient(read, wanted, (wanted) => parts.openInProcess(read, wanted), terminal)
  }
  for (const add of [addProcesses, addCatalogue, addRun]) add({ program, parts, finish, configuration, clientFor })
  addAuthorCommands({ program, terminal, cwd: parts.cwd, dev: parts.dev, finish, configuration, client: clientFor })
  addDevCommands({ program, terminal, finish, configuration, client: ({ catalogueOnly }) => clientFor({ sandbox: false, catalogueOnly }) })
  addTriggerCommands({ program, terminal, finish, client: () => clientFor({ sandbox: false, catalogueOnly: false }) })
  addFiles({ program, terminal, cwd: parts.cwd, finish, client: () => clientFor({ sandbox: false, catalogueOnly: false }) })
  addRecordCommands({ program, terminal, finish, client: () => clientFor({ sandbox: false, catalogueOnly: false }) })
  addOperatorCommands({ program, terminal, finish, configuration, cwd: parts.cwd, client: () => clientFor({ sandbox: false, catalogueOnly: false }) })
  return program
}

/** Runs one command line and gives the exit code. Failures are printed; defects are thrown. */
export const runCommand = async (parts: CommandParts): Promise<number> => {
  let code = 0
  const program = create(parts, (finished) => (code = finished))
  try {
    await program.parseAsync(parts.argv, { from: 'user' })
    return code
  } catch (thrown) {
    // Commander has printed the error already; help and version end here too.
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return 0
      return wantsJson(parts)
        ? printFailure(parts.terminal, toFailureJson(fail('invalid_input', thrown.message.replace(/^error: /, ''))), true)
        : failures.invalid_input.exit
    }
    if (!isFailure(thrown)) throw thrown
    return printFailure(parts.terminal, toFailureJson(thrown), wantsJson(parts))
  }
}
