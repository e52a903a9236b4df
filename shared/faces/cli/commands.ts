import type { Command } from 'commander'
import { addBulk } from './bulk.ts'
import { addAuthorCommands } from './author-commands.ts'
import type { Client } from './client.ts'
import type { CommandParts } from './command-parts.ts'
import type { Configuration } from '../../settings.ts'
import { describe } from './describe.ts'
import { addCreditCommands } from './credit-commands.ts'
import { addDevCommands } from './dev-commands.ts'
import { addFiles } from './files.ts'
import { findClient } from './find-client.ts'
import type { Wanted } from './find-client.ts'
import { list } from './list.ts'
import { addOperatorCommands } from './operator-commands.ts'
import { addPrivacyCommands } from './privacy-commands.ts'
import { addRecordCommands } from './record-commands.ts'
import { addLookup } from './lookup.ts'
import { readAmount } from './input.ts'
import { run } from './run.ts'
import type { RunOptions } from './run.ts'
import { namesStep } from './step-arguments.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { addTriggerCommands } from './trigger-commands.ts'

type Given = { program: Command; parts: CommandParts; finish(code: number): void; configuration(): Configuration }
type Line = Given & { clientFor(wanted: Wanted): Promise<Client> }

const asJson = ['--json', 'print JSON, failures as JSON on standard error'] as const

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
    .option('--max-credits <credits>', 'fail before anything is sent that might make the run cost more', readAmount('max-credits'))
    .option('--max-age <seconds>', 'how old a stored result of a lookup may be; 0 asks the provider', readAmount('max-age'))
    .option('--refresh', 'ask the provider, and store its answer in place of the stored one')
    .option('--merge', 'send a lookup with others as one bulk request, also where every record asked for is charged')
    .option('--no-merge', 'send a lookup alone')
    .option('--start-id <id>', 'the agent start this run belongs to')
    .option('--sandbox', 'use the sandbox: the running one, otherwise a new one for this run')
    .option(...asJson)
    .addHelpText('after', runExamples(terminal))
    .action(async (integration: string, step: string, input: string | undefined, options: RunOptions & { sandbox?: boolean }) =>
      finish(
        await run(await clientFor({ sandbox: options.sandbox ?? false, catalogueOnly: false }), terminal, { ...options, integration, step, argument: input }),
      ),
    )
}

/** Every command that does not start a server for long. */
export const addCommands = (given: Given): void => {
  const { program, parts, finish, configuration } = given
  const { terminal, cwd } = parts
  const clientFor = (wanted: Wanted) => {
    const read = configuration()
    return findClient(read, wanted, (wanted) => parts.openInProcess(read, wanted), terminal)
  }
  for (const add of [addCatalogue, addRun]) add({ ...given, clientFor })
  addLookup({ program, terminal, finish, client: clientFor })
  addAuthorCommands({ program, terminal, cwd, dev: parts.dev, finish, configuration, client: clientFor })
  addDevCommands({ program, terminal, finish, configuration, client: ({ catalogueOnly }) => clientFor({ sandbox: false, catalogueOnly }) })
  const client = () => clientFor({ sandbox: false, catalogueOnly: false })
  addTriggerCommands({ program, terminal, finish, client })
  addBulk({ program, terminal, cwd, finish, clientFor })
  addFiles({ program, terminal, cwd, finish, client })
  addRecordCommands({ program, terminal, finish, client })
  addCreditCommands({ program, terminal, finish, client })
  addOperatorCommands({ program, terminal, finish, configuration, cwd, client })
  addPrivacyCommands({ program, terminal, cwd, finish, client })
}
