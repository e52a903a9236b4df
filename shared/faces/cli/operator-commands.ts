import type { Command } from 'commander'
import { auditHead, verifyAudit } from './audit.ts'
import type { Client } from './client.ts'
import { backup, restore } from './backup.ts'
import type { Configuration } from '../../settings.ts'
import { connect } from './connect.ts'
import { printSignInLink } from './console.ts'
import { rotateKeys, showKeys } from './keys.ts'
import { removeNotifications, rotateNotificationSecret, setNotifications, showNotifications } from './notifications.ts'
import { addTenant, listTenants } from './tenants.ts'
import type { Terminal } from './terminal.ts'
import { exportData, importData, migrate } from './transfer.ts'
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
    .description('reseal everything under a new master key, while the server keeps running')
    .option(...asJson)
    .action(async (_options, command: Command) => finish(await rotateKeys(await client(), terminal, command.optsWithGlobals())))
}

const addAudit = ({ program, terminal, finish, client }: Line) => {
  const audit = program.command('audit').description('check the audit log, or export its newest row')
  audit
    .command('head')
    .description('print number and hash of the newest row; store it elsewhere to prove later that no row up to it was removed')
    .option(...ofTenant)
    .option(...asJson)
    .action(async (options) => finish(await auditHead(await client(), terminal, options)))
  audit
    .command('verify')
    .description('check that no row was changed or removed; exit code 1 if one was')
    .option('--head <head>', 'an earlier output of "audit head": that row must still exist')
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
    .option('--id <id>', 'lower-case letters, digits, "-" and "_"; generated if omitted')
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
    .description('create a token; its text is shown once')
    .argument('<name>')
    .option(...ofTenant)
    .option('-s, --scope <scope>', 'run, connections, subscriptions, read, metrics or admin; repeat for more. Default: all except the last two', collect, [])
    .option('--step <integration/step>', 'restrict it to this step; repeat for more', collect, [])
    .option('-c, --connection <id>', 'restrict it to this connection; repeat for more', collect, [])
    .option('--set <name>', 'restrict it to the steps of this tool set, such as core')
    .option('--expires <time>', 'expiry time')
    .option(...asJson)
    .action(async (name: string, _options, command: Command) => finish(await addToken(await client(), terminal, { ...command.optsWithGlobals(), name })))
  tokens
    .command('revoke')
    .description('revoke a token immediately')
    .argument('<id>')
    .option(...ofTenant)
    .option(...asJson)
    .action(async (id: string, _options, command: Command) => finish(await revokeToken(await client(), terminal, { ...command.optsWithGlobals(), id })))
}

const addNotifications = ({ program, terminal, finish, client }: Line) => {
  const notifications = program
    .command('notifications')
    .description('show where notifications about a tenant are sent')
    .option(...ofTenant)
    .option(...asJson)
    .action(async (options) => finish(await showNotifications(await client(), terminal, options)))
  notifications
    .command('set')
    .description('send notifications to this address, as signed POST requests')
    .argument('<url>')
    .option(...ofTenant)
    .option('--type <type>', 'only of this type; repeat for more', collect, [])
    .option('--secret <secret>', '"whsec_" and 24 to 64 bytes in base64; default: the present one, or a new one that is shown once')
    .option(...asJson)
    .action(async (url: string, _options, command: Command) => finish(await setNotifications(await client(), terminal, { ...command.optsWithGlobals(), url })))
  notifications
    .command('rotate-secret')
    .description('replace the secret that signs notifications; the new one is shown once')
    .option('--overlap <time>', 'how long notifications are signed with the previous secret too, like 12h; default: 1d')
    .option(...ofTenant)
    .option(...asJson)
    .action(async (_options, command: Command) => finish(await rotateNotificationSecret(await client(), terminal, command.optsWithGlobals())))
  notifications
    .command('remove')
    .description('remove the address; no notifications are sent')
    .option(...ofTenant)
    .option(...asJson)
    .action(async (_options, command: Command) => finish(await removeNotifications(await client(), terminal, command.optsWithGlobals())))
}

const addBackups = ({ program, terminal, finish, client, configuration, cwd }: Line) => {
  program
    .command('backup')
    .description('copy all data to a new file, while the server keeps running; does not include the master key')
    .argument('<file>')
    .option(...asJson)
    .action(async (file: string, options) => finish(await backup(await client(), terminal, cwd, { ...options, file })))
  program
    .command('restore')
    .description('restore a backup into the data directory, which must be empty and not in use')
    .argument('<file>')
    .option('--sandbox', 'into the data directory of the sandbox')
    .option(...asJson)
    .action(async (file: string, options) => finish(await restore(configuration(), terminal, cwd, { ...options, file })))
}

const addTransfer = ({ program, terminal, finish, configuration, cwd }: Line) => {
  program
    .command('export')
    .description('write every row of DATABASE_URL, or of the data directory while no server uses it, to a new file')
    .argument('<file>')
    .option('--sandbox', 'from the data directory of the sandbox')
    .option(...asJson)
    .action(async (file: string, options) => finish(await exportData(configuration(), terminal, cwd, { ...options, file })))
  program
    .command('import')
    .description('read an export into the database of DATABASE_URL, or into the data directory; either must be empty')
    .argument('<file>')
    .option('--sandbox', 'into the data directory of the sandbox')
    .option(...asJson)
    .action(async (file: string, options) => finish(await importData(configuration(), terminal, cwd, { ...options, file })))
  program
    .command('migrate')
    .description('upgrade the database of DATABASE_URL, while no server of an earlier version uses it')
    .option(...asJson)
    .action(async (options) => finish(await migrate(configuration(), terminal, options)))
}

/** Operator commands. They use the running server, or the data directory when none runs. */
export const addOperatorCommands = (line: Line) => {
  const { program, terminal, finish, client } = line
  program
    .command('connect')
    .description('connect an account in the browser, with the running server')
    .argument('<integration>')
    .option('--type <id>', 'connection type; default: the recommended one that is configured')
    .option('--name <name>', 'name of the connection; default: the name of the account at the provider')
    .option('--profile <name>', 'wire profile to preselect; "describe <integration>" lists them')
    .option('-c, --connection <id>', 'renew this connection')
    .option('--external-id <id>', "your platform's id of the person who owns the account")
    .option('--return-to <address>', 'where to continue afterwards: a path of the server, or an address on one of TOOLYARD_RETURN_ORIGINS')
    .option('--expires <time>', 'how long the address may be opened, like 2h; default: 10m')
    .option('--no-wait', 'print the address and exit')
    .option(...asJson)
    .action(async (integration: string, options) => finish(await connect(await client(), terminal, { ...options, integration })))
  program
    .command('console')
    .description('print a link that signs a browser in to the console of the running server, once')
    .option(...asJson)
    .action(async (options) => finish(await printSignInLink(await client(), terminal, options)))
  addKeys(line)
  addAudit(line)
  addBackups(line)
  addTransfer(line)
  addNotifications(line)
  addTenants(line)
  addTokens(line)
}
