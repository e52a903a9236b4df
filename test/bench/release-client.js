/**
 * A client in a process of its own, of whichever build it is told: `undici`, `fetch`, or a step with the library in a folder. Arguments: its name,
 * origin of the mock, work, folder of the library. Gives µs of CPU for each run in the time that the parent asks for.
 */
const [name, origin, work, dist] = process.argv.slice(2)
const list = (count) => String(count).padStart(24, '0')
const secrets = {
  key: 'b41f7e0c95d2483aa6f1c0e7d39b5528',
  token: 'ATTA9c1de27ab04f8835e6d2c7719fb3a06d4e85c12f7b90ad36e15f84c2b7d9e0a3fC0FFEE1',
}
const card = {
  idList: list(1),
  name: 'Call the printer',
  desc: 'About the second proof',
  due: '2026-12-01T09:00:00.000Z',
}
const headers = {
  authorization: `OAuth oauth_consumer_key="${secrets.key}", oauth_token="${secrets.token}"`,
  'content-type': 'application/json',
}
const isCreate = work === 'create'
const path = isCreate ? '/1/cards' : `/1/lists/${list(work)}/cards?fields=all&limit=1000`
const sent = isCreate ? { ...card, pos: 1 } : undefined

const clients = {
  async undici() {
    const { Pool } = await import('undici')
    const pool = new Pool(origin, { connections: 64, pipelining: 1 })
    return async () => {
      const reply = await pool.request({
        method: isCreate ? 'POST' : 'GET',
        path,
        headers,
        body: sent && JSON.stringify(sent),
      })
      return reply.body.json()
    }
  },
  async fetch() {
    return async () =>
      (
        await fetch(origin + path, { method: isCreate ? 'POST' : 'GET', headers, body: sent && JSON.stringify(sent) })
      ).json()
  },
  async step() {
    const { createPack } = await import(new URL(`file://${dist}/index.js`).href)
    const caller = { tenant: 'default' }
    const wire = { 'work-board': { baseUrl: origin, pace: { limits: [], concurrency: 64 } } }
    const pack = await createPack({ wire, egress: { privateOrigins: [origin] } })
    await pack.connections.create(caller, { integration: 'work-board', type: 'key-token', name: 'Bench', secrets })
    const call = isCreate
      ? { step: 'create-card', input: { ...card, pos: '1' } }
      : { step: 'get-list-cards', input: { idList: list(work), fields: 'all', limit: 1000 } }
    return async () => {
      const outcome = await pack.steps.run(caller, { integration: 'work-board', ...call })
      if (!outcome.ok) throw new Error(`${outcome.failure.code} ${outcome.failure.message}`)
    }
  },
}

const run = await clients[name]()
const drive = async ({ ms, width }) => {
  let runs = 0
  const until = performance.now() + ms
  const before = process.cpuUsage()
  const lane = async () => {
    for (; performance.now() < until; runs += 1) await run()
  }
  await Promise.all(Array.from({ length: width }, lane))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / runs
}
process.on('message', async (ask) => (ask === 'end' ? process.exit(0) : process.send(await drive(ask))))
process.send('ready')
