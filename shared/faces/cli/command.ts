import { Command, CommanderError } from 'commander'
import { fail, failures, isFailure, toFailureJson } from '#kit'
import { readConfiguration, requireTrial, withPicked } from '../../settings.ts'
import type { Configuration } from '../../settings.ts'
import type { CommandParts } from './command-parts.ts'
import { firstCommands, groupCommands, settingsAndExitCodes } from './help.ts'
import type { McpOptions } from './mcp.ts'
import { printFailure } from './terminal.ts'

const withSandbox = '--sandbox'

type Finish = (code: number) => void

/** Whether the command line starts a server. */
const starts = ({ argv }: CommandParts) => argv[0] === 'serve'

const wantsJson = ({ argv }: CommandParts) => argv.includes('--json')

type ProcessCommandContext = { program: Command; parts: CommandParts; finish: Finish; configuration(): Configuration }

const addProcesses = ({ program, parts, finish, configuration }: ProcessCommandContext) => {
  program
    .command('serve')
    .description('run the HTTP server until Ctrl-C')
    .option(
      withSandbox,
      'also start the sandbox and connect its accounts; its data is stored separately, in <data>/sandbox',
    )
    .option(
      '--profile <integration=profile>',
      'wire profile of an integration, as TOOLYARD_PROFILES; with --sandbox it speaks this profile too; repeatable',
      (value: string, earlierValues: string[]) => [...earlierValues, value],
      [],
    )
    .action(async ({ sandbox = false, profile }: { sandbox?: boolean; profile: string[] }) => {
      const read = configuration()
      if (sandbox) requireTrial(read)
      finish(await parts.serve(withPicked(read, profile), { sandbox }))
    })
  program
    .command('mcp')
    .description(
      'serve MCP over standard input and output, from the running server or otherwise from the data directory',
    )
    .option('-i, --integration <id>', 'only the tools of this integration')
    .option('-t, --tools <names>', 'only these tools, comma-separated')
    .option('--set <name>', 'tool set to list; default: core. The tool find_tools finds all others')
    .option('--approved <hash>', 'only while the tool list has this hash; if it changes, nothing is listed or called')
    .option(withSandbox, 'use the sandbox: the running one, otherwise one started here')
    .action(async (options: McpOptions) => {
      const read = configuration()
      if (options.sandbox) requireTrial(read)
      const { mcpCall } = await import('./mcp.ts')
      finish(await parts.mcp(read, await mcpCall(read, options, parts.terminal)))
    })

  program
    .command('demo')
    .description('demonstrate everything against a sandbox in this process, with temporary data')
    .action(async () => finish(await parts.demo(configuration())))
}

const create = async (parts: CommandParts, finish: Finish): Promise<Command> => {
  const { terminal, version } = parts
  const program = new Command('toolyard')
    .description('Integration pack for agent platforms: tool steps and triggers, over HTTP and from the command line.')
    .version(version, '-V, --version')
    .exitOverride()
    // A usage error is printed once, as text or as JSON.
    .configureOutput({
      writeOut: terminal.out,
      writeErr: wantsJson(parts) ? () => {} : terminal.err,
      getOutHelpWidth: () => terminal.width,
      getErrHelpWidth: () => terminal.width,
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(--help lists commands and options)')
  program.addHelpText('after', settingsAndExitCodes)
  const configuration = () => readConfiguration(parts.env, parts.cwd)
  addProcesses({ program, parts, finish, configuration })
  // The other commands load a client that they share, which would only take up memory in a server.
  if (!starts(parts)) (await import('./commands.ts')).addCommands({ program, parts, finish, configuration })
  groupCommands(program)
  return program
}

/** Runs one command line and returns the exit code. Failures are printed; defects are thrown. */
export const runCommand = async (parts: CommandParts): Promise<number> => {
  if (parts.argv.length === 0) {
    parts.terminal.err(firstCommands(parts.terminal))
    return failures.invalid_input.exit
  }
  let code = 0
  const program = await create(parts, (finished) => (code = finished))
  try {
    await program.parseAsync(parts.argv, { from: 'user' })
    return code
  } catch (thrown) {
    // Commander has already printed the error; help and version end here too.
    if (thrown instanceof CommanderError) {
      if (thrown.exitCode === 0) return 0
      return wantsJson(parts)
        ? printFailure(
            parts.terminal,
            toFailureJson(fail('invalid_input', thrown.message.replace(/^error: /, ''))),
            true,
          )
        : failures.invalid_input.exit
    }
    if (!isFailure(thrown)) throw thrown
    return printFailure(parts.terminal, toFailureJson(thrown), wantsJson(parts))
  }
}
