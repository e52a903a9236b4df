/**
 * Durable intake and starts of 1, 2 and 4 nodes on PostgreSQL, beside the embedded store and beside plain pg-boss that
 * inserts the same rows: `node test/bench/nodes.ts`. Everything shares the processors of one machine, so that more
 * nodes show what sharing costs, not what they add: by rate, and by the processor time of nodes and database for each
 * event. Beside four nodes stand four servers that share nothing, with a database each: what they cost more than one is
 * what more processes cost on the same processors.
 */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { createNode } from '../nodes/node.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { startCountingAgent } from './counting-agent.ts'
import { delivery, openSockets } from './deliveries.ts'
import type { Done, Order } from './nodes-boss.ts'
import { processorMs } from './processor-time.ts'
import { median, report, row } from './support.ts'

const generations = Number(process.env.G ?? 7)
const width = 256
const counts = { intake: 4000, starts: 1500 }
const warmUp = { intake: 2000, starts: 1500 }
const adminToken = 'a-token-chosen-by-the-operator'

type What = keyof typeof counts
type Kind = 'embedded' | 1 | 2 | 4 | 'apart' | 'pg-boss'
const kinds: Kind[] = ['embedded', 1, 2, 4, 'apart', 'pg-boss']
const apart = 4
/** `rate` is per second; `cpuMs` is what an event takes of the processor, in the nodes and in the database. */
type Figures = Record<What, { rate: number; cpuMs: number }>

