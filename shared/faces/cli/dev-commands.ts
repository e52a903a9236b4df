import type { Command } from 'commander'
import type { Client } from './client.ts'
import type { CommandParts } from './command.ts'
import { complete, completionScript, sayCandidates, shells } from './completion.ts'
import type { Configuration } from './configuration.ts'
import { doctor } from './doctor/index.ts'
import { openapi } from './openapi.ts'

type Line = {
  program: Command
  parts: CommandParts
  finish(code: number): void
  configuration(): Configuration
  client(wanted: { catalogueOnly: boolean }): Promise<Client>
}

const addCompletion = (line: Line) => {
  const { program, parts, finish, client } = line
  program
    .command('completion')
    .description('print what makes a shell complete commands, steps, fields and account names')
    .argument('<shell>', shells.join(', '))
    .addHelpText(
      'after',
      '\nExamples:\n  source <(toolyard completion bash)\n  toolyard completion zsh > ~/.zfunc/_toolyard\n  toolyard completion fish > ~/.config/fish/completions/toolyard.fish',
    )
    .action((shell: string) => {
      parts.terminal.out(completionScript(shell))
      finish(0)
    })
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      // A shell that gets nothing offers nothing; a message would stand in the middle of somebody's line.
      const found = await complete(program, words, () => client({ catalogueOnly: true })).catch(() => [])
      parts.terminal.out(sayCandidates(found))
      finish(0)
    })
}

/** Commands that help whoever sits at the terminal. */
export const addDevCommands = (line: Line) => {
  const { program, parts, finish, configuration, client } = line
  program
    .command('doctor')
    .description('find what is wrong: node, settings, data, key, address, accounts, providers, hooks')
    .option('--sandbox', 'look at the sandbox and its data')
    .option('--json', 'print JSON')
    .action(async (options) => finish(await doctor({ configuration, terminal: parts.terminal, node: process.versions.node }, options)))
  program
    .command('openapi')
    .description('print the OpenAPI 3.1 document, of the running server or else of this version')
    .action(async () => finish(await openapi(await client({ catalogueOnly: true }), parts.terminal)))
  addCompletion(line)
}
