import type { Command } from 'commander'
import type { Client } from './client.ts'
import { complete, completionScript, formatCandidates, shells } from './completion.ts'
import type { Configuration } from '../../settings.ts'
import { doctor } from './doctor/index.ts'
import { openapi } from './openapi.ts'
import { printServerEnv } from './server-env.ts'
import type { Terminal } from './terminal.ts'

type Line = {
  program: Command
  terminal: Terminal
  finish(code: number): void
  configuration(): Configuration
  client(wanted: { catalogueOnly: boolean }): Promise<Client>
}

const addCompletion = (line: Line) => {
  const { program, terminal, finish, client } = line
  program
    .command('completion')
    .description('print a script that makes your shell complete commands, steps, fields and connection names')
    .argument('<shell>', shells.join(', '))
    .addHelpText(
      'after',
      '\nExamples:\n  source <(toolyard completion bash)\n  toolyard completion zsh > ~/.zfunc/_toolyard\n  toolyard completion fish > ~/.config/fish/completions/toolyard.fish',
    )
    .action((shell: string) => {
      terminal.out(completionScript(shell))
      finish(0)
    })
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      // Without candidates a shell offers nothing; a message would end up in the line being typed.
      const found = await complete(program, words, () => client({ catalogueOnly: true })).catch(() => [])
      terminal.out(formatCandidates(found))
      finish(0)
    })
}

/** Commands for people who set up, operate or program against the pack. */
export const addDevCommands = (line: Line) => {
  const { program, terminal, finish, configuration, client } = line
  program
    .command('doctor')
    .description('find problems: Node, settings, data, keys, address, connections, providers, hooks')
    .option('--sandbox', 'check the sandbox and its data')
    .option('--json', 'print JSON')
    .action(async (options) => finish(await doctor({ configuration, terminal, node: process.versions.node }, options)))
  program
    .command('env')
    .description('print address and token of the running server as variables for a shell: eval "$(toolyard env)"')
    .option('--sandbox', 'of the server that runs the sandbox')
    .option('--json', 'print JSON')
    .action(async (options) => finish(await printServerEnv(configuration(), terminal, options)))
  program
    .command('openapi')
    .description('print the OpenAPI 3.1 document of the running server, or of this version')
    .action(async () => finish(await openapi(await client({ catalogueOnly: true }), terminal)))
  addCompletion(line)
}