const findFreePort = () =>
  new Promise<number>((resolve) => {
    const server = createSocketServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const folder = mkdtempSync(join(tmpdir(), 'toolyard-bench-nodes-'))
if (postgresIsMissing()) process.exit(0)
const postgres = await startPostgres()
const sandbox = await startBoardSandbox()
const agent = await startCountingAgent()

const ask = async (
  origin: string,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<any> => {
  const reply = await fetch(origin + path, {
    method,
    headers: {
      authorization: `Bearer ${adminToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
  return reply.json()
}

/**
 * Nodes on one database, or the embedded store, and two boards: what happens on the first starts nobody, a comment on
 * the second starts the agent.
 * @param sockets how many deliveries all of them receive at once
 */
const openNodes = async (count: number, databaseUrl: string | undefined, sockets = width) => {
  const wireFile = join(folder, 'wire.json')
  writeFileSync(
    wireFile,
    JSON.stringify({ 'work-board': { baseUrl: sandbox.origin, pace: { limits: [], concurrency: 4 } } }),
  )
  const ports = await Promise.all(Array.from({ length: count }, findFreePort))
  // The sandbox asks a hook's address before it is made.
  const own = `http://127.0.0.1:${ports[0]}`
  const env: Record<string, string> = {
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    TOOLYARD_MASTER_KEY: randomBytes(32).toString('base64'),
    TOOLYARD_TOKEN: adminToken,
    TOOLYARD_PUBLIC_URL: own,
    TOOLYARD_WIRE: wireFile,
    TOOLYARD_PRIVATE_ORIGINS: sandbox.origin,
    TOOLYARD_AGENT_ORIGINS: agent.origin,
    TOOLYARD_LOG_LEVEL: 'warn',
  }
  const nodes = ports.map((port, n) => createNode(port, { ...env, TOOLYARD_DATA: join(folder, `${port}-${n}`) }))
  for (const node of nodes) if (!(await node.start())) throw new Error(`A node did not start:\n${node.log()}`)
  const { key, token, appSecret } = sandbox.credentials
  const boards = sandbox.control.overview().map(({ id }) => id)
  await ask(own, '/v1/apps/work-board', { key, secret: appSecret }, 'PUT')
  await ask(own, '/v1/connections', {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: { key, token },
  })
  for (const [n, trigger] of ['card-moved', 'new-comment-added-to-card'].entries())
    await ask(own, '/v1/subscriptions', {
      integration: 'work-board',
      trigger,
      config: { boards: [boards[n]] },
      agent: { url: `${agent.origin}/start` },
    })
  const { items } = await ask(own, '/v1/hooks')
  const hookOf = (board: string) =>
    (items as { model: string; callbackUrl: string }[]).find(({ model }) => model.endsWith(board))!.callbackUrl
  const lanes = await Promise.all(ports.map((port) => openSockets(port, Math.ceil(sockets / count))))
  const deliver = async (what: What, deliveryCount: number) => {
    const board = boards[what === 'intake' ? 0 : 1]!
    const url = hookOf(board)
    const requests = Array.from(
      { length: deliveryCount },
      () => delivery(board, url, appSecret, ...(what === 'starts' ? (['commentCard'] as const) : [])).request,
    )
    await Promise.all(lanes.map((each, n) => each.sendAll(requests.filter((_, at) => at % count === n))))
  }
  return {
    pids: nodes.map((node) => node.pid()),
    deliver,
    async close() {
      for (const each of lanes) each.close()
      for (const node of nodes) await node.kill()
    },
  }
}

const openApart = async (databaseUrls: string[]) => {
  const servers = await Promise.all(databaseUrls.map((url) => openNodes(1, url, width / apart)))
  return {
    pids: servers.flatMap(({ pids }) => pids),
    deliver: async (what: What, count: number) =>
      void (await Promise.all(servers.map((server) => server.deliver(what, count / apart)))),
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  }
}

const openBoss = async (databaseUrl: string) => {
  const child = fork(fileURLToPath(new URL('./nodes-boss.ts', import.meta.url)), [
    JSON.stringify({ databaseUrl, agent: agent.origin }),
  ])
  const next = () =>
    new Promise<Done>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Done))
      child.once('exit', () => reject(new Error('pg-boss ended.')))
    })
  await next()
  return {
    pids: [child.pid!],
    async deliver(what: What, count: number) {
      const done = next()
      child.send({ what, count } satisfies Order)
      return (await done).ms
    },
    close: async () => child.disconnect(),
  }
}

/** A connection of the bench itself. */
const openDatabase = async (kind: Kind, databaseUrl: string) => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const openStarts = async () => {
    if (kind === 'pg-boss') return 0
    const { rows } = await client.query(
      `select count(*)::int as count from toolyard.starts where state in ('pending', 'leased')`,
    )
    return rows[0].count as number
  }
  return {
    /** Counts the rows of its tables, as it does by itself once a minute. */
    analyze: async () => void (await client.query('analyze')),
    /** Resolves when the end of every start is recorded. */
    async settled() {
      while ((await openStarts()) > 0) await new Promise((resolve) => setTimeout(resolve, 50))
    },
    close: () => client.end(),
  }
}

const open = (kind: Kind, databaseUrls: string[]) =>
  kind === 'pg-boss'
    ? openBoss(databaseUrls[0]!)
    : kind === 'apart'
      ? openApart(databaseUrls)
      : openNodes(kind === 'embedded' ? 1 : kind, databaseUrls[0])

const measure = async (kind: Kind): Promise<Figures> => {
  const databaseCount = kind === 'embedded' ? 0 : kind === 'apart' ? apart : 1
  const databaseUrls: string[] = []
  while (databaseUrls.length < databaseCount) databaseUrls.push(await postgres.createDatabase())
  const opened = await open(kind, databaseUrls)
  const databases = await Promise.all(databaseUrls.map((url) => openDatabase(kind, url)))
  const settled = async () => void (await Promise.all(databases.map((each) => each.settled())))
  const cpuMs = () => processorMs(opened.pids) + (databaseCount === 0 ? 0 : processorMs([postgres.pid()!]))
  /** Milliseconds until all are answered, and where they start agents, until these are called. */
  const deliver = async (what: What, count: number): Promise<number> => {
    const before = agent.called()
    const began = performance.now()
    const ownMs = await opened.deliver(what, count)
    if (ownMs !== undefined) return ownMs
    if (what === 'starts') await agent.calledTimes(before + count)
    return performance.now() - began
  }
  const figures = {} as Figures
  for (const what of ['intake', 'starts'] as const) {
    // Each node needs as many as a single one, until its code is compiled.
    for (let n = 0; n < opened.pids.length; n += 1) {
      await deliver(what, warmUp[what])
      await settled()
      for (const database of databases) await database.analyze()
    }
    const before = cpuMs()
    const rate = counts[what] / ((await deliver(what, counts[what])) / 1000)
    await settled()
    figures[what] = { rate, cpuMs: (cpuMs() - before) / counts[what] }
  }
  for (const database of databases) await database.close()
  await opened.close()
  return figures
}

const figures = new Map<Kind, Figures[]>(kinds.map((kind) => [kind, []]))
for (let generation = 0; generation < generations; generation += 1)
  for (const kind of kinds) figures.get(kind)!.push(await measure(kind))
const ratio = (what: What, kind: Kind, against: Kind, of: 'rate' | 'cpuMs' = 'rate') =>
  median(figures.get(kind)!.map((figure, n) => figure[what][of] / figures.get(against)![n]![what][of]))
const middle = (what: What, kind: Kind, of: 'rate' | 'cpuMs') =>
  median(figures.get(kind)!.map((figure) => figure[what][of]))
const titles = {
  intake: 'durable intake (signature, commit, answer)',
  starts: 'from the delivery to the call of the agent',
}
const named = (kind: Kind) =>
  kind === 'embedded' || kind === 'pg-boss' ? kind : kind === 1 ? '1 node' : `${kind} nodes`

report(
  'nodes',
  (['intake', 'starts'] as const).flatMap((what) => [
    ...([1, 2, 4] as const).flatMap((kind) => [
      row(
        `${titles[what]}, ${named(kind)} on PostgreSQL against the embedded store`,
        ratio(what, kind, 'embedded'),
        'x',
      ),
      row(
        `${titles[what]}, ${named(kind)} on PostgreSQL against plain pg-boss with the same rows`,
        ratio(what, kind, 'pg-boss'),
        'x',
        what === 'starts' && kind === 1 ? '>= 0.5' : null,
      ),
    ]),
    ...([2, 4] as const).map((kind) =>
      row(
        `${titles[what]}, processor time for each event, ${named(kind)} against 1 node`,
        ratio(what, kind, 1, 'cpuMs'),
        'x',
        what === 'starts' && kind === 4 ? '<= 1.2' : null,
      ),
    ),
    row(
      `${titles[what]}, processor time for each event, 4 nodes against 4 servers that share nothing`,
      ratio(what, 4, 'apart', 'cpuMs'),
      'x',
    ),
    ...(['embedded', 'pg-boss', 1, 4] as const).map((kind) =>
      row(`${titles[what]}, processor time for each event, ${named(kind)}`, middle(what, kind, 'cpuMs'), 'ms'),
    ),
    ...(['embedded', 'pg-boss', 1] as const).map((kind) =>
      row(`${titles[what]}, ${named(kind)}`, middle(what, kind, 'rate'), 'per second'),
    ),
  ]),
)
await sandbox.close()
agent.close()
await postgres.close()
rmSync(folder, { recursive: true, force: true })
