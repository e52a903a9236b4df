import { setTimeout as wait } from 'node:timers/promises'
import { fail, failures } from '#kit'
import type { Answer, Item } from '../operations.ts'
import { amount, command, flag, text } from '../declare.ts'
import type { Context } from '../declare.ts'
import { readMs } from '../input.ts'
import { personColumn, personFilter } from '../person-options.ts'
import { plain, printPairs, printResults, shortTime } from '../table.ts'

type Connection = Item<'connections.listConnections'>
type WireCheck = Answer<'connections.checkConnectionWire'>

const askEveryMs = 1_000
const listed = { connection: 'id, unique prefix of it, or name' }

/** A connection that was added or renewed between the two lists. */
const connectedSince = (before: Connection[], now: Connection[]) =>
  now.find(
    ({ id, updatedAt, state }) =>
      before.find((row) => row.id === id)?.updatedAt !== updatedAt && (state === 'connected' || state === 'unverified'),
  )

/** Reports an account as connected only if the provider has confirmed it. */
const sentenceOf = ({ id, name, state }: Connection) =>
  state === 'unverified'
    ? `Saved: "${plain(name)}" (${id}). Its state becomes connected once a first step succeeds.`
    : `Connected: "${plain(name)}" (${id}).`

const reasonOf = ({ stateReason }: { stateReason: string | null }) => (stateReason === null ? '' : `: ${stateReason}`)

const show = ({ say, terminal }: Context, connection: Connection) => {
  const { account } = connection
  const secrets = Object.entries(connection.secrets).map(([name, shown]) => `${name} ${shown}`)
  say(connection, () =>
    printPairs(terminal, 17, {
      connection: `${connection.name} (${connection.id})`,
      integration: `${connection.integration} (${connection.type})`,
      state: `${connection.state}${reasonOf(connection)}`,
      ...(connection.person === null ? {} : { person: connection.person }),
      'provider account': account === null ? 'unknown' : `${account.name ?? ''} (${account.id})`.trim(),
      secrets: secrets.join(', ') || 'none stored',
      default: connection.isDefault ? 'yes' : 'no',
      ...(connection.defaultContainer === null ? {} : { 'default container': connection.defaultContainer }),
      created: shortTime(connection.createdAt),
      'last used': shortTime(connection.lastUsedAt) || 'never',
    }),
  )
}

const words: Record<WireCheck['endpoints'][number]['state'], string> = { ok: 'ok', wrong: 'WRONG', untried: '-' }

/** How many credits it may cost to try the endpoints that were skipped because of their price. */
const remainingCredits = ({ endpoints }: WireCheck) => {
  const sum = endpoints.reduce((sum, { state, credits = 0 }) => sum + (state === 'untried' ? credits : 0), 0)
  return { sum, text: `${sum} ${sum === 1 ? 'credit' : 'credits'}` }
}

const defaultConnection = async ({ call, typed }: Context, integration: string): Promise<string> => {
  const { items: all } = await call('connections.listConnections', { limit: 200, integration })
  const shared = all.filter(({ person }) => person === null)
  const items = shared.length > 0 ? shared : all
  const only = items.length === 1 ? items[0] : items.find(({ isDefault }) => isDefault)
  if (only) return only.id
  if (items.length === 0)
    throw fail(
      'not_connected',
      `No ${integration} account is connected. Connect one with: ${typed(`connect ${integration}`)}`,
    )
  const names = items.map(({ name }) => `"${name}"`).join(', ')
  throw fail(
    'invalid_input',
    `There are several ${integration} connections and none is the default; name one with -c: ${names}.`,
  )
}

const printCheck = ({ terminal, typed }: Context, check: WireCheck) => {
  const { endpoints, profile, connection, integration } = check
  terminal.out(`Profile "${plain(profile)}", connection "${plain(connection.name)}" (${connection.id})\n`)
  printResults(
    terminal,
    endpoints.map(({ endpoint, state, says }) => ({ word: words[state], name: endpoint, says: [says] })),
  )
  if (endpoints.length === 0)
    terminal.out('The wire profile has no endpoints to try; "connections test" tests the connection.\n')
  const left = remainingCredits(check)
  if (left.sum > 0)
    terminal.out(`\nTo try all, which may cost ${left.text}: ${typed(`wire check ${integration} --spend`)}\n`)
}

