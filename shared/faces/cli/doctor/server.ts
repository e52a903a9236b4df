import { connect } from 'node:net'
import type { Manifest } from '../../../runtime/catalogue/manifest.ts'
import type { ConnectionView } from '../../../runtime/connections/connections.ts'
import type { KeysView } from '../../../runtime/admin/keys.ts'
import { tryLive } from '../request.ts'
import type { Ask, Server } from '../request.ts'
import { typed } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { failed, ok, skip, warn, wrong } from './finding.ts'
import type { Finding } from './finding.ts'

type HookRow = { id: string; integration: string; connection: string; model: string; state: string; stateReason: string | null; lastDeliveryAt: string | null }
const limit = '200'
const reachMs = 3_000

const items = async <T>(ask: Ask, path: string, searchParams: Record<string, string> = {}) =>
  (await ask<{ items: T[] }>(path, { searchParams: { limit, ...searchParams } })).items

/** Runs one look; what it throws is its finding. */
const look = async (check: string, work: () => Promise<Finding[]>): Promise<Finding[]> => {
  try {
    return await work()
  } catch (thrown) {
    return [failed(check, thrown)]
  }
}

const checkReady = (ask: Ask, { address }: Server) =>
  look('server', async () => {
    await ask('readyz')
    return [ok('server', `${address} answers and can take work`)]
  })

const checkAddress = (ask: Ask, { address, isSandbox }: Server & { isSandbox: boolean }) =>
  look('public address', async () => {
    const { servers = [] } = await ask<{ servers?: { url: string }[] }>('openapi.json')
    const url = servers[0]?.url
    const check = 'public address'
    // A server without a public address names the one it was asked at.
    if (url === undefined || (url === address && address.startsWith('http:'))) {
      if (isSandbox) return [ok(check, `none is needed: the sandbox delivers to ${address}`)]
      return [
        warn(
          check,
          'None is set, so boards cannot deliver webhooks here and browsers cannot come back after a consent.',
          'Set TOOLYARD_PUBLIC_URL to the address of this server as others reach it.',
        ),
      ]
    }
    const { live, trouble } = await tryLive(url)
    if (live) return [ok(check, `${url} leads to a toolyard server`)]
    return [
      wrong(
        check,
        trouble === undefined ? `${url} does not lead to this server (asked from here).` : `${url} cannot be checked from here: ${trouble}`,
        'Check TOOLYARD_PUBLIC_URL, its DNS name, the proxy in front and its certificate.',
      ),
    ]
  })

const checkKeys = (ask: Ask) =>
  look('stored secrets', async () => {
    const { present, previous, rows } = await ask<KeysView>('v1/admin/keys')
    const lost = Object.entries(rows).filter(([id]) => id !== present && !previous.includes(id))
    if (lost.length > 0)
      return lost.map(([id, count]) =>
        wrong(
          'stored secrets',
          `${count} are sealed under the master key ${id}, which is not here.`,
          'Give that key in TOOLYARD_OLD_MASTER_KEYS, or connect those accounts again.',
        ),
      )
    return [ok('stored secrets', `${Object.values(rows).reduce((sum, one) => sum + one, 0)} sealed values, all under keys that are here`)]
  })

const checkWire = (ask: Ask, ids: string[]) =>
  Promise.all(
    ids.map((id) =>
      look(`settings of ${id}`, async () => {
        const { wire } = await ask<Manifest>(`v1/integrations/${id}`)
        if (wire.unset.length === 0) return [ok(`settings of ${id}`, 'all are set')]
        const some = wire.unset.slice(0, 4).join(', ')
        return [
          warn(
            `settings of ${id}`,
            `${wire.unset.length} are not set: ${some}${wire.unset.length > 4 ? ', …' : ''}.`,
            'Give them in the file that TOOLYARD_WIRE names; docs/configuration.md says how. Steps that need them fail with wire_unset.',
          ),
        ]
      }),
    ),
  )

