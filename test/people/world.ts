import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'

/** Everybody who may have an account: five people of two tenants, and the workspace of each. */
export const owners = {
  red: ['ann', 'bea', 'cem', ''],
  blue: ['ann', 'dov', ''],
} as const
export type Tenant = keyof typeof owners
export const tenants = Object.keys(owners) as Tenant[]
/** `ann` of red and `ann` of blue are two people with one id. */
export const nameOf = (tenant: string, person: string) => `${tenant}/${person || 'workspace'}`

/**
 * Stands before a sandbox and counts whose credential each request has, replacing it by `real` where given: at the
 * sandbox itself there is one account.
 */
const startCounter = async (origin: string, real?: string) => {
  const accounts = new Map<string, string>()
  const counts: Record<string, number> = {}
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      void (async () => {
        const shown = JSON.stringify([request.url, request.headers]) + Buffer.concat(parts).toString()
        const secret = [...accounts.keys()].find((text) => shown.includes(text))
        const account = secret === undefined ? 'nobody' : accounts.get(secret)!
        counts[account] = (counts[account] ?? 0) + 1
        const replaced = (text: string) => (real && secret ? text.replaceAll(secret, real) : text)
        const headers = Object.fromEntries(
          Object.entries(request.headers)
            .filter(([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name))
            .map(([name, value]) => [name, replaced(String(value))]),
        )
        const hasBody = request.method !== 'GET' && parts.length > 0
        const reply = await fetch(`${origin}${replaced(request.url!)}`, {
          method: request.method!,
          headers,
          ...(hasBody ? { body: Buffer.concat(parts) } : {}),
        })
        response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'text/plain' })
        response.end(Buffer.from(await reply.arrayBuffer()))
      })().catch((error: unknown) => response.writeHead(500).end(String(error)))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accounts,
    counts,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

/** A server whose every account is at a sandbox that counts. */
export const openPeopleWorld = async () => {
  const sandbox = await startSandbox({
    board: { timeScale: 0.001 },
    contact: { limits: { requests: 100_000, windowMs: 1_000 } },
  })
  const board = await startCounter(sandbox.board.origin)
  const contact = await startCounter(sandbox.contact.origin, String(Object.values(sandbox.contact.credentials)[0]))
  const noPace = { limits: [], concurrency: 50 }
  const pack = await createPack({
    wire: {
      'work-board': { ...sandbox.wire['work-board'], baseUrl: board.origin, pace: noPace },
      'contact-data': { ...sandbox.wire['contact-data'], baseUrl: contact.origin, pace: noPace },
    },
    egress: { ownOrigins: [board.origin, contact.origin, sandbox.board.origin, sandbox.contact.origin] },
    limits: { tenant: { requestsPerSecond: 100_000, burst: 100_000 } },
  })
  const http = await createHttp({ pack, version: '0.0.0' })
  const address = await http.listen({ host: '127.0.0.1', port: 0 })
  pack.servedAt(address)
  const [field] = Object.keys(sandbox.contact.credentials)
  const connections: { [name: string]: { board: string; contact: string } } = {}
  const tokens: { [name: string]: string } = {}
  /** Decides about the runs of a tenant. */
  const approvers = {} as { [tenant in Tenant]: string }
  for (const tenant of tenants) {
    await pack.tenants.create({ id: tenant, name: tenant })
    await pack.approvalRules.create(
      { tenant },
      { when: { steps: ['work-board/create-list'] }, by: 'approvers', expiresMinutes: 60 },
    )
    approvers[tenant] = (await pack.tokens.create(tenant, { name: 'approver', scopes: ['approvals'] })).text
    for (const person of owners[tenant]) {
      const name = nameOf(tenant, person)
      const { token } = sandbox.board.control.issueToken({ write: true, read: true, account: true })
      board.accounts.set(token, name)
      const key = `key-of-${tenant}-${person || 'workspace'}`.padEnd(40, '.')
      contact.accounts.set(key, name)
      const whose = person === '' ? {} : { person }
      const made = {
        board: await pack.connections.create(
          { tenant },
          {
            integration: 'work-board',
            type: 'key-token',
            name: 'Board',
            secrets: { key: sandbox.board.credentials.key, token },
            ...whose,
          },
        ),
        contact: await pack.connections.create(
          { tenant },
          { integration: 'contact-data', type: 'api-key', name: 'Contacts', secrets: { [field!]: key }, ...whose },
        ),
      }
      connections[name] = { board: made.board.id, contact: made.contact.id }
      tokens[name] = (
        await pack.tokens.create(tenant, {
          name,
          scopes: ['run', 'connections', 'subscriptions', 'read'],
          ...whose,
        })
      ).text
    }
  }
  for (const { counts } of [board, contact]) for (const name of Object.keys(counts)) delete counts[name]
  return {
    pack,
    http,
    address,
    sandbox,
    board,
    contact,
    connections,
    tokens,
    approvers,
    async close() {
      await http.close()
      await pack.close()
      await board.close()
      await contact.close()
      await sandbox.close()
    },
  }
}
export type PeopleWorld = Awaited<ReturnType<typeof openPeopleWorld>>
