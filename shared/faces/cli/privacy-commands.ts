import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Client } from './client.ts'
import { addSuppressions, erasePerson, exportPerson, listSuppressions, removeSuppressions } from './privacy.ts'
import type { PersonAsked } from './privacy.ts'
import type { Terminal } from './terminal.ts'

type Line = { program: Command; terminal: Terminal; cwd: string; finish(code: number): void; client(): Promise<Client> }

const asJson = ['--json', 'print JSON, failures as JSON on standard error'] as const
const collect = (value: string, before: string[]) => [...before, value]

const ofPerson = (command: Command): Command =>
  command
    .option('--email <address>', 'by e-mail address; repeatable', collect, [])
    .option('--linkedin <profile>', 'by address or slug of the profile; repeatable', collect, [])
    .option('--phone <number>', 'by phone number with its country, such as "+61 491 570 156"; repeatable', collect, [])
    .option('-t, --tenant <id>', 'the tenant', 'default')
    .option(...asJson)

/** Who is not to be looked up, and what is stored about people. */
export const addPrivacyCommands = ({ program, terminal, cwd, finish, client }: Line): void => {
  const suppressions = program
    .command('suppressions')
    .description('list who is neither looked up nor shown, as keyed hashes')
    .option('-n, --limit <n>', 'maximum number of rows, 1 to 200', '50')
    .option('--cursor <cursor>', 'continue after the previous page')
    .option('-t, --tenant <id>', 'the tenant', 'default')
    .option(...asJson)
    .action(async (options) => finish(await listSuppressions(await client(), terminal, options)))
  ofPerson(suppressions.command('add').description('add people to the list; nothing is looked up or spent for them any more'))
    .option('--file <path>', 'every address, profile, number with its country and SHA-256 of an address in this CSV or text file, of any size')
    .action(async (_options, command: Command) => {
      const given = command.optsWithGlobals<PersonAsked & { file?: string }>()
      finish(await addSuppressions(await client(), terminal, given.file === undefined ? given : { ...given, file: resolve(cwd, given.file) }))
    })
  ofPerson(suppressions.command('remove').description('remove people from the list')).action(async (_options, command: Command) =>
    finish(await removeSuppressions(await client(), terminal, command.optsWithGlobals<PersonAsked>())),
  )
  const privacy = program.command('privacy').description('export or erase what is stored about a person')
  ofPerson(privacy.command('export').description('print everything that is stored about a person, as JSON')).action(async (_options, command: Command) =>
    finish(await exportPerson(await client(), terminal, command.optsWithGlobals<PersonAsked>())),
  )
  ofPerson(privacy.command('erase').description('erase it for good and print a receipt'))
    .option('--suppress', 'put the person on the suppression list first')
    .action(async (_options, command: Command) =>
      finish(await erasePerson(await client(), terminal, command.optsWithGlobals<PersonAsked & { suppress?: boolean }>())),
    )
}
