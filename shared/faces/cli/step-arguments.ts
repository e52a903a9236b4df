import { didYouMean, failField } from '#kit'
import type { Command } from 'commander'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** Arguments and options of a command that runs a step. */
export const namesStep = (command: Command): Command =>
  command
    .argument('<integration>')
    .argument('<step>')
    .argument('[input]', 'JSON object, @file.json, or - for standard input')
    .option('--input <json>', 'the same as the argument')
    .option(
      '-f, --field <name=value>',
      'one input field; repeat for more fields and for list entries',
      (value: string, before: string[]) => [...before, value],
      [],
    )
    .option('-c, --connection <name>', 'id or name of the connection; required if there are several and no default')

type Named = { id: string }

/** The failure for a step that an integration lacks. `triggers`: those that may be named in its place. */
export const noSuchStep = (terminal: Terminal, { id: integration, steps }: { id: string; steps: Named[] }, name: string, triggers?: Named[]) => {
  const known = [...steps, ...(triggers ?? [])].map(({ id }) => id)
  const remedy = `List them with: ${typed(terminal, `list -i ${integration}`)}`
  return failField('step', `"${integration}" has no ${triggers ? 'step or trigger' : 'step'} "${name}".${didYouMean(name, known)} ${remedy}`, 'not_found')
}
