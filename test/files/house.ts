import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener } from 'node:http'
import { connect } from 'node:net'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack, openSqliteStore, systemClock } from '../../shared/pack.ts'
import type { PackOptions } from '../../shared/pack.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import { makeFolder } from '../store/folder.ts'

export const masterKey = Buffer.alloc(32, 7)

/** A served pack over a store on disk, whose clock can be moved on. */
export const openHouse = async (options: PackOptions = {}) => {
  const directory = await makeFolder()
  let ahead = 0
  const now = () => Date.now() + ahead
  const lines: string[] = []
  const log: NonNullable<PackOptions['log']> = (level, event, fields) =>
    void lines.push(JSON.stringify({ level, event, ...fields }))
  const store = await openSqliteStore({ directory, now })
  const pack = await createPack({ store, masterKey, log, clock: { ...systemClock, now }, ...options })
  const http = await createHttp({ pack, version: '0.0.0', log, mcp: false })
  const origin = await http.listen({ host: '127.0.0.1', port: 0 })
  const tokenOf = async (tenant: string) =>
    (
      await pack.tokens.create(tenant, {
        name: 'All',
        scopes: tenant === 'default' ? ['run', 'read', 'admin'] : ['run', 'read'],
      })
    ).text
  const token = await tokenOf('default')
  const ask = (path: string, init: RequestInit & { token?: string } = {}) =>
    fetch(origin + path, { ...init, headers: { authorization: `Bearer ${init.token ?? token}`, ...init.headers } })
  return {
    pack,
    store,
    directory,
    origin,
    token,
    lines,
    tokenOf,
    ask,
    askJson: async (path: string, init?: Parameters<typeof ask>[1]) => (await (await ask(path, init)).json()) as any,
    upload: (name: string, content: Uint8Array | string, headers: Record<string, string> = {}) =>
      ask('/v1/files', {
        method: 'POST',
        body: content as never,
        headers: { 'file-name': encodeURIComponent(name), ...headers },
      }),
    moveOn: (ms: number) => void (ahead += ms),
    /** Everything of files that is on disk. */
    left(): { files: number; chunks: number } {
      const db = openSqlite(join(directory, 'toolyard.db'), { readOnly: true })
      const count = (table: string) => Number(db.run(`select count(*) as n from ${table}`).rows[0]!['n'])
      const counts = { files: count('files'), chunks: count('file_chunks') }
      db.close()
      return counts
    },
    /** Removes what is past its time, as retention does. */
    async prune() {
      const at = now()
      for (;;) {
        const { more } = await store.prune({
          now: at,
          payloads: 0,
          starts: 0,
          deleted: 0,
          runs: 0,
          ownWrites: 0,
          audit: 0,
          gaps: 0,
          limit: 100,
        })
        if (!more) return
      }
    },
    async close() {
      await http.close()
      await pack.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
export type House = Awaited<ReturnType<typeof openHouse>>

/** Bytes that no compression and no other file has. */
export const bytesOf = (size: number, seed = 1): Buffer => {
  const bytes = Buffer.alloc(size)
  let state = seed
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

/** A server of somebody else's. */
export const serveElsewhere = async (answer: RequestListener) => {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address() as { port: number }
  return {
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

/** Writes raw bytes to a server and gives what it answered by the time the connection ended. */
export const talk = (
  origin: string,
  pieces: (string | Buffer)[],
  options: { hangUp?: boolean } = {},
): Promise<string> =>
  new Promise((done) => {
    const { port } = new URL(origin)
    let said = ''
    const socket = connect(Number(port), '127.0.0.1', () => {
      for (const piece of pieces) socket.write(piece)
      if (options.hangUp) setTimeout(() => socket.destroy(), 100)
    })
    socket.on('data', (part) => {
      said += String(part)
      if (/\r\n\r\n[^]+/.test(said)) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => done(said))
  })
