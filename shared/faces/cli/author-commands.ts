import { resolve } from 'node:path'
import { fail } from '#kit'
import type { Command } from 'commander'
import type { Client } from './client.ts'
import type { Configuration, Environment } from '../../settings.ts'
import type { Wanted } from './find-client.ts'
import { record } from './record.ts'
import type { RecordOptions } from './record.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { namesStep } from './step-arguments.ts'

/** What `toolyard dev` serves; `folder` and `data` are relative to `cwd`, `wireFile` is absolute. */
export type DevCall = { folder: string; data: string | undefined; wireFile: string | undefined; cwd: string }

type Line = {
  program: Command
  terminal: Terminal
  cwd: string
  dev(configuration: Configuration, call: DevCall): Promise<number>
  finish(code: number): void
  configuration(): Configuration
  client(wanted: Wanted): Promise<Client>
}

const loopbackHosts = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/

/** @throws Failure `not_allowed`: this opens loopback ports and prints stack traces */
export const requireDevelopment = ({ production, host }: Configuration, env: Environment): void => {
  const refuse = (setting: string, remedy: string) => fail('not_allowed', `toolyard dev is for development on your own machine, and ${setting}. ${remedy}`)
  if (production) throw refuse('TOOLYARD_PRODUCTION is set', 'Unset it, or run "toolyard serve".')
  if (env['NODE_ENV'] === 'production') throw refuse('NODE_ENV is "production"', 'Unset it, or run "toolyard serve".')
  if (!loopbackHosts.test(host)) throw refuse(`TOOLYARD_HOST is ${host}, which others can reach`, 'Unset it.')
}

const addDev = ({ program, terminal, cwd, dev, finish, configuration }: Line) => {
  program
    .command('dev')
    .description('serve the integration of one folder for its author: reloads it on change, allows providers and agents on this machine')
    .argument('<folder>', 'the folder with manifest.ts; TypeScript runs as it is')
    .option('--wire <file>', 'JSON file with wire overrides, read again on change; default: TOOLYARD_WIRE')
    .option('--data <folder>', 'keep the data there; default: a temporary folder, removed at the end')
    .addHelpText('after', `\nExample:\n  ${typed(terminal, 'dev integrations/<id> --wire overrides.json')}\nA new integration: npm run new -- <id>`)
    .action(async (folder: string, { wire, data }: { wire?: string; data?: string }) =>
      finish(await dev(configuration(), { folder, data, wireFile: wire === undefined ? undefined : resolve(cwd, wire), cwd })),
    )
}

const addRecord = ({ program, terminal, cwd, finish, client }: Line) => {
  namesStep(program.command('record').description('run a step and write what happened, without secrets, as an example'))
    .option('--title <title>', 'title of the example; default: a numbered one')
    .option('--to <folder>', 'folder of the integration; default: the one "toolyard dev" serves, else integrations/<integration>')
    .option('--sandbox', 'use a sandbox started for this run')
    .option('--json', 'print JSON, failures as JSON on standard error')
    .addHelpText('after', `\nExample:\n  ${typed(terminal, `record <integration> <step> --input '{"name":"Press kit"}' --title "A new item"`)}`)
    .action(async (integration: string, step: string, argument: string | undefined, { sandbox = false, ...options }: RecordOptions & { sandbox?: boolean }) =>
      finish(await record(await client({ sandbox, catalogueOnly: false, records: true }), terminal, { ...options, integration, step, argument, cwd })),
    )
}

/** Commands for people who write an integration. */
export const addAuthorCommands = (line: Line) => {
  addDev(line)
  addRecord(line)
}