export const connectionCommands = [
  command(
    {
      usage: 'connect <integration>',
      about: 'connect an account in the browser, with the running server',
      options: {
        type: text('<id>', 'connection type; default: the recommended one that is configured'),
        name: text('<name>', 'name of the connection; default: the name of the account at the provider'),
        profile: text('<name>', 'wire profile to preselect; "describe <integration>" lists them'),
        connection: text('-c <id>', 'renew this connection'),
        person: text('<id>', "your platform's id of the end user who connects the account; default: the workspace's"),
        externalId: text('<id>', "your platform's id of the connection"),
        returnTo: text(
          '<address>',
          'where to continue afterwards: a path of the server, or an address on one of TOOLYARD_RETURN_ORIGINS',
        ),
        locale: text('<tag>', 'language of the page, like de; default: that of the browser'),
        expires: text('<time>', 'how long the address may be opened, like 2h; default: 10m'),
        waits: flag('print the address and exit', '--no-wait'),
      },
    },
    async ({ call, say, terminal }, { expires, waits, ...wanted }) => {
      const query = { limit: 200, integration: wanted.integration }
      const { items: before } = await call('connections.listConnections', query)
      const started = await call('connections.authorizeConnection', {
        ...wanted,
        expiresInMs: readMs('expires', expires),
      })
      if (!waits) return say(started, started.url)
      terminal.err(
        `Open this address in your browser; it can be used once, until ${shortTime(started.expiresAt)} UTC. Ctrl-C stops waiting.\n\n  ${started.url}\n\n`,
      )
      const end = Date.parse(started.expiresAt)
      const { signal } = terminal
      while (Date.now() < end && !signal.aborted) {
        const connected = connectedSince(before, (await call('connections.listConnections', query)).items)
        if (connected) return say(connected, sentenceOf(connected))
        await wait(askEveryMs, undefined, { signal }).catch(() => undefined)
      }
      terminal.err(
        signal.aborted
          ? 'Stopped waiting; the address works until it expires.\n'
          : 'No account was connected in time.\n',
      )
      return failures[signal.aborted ? 'cancelled' : 'not_connected'].exit
    },
  ),
  command(
    {
      usage: 'connections',
      about: 'list connections and their state',
      options: { integration: text('-i <id>', 'only of this integration'), person: personFilter },
    },
    async ({ call, list, typed }, { integration, person }) => {
      const { items } = await call('connections.listConnections', { limit: 200, integration, person })
      const personOf = personColumn(items)
      const none = `No connections yet. Connect an account with: ${typed(`connect ${integration ?? '<integration>'}`)}`
      list({ items }, none, (connection) => ({
        connection: connection.id,
        integration: `${connection.integration} (${connection.type})`,
        state: `${connection.state}${connection.isDefault ? ', default' : ''}`,
        'last used': shortTime(connection.lastUsedAt),
        ...personOf(connection),
        name: `${connection.name}${reasonOf(connection)}`,
      }))
    },
  ),
  command(
    {
      usage: 'connections show <connection>',
      about: 'show one, with the last characters of its secrets',
      arguments: listed,
    },
    async (context, { connection }) =>
      show(context, await context.call('connections.getConnection', { id: connection })),
  ),
  command(
    {
      usage: 'connections test <connection>',
      about: 'check it with the provider, where that is free',
      arguments: listed,
    },
    async (context, { connection }) =>
      show(context, await context.call('connections.testConnection', { id: connection })),
  ),
  command(
    {
      usage: 'connections default <connection>',
      about: 'make it the default for runs and subscriptions that name none',
      arguments: listed,
    },
    async (context, { connection }) =>
      show(context, await context.call('connections.changeConnection', { id: connection, isDefault: true })),
  ),
  command(
    {
      usage: 'connections default-container <connection> <container>',
      about: 'set what steps and triggers work in that are given no container, such as a project',
      arguments: { ...listed, container: 'id or address, or "none" to remove it' },
    },
    async (context, { connection, container }) => {
      const defaultContainer = container === 'none' ? null : container
      show(context, await context.call('connections.changeConnection', { id: connection, defaultContainer }))
    },
  ),
  command(
    {
      usage: 'connections remove <connection>',
      about: 'remove one with its secrets and webhooks and pause its subscriptions; cannot be undone',
      arguments: listed,
    },
    async ({ call, say }, { connection }) => {
      const { id, name } = await call('connections.getConnection', { id: connection })
      await call('connections.removeConnection', { id })
      say({ removed: id }, `Connection "${plain(name)}" (${id}) is removed; its subscriptions are paused.`)
    },
  ),
  command(
    {
      usage: 'names <connection>',
      about: 'list what people and other things of a connection are called, as far as it was seen',
      arguments: listed,
      options: {
        kind: text('<kind>', 'only things of this kind'),
        query: text('-q <text>', 'a part of the name'),
        limit: amount('<number>', 'how many at most, 1 to 200; default: 20', { isWhole: true }),
      },
    },
    async ({ call, list }, { connection, kind, query, limit }) => {
      const names = await call('connections.listConnectionNames', { id: connection, kind, query, limit })
      list(names, 'No names were seen yet; they come with events, runs and choices.', ({ kind: what, id, name }) => ({
        name,
        kind: what,
        id,
      }))
    },
  ),
  command({ usage: 'wire', about: 'check the wire settings of an integration' }),
  command(
    {
      usage: 'wire check <integration>',
      about: 'try each endpoint of the wire profile with the connected account',
      options: {
        connection: text('-c <name>', 'id or name of the connection; required if there are several and no default'),
        spend: flag('also send the requests that may cost credits; without it a terminal asks'),
      },
    },
    async (context, { integration, connection, spend = false }) => {
      const { call, json, say, terminal } = context
      const id = connection ?? (await defaultConnection(context, integration))
      let check = await call('connections.checkConnectionWire', { id, spend })
      if (check.integration !== integration)
        throw fail(
          'invalid_input',
          `The connection named by -c belongs to ${check.integration}, not to ${integration}.`,
        )
      const left = remainingCredits(check)
      const question = `Trying the rest may cost ${left.text} of "${plain(check.connection.name)}". Spend them? [y/N] `
      if (left.sum > 0 && !json && /^y(es)?$/i.test(((await terminal.ask?.(question)) ?? '').trim()))
        check = await call('connections.checkConnectionWire', { id, spend: true })
      say(check, () => printCheck(context, check))
      return check.endpoints.some(({ state }) => state === 'wrong') ? 1 : 0
    },
  ),
]
