/** A provider that delivers signals, the network that its deliveries take, a server that can be killed, and an agent. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { start } from '../faces/process.ts'
import type { Started } from '../faces/process.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { companyId, contactId } from '../../shared/sandbox/contact/lusha/find.ts'
import { realSchedule } from '../../shared/sandbox/outgoing.ts'
import type { Schedule } from '../../shared/sandbox/outgoing.ts'
import { callable, clientOf, companies } from '../sandbox/lusha-client.ts'
import { startAgent } from '../support/agent-world.ts'
import { mustAt, operator } from './requests.ts'
import { freePort } from '../support/free-port.ts'
import { startRoad } from './signals-road.ts'
import type { Passage, Signal } from './signals-road.ts'

const profile = 'lusha-v3'
const integration = 'contact-data'
const minute = 60_000
/** By this factor the provider waits less before it repeats a delivery. */
const faster = 200

const people = callable.slice(0, 6).map(contactId)
const movers = people.slice(0, 3)
const firms = companies.slice(0, 6).map(companyId)
const contactTypes = ['promotion', 'companyChange']
const companyTypes = ['riskNews', 'surgeInHiring', 'headcountIncrease3m']

/** What is watched, one subscription at the provider for each. */
export const watched = [
  ...people.map((entityId) => ({ entityType: 'contact', entityId, types: contactTypes })),
  ...firms.map((entityId) => ({ entityType: 'company', entityId, types: companyTypes })),
]

/** Our subscriptions, by the path of their agent. */
const attached = [
  { path: '/people', trigger: 'contact-signal', config: { people } },
  { path: '/moves', trigger: 'contact-signal', config: { people: movers, signals: ['companyChange'] } },
  { path: '/companies', trigger: 'company-signal', config: { companies: firms, signals: companyTypes } },
]
/** The starts that a signal must make, as `path id`. */
export const startsOf = ({ id, type, entityType, entityId }: Signal): string[] => {
  const paths = entityType === 'company' ? ['/companies'] : ['/people']
  if (type === 'companyChange' && movers.includes(entityId)) paths.push('/moves')
  return paths.map((path) => `${path} ${id}`)
}

export type AtProvider = { entityId: string; isActive: boolean; blockReason: string | null }
type HookRow = { model: string; state: string; stateReason: string | null }

export const openPlace = async (folder: string, passageOf: (signal: Signal) => Passage) => {
  const life: { server: Started | undefined; isUp: boolean } = { server: undefined, isUp: false }
  /** Repeats come minutes later, when a server that restarts is there again. */
  const schedule: Schedule = (ms, run) => {
    if (ms < minute) return realSchedule(ms, run)
    const waiting = { isOver: false }
    void (async () => {
      await wait(ms / faster)
      while (!life.isUp && !waiting.isOver) await wait(10)
      if (!waiting.isOver) run()
    })()
    return () => void (waiting.isOver = true)
  }
  const sandbox = await startContactSandbox({
    profile,
    schedule,
    limits: { requests: 1e6 },
    windows: { usage: 1e6, webhooks: 1e6 },
    credits: 1e6,
  })
  onTestFinished(() => sandbox.close())
  const agent = await startAgent()
  onTestFinished(() => agent.close())
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const road = await startRoad(address, passageOf)
  onTestFinished(() => void road.close())
  const wire = join(folder, 'wire.json')
  const override = { ...sandbox.override, profiles: { [profile]: { baseUrl: sandbox.origin } } }
  await writeFile(wire, JSON.stringify({ [integration]: { ...override, pace: { limits: [], concurrency: 8 } } }))
  const env = {
    TOOLYARD_DATA: join(folder, 'data'),
    TOOLYARD_PORT: String(port),
    TOOLYARD_PUBLIC_URL: road.origin,
    TOOLYARD_TOKEN: operator,
    TOOLYARD_WIRE: wire,
    TOOLYARD_PRIVATE_ORIGINS: sandbox.origin,
    TOOLYARD_AGENT_ORIGINS: agent.origin,
  }
  onTestFinished(() => life.server?.kill('SIGKILL'))
  const client = clientOf(() => sandbox)
  const must = mustAt(address)
  const everyRow = async (path: string): Promise<any[]> => {
    const rows: unknown[] = []
    let cursor = ''
    do {
      const { items, next = '' } = await must(`${path}&limit=200${cursor}`)
      rows.push(...items)
      cursor = next && `&cursor=${encodeURIComponent(next)}`
    } while (cursor !== '')
    return rows
  }
  return {
    sandbox,
    agent,
    road,
    must,
    /** Starts the server; resolves when it serves, or was killed before. */
    async up() {
      const server = start(['serve'], env)
      life.server = server
      await server.printed('curl').then(
        () => (life.isUp = true),
        () => undefined,
      )
    },
    async kill() {
      life.isUp = false
      life.server!.kill('SIGKILL')
      await life.server!.ended
    },
    /** Connects the account and attaches the agents; returns the id of a budget of that many credits. */
    async attach(credits: number): Promise<string> {
      const { id: subject } = await must('/v1/connections', {
        body: { integration, type: 'api-key', name: 'Account', secrets: { apiKey: sandbox.credentials.apiKey } },
      })
      const { id } = await must('/v1/budgets', { body: { scope: 'connection', subject, credits, period: 'total' } })
      for (const { path, trigger, config } of attached) {
        const { agent: made } = await must('/v1/subscriptions', {
          body: { integration, trigger, config, agent: { url: agent.origin + path } },
        })
        agent.secrets.set(path, made.secret)
      }
      return id
    },
    /** Makes a signal happen; returns whether the provider has a subscription that reports it. */
    happen(signal: { entityType: string; entityId: string; type: string }): boolean {
      const before = client.charged()
      sandbox.tell('signal', signal)
      return client.charged() > before
    },
    /** Credits that the provider has charged. */
    charged: () => client.charged(),
    secret: async () => (await client.get('/api/account/secret')).body.secret as string,
    /** Counts as a request of the account, whose rate limit the provider holds against us too. */
    async atProvider(): Promise<AtProvider[]> {
      for (;;) {
        const { status, body } = await client.get('/api/subscriptions?limit=100')
        if (status === 200) return body.data
        if (status !== 429) throw new Error(`The provider answered ${status}.`)
        await wait(1000)
      }
    },
    /** Those of people and companies, without the address that they share. */
    hooks: async () =>
      ((await must('/v1/hooks?limit=100')).items as HookRow[]).filter(({ model }) => !model.startsWith('account:')),
    /** Credits that the ledger has, by entry. */
    async ledger(): Promise<Map<string, number>> {
      const credits = new Map<string, number>()
      for (const row of await everyRow('/v1/ledger?kind=settled'))
        credits.set(row.entry, (credits.get(row.entry) ?? 0) + row.credits)
      return credits
    },
    /** Why signals may have been missed. */
    gapReasons: async () => (await everyRow('/v1/gaps?')).map(({ reason }) => reason as string),
    async isIdle(): Promise<boolean> {
      const reply = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${operator}` } })
      return !/^toolyard_(starts_open|events_pending)\S* [1-9]/m.test(await reply.text())
    },
  }
}
export type Place = Awaited<ReturnType<typeof openPlace>>
