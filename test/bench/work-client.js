/**
 * One build of the package at work in a process of its own. Arguments: folder of the build, work, and as JSON the
 * provider's origin and credentials. The parent asks for work, and for figures of it.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'

const [dist, work, text] = process.argv.slice(2)
const { origin, secrets, appSecret, board } = JSON.parse(text)
/** The modules, without the entries that check Node's version; 0.1.0 has no other files than those. */
const load = (name) =>
  import(existsSync(`${dist}/${name}-module.js`) ? `${dist}/${name}-module.js` : `${dist}/${name}.js`)
const { createPack, openSqliteStore } = await load('index')

const caller = { tenant: 'default' }
const list = (count) => String(count).padStart(24, '0')
const card = {
  idList: list(1),
  name: 'Call the printer',
  desc: 'About the second proof',
  due: '2026-12-01T09:00:00.000Z',
  pos: '1',
}

const openPack = async (isStored) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const pack = await createPack({
    // More calls than a tenant makes in the time that outcomes are stored. 0.1.0 has other limits of a tenant, and never
    // ends a call when it is given these.
    ...(work === 'keyed' ? { limits: { tenant: { keyedMegabytes: 10_000 } } } : {}),
    wire: { 'work-board': { baseUrl: origin, pace: { limits: [], concurrency: 64 } } },
    egress: { privateOrigins: [origin] },
    agentOrigins: ['http://127.0.0.1:9'],
    ...(isStored
      ? { store: await openSqliteStore({ directory: folder, now: Date.now }), masterKey: Buffer.alloc(32, 1) }
      : {}),
  })
  if (appSecret) await pack.apps.put(caller, 'work-board', { key: secrets.key, secret: appSecret })
  await pack.connections.create(caller, { integration: 'work-board', type: 'key-token', name: 'Bench', secrets })
  return pack
}

const step = async () => {
  const pack = await openPack(work === 'stored' || work === 'keyed')
  const call = /^\d/.test(work)
    ? { step: 'get-list-cards', input: { idList: list(work), fields: 'all', limit: 1000 } }
    : { step: 'create-card', input: card }
  let count = 0
  return async () => {
    const key = work === 'keyed' ? { idempotencyKey: `k${(count += 1)}` } : {}
    const outcome = await pack.steps.run(caller, { integration: 'work-board', ...call, ...key })
    if (!outcome.ok) throw new Error(`${outcome.failure.code} ${outcome.failure.message}`)
  }
}

/** The address to which the parent sends deliveries; each concerns a subscription that nobody starts yet. */
const receiver = async () => {
  const { default: toolyard } = await load('fastify')
  const pack = await openPack(true)
  const server = createServer()
  const ignored = () => {}
  await toolyard(
    {
      prefix: '',
      addHook: ignored,
      removeAllContentTypeParsers: ignored,
      addContentTypeParser: ignored,
      all: (url, handle) =>
        url === '/*' && server.on('request', (raw, reply) => handle({ raw }, { raw: reply, hijack: ignored })),
    },
    { pack },
  )
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  pack.servedAt(`http://127.0.0.1:${port}`)
  await pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger: 'new-board-activity',
    config: { boards: [board] },
    agent: { url: 'http://127.0.0.1:9/start' },
  })
  const [hook] = (await pack.hooks.list(caller, { limit: 1 })).items
  return { port, callbackUrl: hook.callbackUrl }
}

const isReceiver = work === 'delivery'
const ready = isReceiver ? await receiver() : {}
const run = isReceiver ? undefined : await step()

const answers = {
  /** Runs so many, one after the other. */
  async run({ count }) {
    for (let done = 0; done < count; done += 1) await run()
  },
  /** µs of CPU for each run in this time. */
  async drive({ ms, width }) {
    let runs = 0
    const until = performance.now() + ms
    const before = process.cpuUsage()
    const lane = async () => {
      for (; performance.now() < until; runs += 1) await run()
    }
    await Promise.all(Array.from({ length: width }, lane))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / runs
  },
  /** µs of CPU so far. */
  cpu() {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  /** Valgrind begins a new count where this function of libuv is called, and nothing else calls it. */
  mark: () => void getPriority(),
  end: () => process.exit(),
}
process.on('message', async (ask) => process.send({ answer: await answers[ask.do](ask) }))
process.once('disconnect', () => process.exit())
process.send({ answer: ready })
