/**
 * What a node of the package takes on PostgreSQL when it has nothing to do, and what it keeps after a load: `node
 * test/bench/idle.ts`. Figures of a process, which other work on the machine changes little.
 */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { must, openShared } from '../nodes/place.ts'
import { postgresIsMissing } from '../support/postgres.ts'
import { startCountingAgent } from './counting-agent.ts'
import { delivery, openSockets } from './deliveries.ts'
import { installPackage } from './installed.ts'
import { processorMs, residentMb } from './processor-time.ts'
import { median, report, row } from './support.ts'

const idleMs = Number(process.env.IDLE_MS ?? 20_000)
const eventCount = Number(process.env.EVENTS ?? 6000)
const width = 256
/** HAProxy's default. The suites ask ten times as often, which took half of the CPU of an idle node. */
const probeEveryMs = 2_000
/** After a start and after a load, V8 returns memory for half a minute; a node is idle after that. */
const settleMs = Number(process.env.SETTLE_MS ?? 45_000)

if (postgresIsMissing()) process.exit(0)

const installed = await installPackage()

const agent = await startCountingAgent()

const measure = async (count: number) => {
  const place = await openShared({
    nodes: count,
    agentOrigin: agent.origin,
    entry: installed.entry,
    probeEveryMs,
    wire: { pace: { limits: [], concurrency: 4 } },
    env: { TOOLYARD_LOG_LEVEL: 'warn', TOOLYARD_SCAN_SECONDS: '300' },
  })
  const watcher = new pg.Client({ connectionString: place.databaseUrl })
  await watcher.connect()
  const pids = place.nodes.map((node) => node.pid())
  const idle = async () => {
    await wait(settleMs)
    const before = pids.map((pid) => processorMs([pid]))
    const began = performance.now()
    await wait(idleMs)
    const seconds = (performance.now() - began) / 1000
    return median(pids.map((pid, n) => (processorMs([pid]) - before[n]!) / 1000 / seconds))
  }
  const connections = async () => {
    const { rows } = await watcher.query(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
    return Number(rows[0].n) / count
  }
  await place.connect()
  const board = place.board.control.overview()[0]!.id
  await must(place.origin, '/v1/subscriptions', {
    body: {
      integration: 'work-board',
      trigger: 'new-comment-added-to-card',
      config: { boards: [board] },
      agent: { url: `${agent.origin}/start` },
    },
  })
  const idleCpu = await idle()
  const { items } = await must(place.origin, '/v1/hooks')
  const url = (items as { callbackUrl: string }[])[0]!.callbackUrl
  const sockets = await Promise.all(place.nodes.map(({ port }) => openSockets(port, width / count)))
  let most = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, await connections())
      await wait(50)
    }
  })()
  const target = agent.called() + eventCount
  const requests = Array.from(
    { length: eventCount },
    () => delivery(board, url, place.board.credentials.appSecret, 'commentCard').request,
  )
  await Promise.all(sockets.map((each, n) => each.sendAll(requests.filter((_, at) => at % count === n))))
  await agent.calledTimes(target)
  isOver = true
  await watching
  for (const each of sockets) each.close()
  const idleAfterCpu = await idle()
  const memory = pids.map(residentMb)
  await watcher.end()
  await place.close()
  return { idleCpu, idleAfterCpu, most, memory }
}

const single = await measure(1)
const four = await measure(4)
report('idle', [
  row('connections of a node to PostgreSQL at the peak of a load, 1 node', single.most, '', '<= 8'),
  row('connections of a node to PostgreSQL at the peak of a load, 4 nodes', four.most, '', '<= 8'),
  row('CPU of an idle node on PostgreSQL, 1 node', single.idleCpu, 's/s', '<= 0.01'),
  row('CPU of an idle node on PostgreSQL, 4 nodes', four.idleCpu, 's/s', '<= 0.01'),
  row('CPU of an idle node on PostgreSQL after a load, 4 nodes', four.idleAfterCpu, 's/s', '<= 0.01'),
  row('resident memory after a load, 1 node', single.memory[0]!, 'MB'),
  row('resident memory of the largest of 4 nodes after a load', Math.max(...four.memory), 'MB', '<= 150'),
])
agent.close()
installed.remove()
