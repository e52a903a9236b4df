import { connect } from 'node:net'
import type { Call } from '../call.ts'
import type { Item } from '../operations.ts'
import { tryLive } from '../request.ts'
import type { Server } from '../request.ts'
import { typed } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { failed, ok, skip, warn, wrong } from './finding.ts'
import type { Finding, State } from './finding.ts'

type Connection = Item<'connections.listConnections'>
type Check = Item<'admin.listChecks'>

const connectTimeoutMs = 3_000

/** Runs one check; a failure becomes its finding. */
const runCheck = async (check: string, work: () => Promise<Finding[]>): Promise<Finding[]> => {
  try {
    return await work()
  } catch (thrown) {
    return [failed(check, thrown)]
  }
}

const checkReady = (call: Call, { address }: Server) =>
  runCheck('server', async () => {
    await call('health.ready')
    return [ok('server', `${address} answers and accepts work`)]
  })

const checkAddress = (call: Call, { address, isSandbox }: Server & { isSandbox: boolean }) =>
  runCheck('public address', async () => {
    const { servers = [] } = (await call('health.getOpenApi')) as { servers?: { url: string }[] }
    const url = servers[0]?.url
    const check = 'public address'
    // Without a public address the document names the address of the request.
    if (url === undefined || (url === address && address.startsWith('http:'))) {
      if (isSandbox) return [ok(check, `none is needed: the sandbox delivers to ${address}`)]
      return [
        warn(
          check,
          'None is set, so providers cannot deliver webhooks here and browsers cannot return after a consent.',
          'Set TOOLYARD_PUBLIC_URL to the public address of this server.',
        ),
      ]
    }
    const { live, problem } = await tryLive(url)
    if (live) return [ok(check, `${url} leads to a toolyard server`)]
    return [
      wrong(
        check,
        problem === undefined
          ? `${url} does not lead to this server (asked from here).`
          : `${url} cannot be checked from here: ${problem}`,
        'Check TOOLYARD_PUBLIC_URL, its DNS name, the reverse proxy and its certificate.',
      ),
    ]
  })

/** Returns why nothing accepts TCP connections there, or undefined. Sends no request. */
const reaches = (origin: URL) =>
  new Promise<string | undefined>((done) => {
    const socket = connect({
      host: origin.hostname.replace(/^\[|\]$/g, ''),
      port: Number(origin.port || (origin.protocol === 'http:' ? 80 : 443)),
    })
    const end = (problem: string | undefined) => {
      socket.destroy()
      done(problem)
    }
    socket.setTimeout(connectTimeoutMs, () => end('no answer'))
    socket
      .once('connect', () => end(undefined))
      .once('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'an error'))
  })

/** For a connection that cannot be tested for free: why its provider cannot be reached, or undefined. */
const checkReach = async (call: Call, { id, integration }: Connection): Promise<string | undefined> => {
  const input = { method: 'GET', path: '/' }
  const { requests } = (await call('steps.runStep', {
    integration,
    step: 'api-call',
    connection: id,
    input,
    dryRun: true,
  })) as {
    requests: { url: string }[]
  }
  const origin = new URL(requests[0]!.url)
  const problem = await reaches(origin)
  return problem === undefined ? undefined : `${origin.host} cannot be reached from here (${problem})`
}

/** Checks the endpoints of the connection's wire profile, as far as that costs nothing. */
const checkEndpoints = async (
  call: Call,
  { id, name, integration }: Connection,
  terminal: Pick<Terminal, 'self'>,
): Promise<Finding[]> => {
  const { endpoints } = await call('connections.checkConnectionWire', { id })
  const check = `endpoints of "${name}"`
  const bad = endpoints
    .filter(({ state }) => state === 'wrong')
    .map(({ endpoint, says }) =>
      wrong(
        check,
        `${endpoint}: ${says}`,
        `Change the wire settings, then: ${typed(terminal, `wire check ${integration}`)}`,
      ),
    )
  if (bad.length > 0 || endpoints.length === 0) return bad
  const untried = endpoints.filter(({ state }) => state === 'untried').map(({ endpoint }) => endpoint)
  if (untried.length === 0) return [ok(check, 'all answer as they should')]
  const says = `${untried.length < endpoints.length ? 'The others answer as they should. ' : ''}Not tried, because that may cost credits, no harmless request is known, or a path is not set: ${untried.join(', ')}. See: ${typed(terminal, `wire check ${integration}`)}`
  return [skip(check, says)]
}

const checkConnection = async (call: Call, row: Connection, terminal: Pick<Terminal, 'self'>): Promise<Finding> => {
  const check = `connection "${row.name}"`
  if (row.state === 'disabled') return skip(check, `${row.integration}: disabled`)
  const { state, stateReason } = await call('connections.testConnection', { id: row.id })
  if (state === 'connected') return ok(check, `${row.integration}: connected, and the provider answers`)
  if (state !== 'unverified')
    return wrong(
      check,
      `${row.integration}: ${state}. ${stateReason ?? ''}`.trim(),
      `Renew it with: ${typed(terminal, `connect ${row.integration} -c ${row.id}`)}`,
    )
  const problem = await checkReach(call, row)
  if (problem !== undefined)
    return wrong(
      check,
      `${row.integration}: ${problem}.`,
      'Check the network, the egress rules and the base URL in the wire settings.',
    )
  return ok(
    check,
    `${row.integration}: its provider can be reached; the first run will verify the credential, because a test would cost credits`,
  )
}

/** Checks the credential first: with a bad one, no endpoint answers. */
const checkBoth = async (call: Call, row: Connection, terminal: Pick<Terminal, 'self'>): Promise<Finding[]> => {
  const found = await checkConnection(call, row, terminal)
  return found.state === 'ok' ? [found, ...(await checkEndpoints(call, row, terminal))] : [found]
}

const checkConnections = (call: Call, terminal: Pick<Terminal, 'self'>) =>
  runCheck('connections', async () => {
    const rows = (await call('connections.listConnections', { limit: 200 })).items
    if (rows.length === 0)
      return [
        skip('connections', `There are none yet. Connect an account with: ${typed(terminal, 'connect <integration>')}`),
      ]
    return (
      await Promise.all(
        rows.map((row) => runCheck(`connection "${row.name}"`, async () => checkBoth(call, row, terminal))),
      )
    ).flat()
  })

const states: Record<Check['level'], State> = { ok: 'ok', warning: 'warn', problem: 'wrong' }

/** Checks everything that only a running server knows. */
export const checkServer = async (
  call: Call,
  server: Server & { isSandbox: boolean },
  terminal: Pick<Terminal, 'self'>,
): Promise<Finding[]> => {
  const ready = await checkReady(call, server)
  if (ready[0]!.state !== 'ok') return ready
  let serverChecks: Check[]
  try {
    serverChecks = (await call('admin.listChecks')).items
  } catch (thrown) {
    return [...ready, failed('token', thrown)]
  }
  const own = (await Promise.all([checkAddress(call, server), checkConnections(call, terminal)])).flat()
  // Connections of the token's tenant are tested above, which says more than their last state.
  const tested = new Set(own.map(({ check }) => check))
  const otherChecks = serverChecks.filter(({ title }) => !tested.has(title))
  return [
    ...ready,
    ...own,
    ...otherChecks.map(({ title, level, detail, remedy }) => ({
      check: title,
      state: states[level],
      says: detail,
      ...(remedy === null ? {} : { remedy }),
    })),
  ]
}