/** Whether something takes connections there. No request is sent. */
const reaches = (origin: URL) =>
  new Promise<string | undefined>((done) => {
    const socket = connect({ host: origin.hostname.replace(/^\[|\]$/g, ''), port: Number(origin.port || (origin.protocol === 'http:' ? 80 : 443)) })
    const end = (trouble: string | undefined) => {
      socket.destroy()
      done(trouble)
    }
    socket.setTimeout(reachMs, () => end('no answer'))
    socket.once('connect', () => end(undefined)).once('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'an error'))
  })

/** For an account that cannot be tested for free: at least whether its provider is there. */
const checkReach = async (ask: Ask, { id, integration }: ConnectionView): Promise<string | undefined> => {
  const body = { connection: id, input: { method: 'GET', path: '/' }, dryRun: true }
  const { requests } = await ask<{ requests: { url: string }[] }>(`v1/steps/${integration}/api-call/run`, { method: 'post', json: body })
  const origin = new URL(requests[0]!.url)
  const trouble = await reaches(origin)
  return trouble === undefined ? undefined : `${origin.host} cannot be reached from here (${trouble})`
}

const checkAccount = async (ask: Ask, row: ConnectionView, terminal: Pick<Terminal, 'self'>): Promise<Finding> => {
  const check = `account "${row.name}"`
  if (row.state === 'disabled') return skip(check, `${row.integration}: switched off`)
  const { state, stateReason } = await ask<ConnectionView>(`v1/connections/${row.id}/test`, { method: 'post' })
  if (state === 'connected') return ok(check, `${row.integration}: connected, the provider answers`)
  if (state !== 'unverified')
    return wrong(
      check,
      `${row.integration}: ${state}. ${stateReason ?? ''}`.trim(),
      `Connect it again: ${typed(terminal, `connect ${row.integration} -c ${row.id}`)}`,
    )
  const trouble = await checkReach(ask, row)
  if (trouble !== undefined)
    return wrong(check, `${row.integration}: ${trouble}.`, 'Check the network, the egress rules and the base address in the wire settings.')
  return ok(check, `${row.integration}: its provider is there; the credential shows at the first real use, since a test would cost`)
}

const checkAccounts = (ask: Ask, terminal: Pick<Terminal, 'self'>) =>
  look('accounts', async () => {
    const rows = await items<ConnectionView>(ask, 'v1/connections')
    if (rows.length === 0) return [skip('accounts', `None is connected. Connect one with: ${typed(terminal, 'connect <integration>')}`)]
    return (await Promise.all(rows.map((row) => look(`account "${row.name}"`, async () => [await checkAccount(ask, row, terminal)])))).flat()
  })

const checkHooks = (ask: Ask) =>
  look('hooks', async () => {
    const live = (await items<HookRow>(ask, 'v1/hooks')).filter(({ state }) => state !== 'deleted')
    if (live.length === 0) return [skip('hooks', 'No subscription needs one.')]
    const bad = live.filter(({ state }) => state === 'broken' || state === 'failing' || state === 'wanted')
    const found = bad.map(({ state, stateReason, model, integration }) =>
      state !== 'wanted'
        ? wrong(
            'hooks',
            `${integration}, ${model}: ${stateReason ?? 'the provider does not deliver'}`,
            'See the reason; the server sets it anew by itself once that is mended.',
          )
        : warn(
            'hooks',
            `${integration}, ${model}: not registered yet${stateReason === null ? '' : `: ${stateReason}`}`,
            'Wait a minute. If it stays so, the public address is not reachable for the provider.',
          ),
    )
    return found.length > 0 ? found : [ok('hooks', `${live.length} registered and alive`)]
  })

const checkStarts = (ask: Ask) =>
  look('agent starts', async () => {
    const dead = await items<unknown>(ask, 'v1/starts', { state: 'dead' })
    if (dead.length === 0) return [ok('agent starts', 'none was given up')]
    return [
      warn(
        'agent starts',
        `Given up, because the agent did not take them: ${dead.length >= Number(limit) ? `${limit} or more` : dead.length}.`,
        'Mend the agent, then: POST /v1/starts/{id}/replay, or the same from the command line.',
      ),
    ]
  })

/** Everything that only a running server knows. */
export const checkServer = async (ask: Ask, server: Server & { isSandbox: boolean }, terminal: Pick<Terminal, 'self'>): Promise<Finding[]> => {
  const ready = await checkReady(ask, server)
  if (ready[0]!.state !== 'ok') return ready
  const listed = await look('token', async () => {
    await ask('v1/admin/keys')
    return []
  })
  if (listed.length > 0) return [...ready, ...listed]
  const ids = (await items<{ id: string }>(ask, 'v1/integrations')).map(({ id }) => id)
  const parts = await Promise.all([
    checkAddress(ask, server),
    checkKeys(ask),
    checkWire(ask, ids),
    checkAccounts(ask, terminal),
    checkHooks(ask),
    checkStarts(ask),
  ])
  return [...ready, ...parts.flat(2)]
}
