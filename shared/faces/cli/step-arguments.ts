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
