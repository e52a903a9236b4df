import type { Command } from 'commander'
import { auditHead, verifyAudit } from './audit.ts'
import type { Client } from './client.ts'
import { backup, restore } from './backup.ts'
import type { Configuration } from './configuration.ts'
import { connect } from './connect.ts'
import { rotateKeys, showKeys } from './keys.ts'
import { addTenant, listTenants } from './tenants.ts'
import type { Terminal } from './terminal.ts'
import { addToken, listTokens, revokeToken } from './tokens.ts'

type Line = {
  program: Command
  terminal: Terminal
  finish(code: number): void
  client(): Promise<Client>
  configuration(): Configuration
  cwd: string
}

const asJson = ['--json', 'print JSON, failures as JSON on standard error'] as const
const ofTenant = ['-t, --tenant <id>', 'the tenant', 'default'] as const
const collect = (value: string, before: string[]) => [...before, value]

const addKeys = ({ program, terminal, finish, client }: Line) => {
  const keys = program
    .command('keys')
    .description('show which master keys seal the stored secrets')
    .option(...asJson)
    .action(async (options) => finish(await showKeys(await client(), terminal, options)))
  keys
    .command('rotate')
    .description('seal everything under a new master key, while the server goes on serving')
    .option(...asJson)
    .action(async (_options, command: Command) => finish(await rotateKeys(await client(), terminal, command.optsWithGlobals())))
}

const addAudit = ({ program, terminal, finish, client }: Line) => {
  const audit = program.command('audit').description('check the audit log, or export its newest row')
  audit
    .command('head')
    .description('print number and hash of the newest row; keep it elsewhere, to show later that no row up to it was taken away')
    .option(...ofTenant)
    .option(...asJson)
    .action(async (options) => finish(await auditHead(await client(), terminal, options)))
  audit
    .command('verify')
    .description('check that no row was changed or taken away; exit 1 when one was')
    .option('--head <head>', 'what "audit head" printed earlier: that row must still be there')
    .option(...ofTenant)
    .option(...asJson)
    .action(async (options) => finish(await verifyAudit(await client(), terminal, options)))
}

const addTenants = ({ program, terminal, finish, client }: Line) => {
  const tenants = program
    .command('tenants')
    .description('list tenants')
    .option(...asJson)
    .action(async (options) => finish(await listTenants(await client(), terminal, options)))
  tenants
    .command('add')
    .description('add a tenant')
    .argument('<name>')
    .option('--id <id>', 'small letters, digits, "-" and "_"; made when absent')
    .option(...asJson)
    .action(async (name: string, _options, command: Command) => finish(await addTenant(await client(), terminal, { ...command.optsWithGlobals(), name })))
}

const addTokens = ({ program, terminal, finish, client }: Line) => {
  const tokens = program
    .command('tokens')
    .description('list the tokens of a tenant')
    .option(...ofTenant)
    .option(...asJson)
    .action(async (options) => finish(await listTokens(await client(), terminal, options)))
  tokens
    .command('add')
    .description('make a token; its text is shown once')
    .argument('<name>')
    .option(...ofTenant)
    .option('-s, --scope <scope>', 'run, connections, subscriptions, read, metrics or admin; repeat for more. Absent: all but the last two', collect, [])
    .option('--step <integration/step>', 'bind it to this step; repeat for more', collect, [])
    .option('-c, --connection <id>', 'bind it to this account; repeat for more', collect, [])
    .option('--expires <time>', 'when it ends')
    .option(...asJson)
    .action(async (name: string, _options, command: Command) => finish(await addToken(await client(), terminal, { ...command.optsWithGlobals(), name })))
  tokens
    .command('revoke')
    .description('revoke a token at once')
    .argument('<id>')
    .option(...ofTenant)
    .option(...asJson)
    .action(async (id: string, _options, command: Command) => finish(await revokeToken(await client(), terminal, { ...command.optsWithGlobals(), id })))
}

const addBackups = ({ program, terminal, finish, client, configuration, cwd }: Line) => {
  program
    .command('backup')
    .description('copy all data into a new file, while the server goes on serving; the master key is not part of it')
    .argument('<file>')
    .option(...asJson)
    .action(async (file: string, options) => finish(await backup(await client(), terminal, cwd, { ...options, file })))
  program
    .command('restore')
    .description('put a backup into the data directory, which must have no data yet and no server')
    .argument('<file>')
    .option('--sandbox', 'into the data directory of the sandbox')
    .option(...asJson)
    .action(async (file: string, options) => finish(await restore(configuration(), terminal, cwd, { ...options, file })))
}

/** Commands of whoever runs the server. They talk to the running one; with none, to the data directory. */
export const addOperatorCommands = (line: Line) => {
  const { program, terminal, finish, client } = line
  program
    .command('connect')
    .description('connect an account in the browser, with the running server')
    .argument('<integration>')
    .option('--type <id>', 'connection type; absent: the recommended one that is set up')
    .option('--name <name>', 'what it is called here; absent: as at the provider')
    .option('-c, --connection <id>', 'reconnect this account')
    .option('--no-wait', 'print the address and do not wait')
    .option(...asJson)
    .action(async (integration: string, options) => finish(await connect(await client(), terminal, { ...options, integration })))
  addKeys(line)
  addAudit(line)
  addBackups(line)
  addTenants(line)
  addTokens(line)
}
