import { didYouMean, failField } from '#kit'
import type { Command } from 'commander'

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
export const noSuchStep = ({ id: integration, steps }: { id: string; steps: Named[] }, name: string, triggers: Named[] = []) => {
  const [stepNames, triggerNames] = [steps, triggers].map((list) => list.map(({ id }) => id)) as [string[], string[]]
  const others = triggerNames.length > 0 ? ` Its triggers: ${triggerNames.join(', ')}.` : ''
  const what = triggerNames.length > 0 ? 'step or trigger' : 'step'
  const meant = didYouMean(name, [...stepNames, ...triggerNames])
  return failField('step', `"${integration}" has no ${what} "${name}".${meant} Its steps: ${stepNames.join(', ')}.${others}`, 'not_found')
}
