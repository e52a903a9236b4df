import { connect } from 'node:net'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openSqliteStore, systemClock } from '../../shared/pack.ts'
import type { PackOptions } from '../../shared/pack.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import { makeFolder } from '../store/folder.ts'
import { createCloser } from '../support/closing.ts'
import { serveWorld } from '../support/http-world.ts'
import { openWorld } from '../support/world.ts'

export const masterKey = Buffer.alloc(32, 7)

/** Removes whatever is past its time, as retention does. */
export const ages = { payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: 0, audit: 0, gaps: 0, limit: 100 }

/** A served pack over a store on disk, whose clock can be moved on. */
export const openFilesWorld = async (options: PackOptions = {}) => {
  const { close, add } = createCloser()
  const directory = await makeFolder()
  add(() => rm(directory, { recursive: true, force: true }))
  let ahead = 0
  const now = () => Date.now() + ahead
  const store = await openSqliteStore({ directory, now })
  const world = await openWorld({ store, masterKey, clock: { ...systemClock, now }, ...options })
  const served = await serveWorld(world, { mcp: false }, { name: 'All', scopes: ['run', 'read', 'admin'] })
  add(served.close)
  const origin = await served.listen()
  const ask = (path: string, init: RequestInit & { token?: string } = {}) =>
    fetch(origin + path, {
      ...init,
      headers: { authorization: `Bearer ${init.token ?? served.token}`, ...init.headers },
    })
  return {
    pack: served.pack,
    lines: served.lines,
    token: served.token,
    tokenOf: (tenant: string) => served.tokenWith(['run', 'read'], tenant),
    store,
    directory,
    origin,
    ask,
    askJson: async (path: string, init?: Parameters<typeof ask>[1]) => (await (await ask(path, init)).json()) as any,
    upload: (name: string, content: Uint8Array | string, headers: Record<string, string> = {}) =>
      ask('/v1/files', {
        method: 'POST',
        body: content as never,
        headers: { 'file-name': encodeURIComponent(name), ...headers },
      }),
    moveOn: (ms: number) => void (ahead += ms),
    /** What is on disk of files. */
    left(): { files: number; chunks: number } {
      const db = openSqlite(join(directory, 'toolyard.db'), { readOnly: true })
      const count = (table: string) => Number(db.run(`select count(*) as n from ${table}`).rows[0]!['n'])
      const counts = { files: count('files'), chunks: count('file_chunks') }
      db.close()
      return counts
    },
    async prune() {
      const at = now()
      for (let more = true; more;) ({ more } = await store.prune({ now: at, ...ages }))
    },
    close,
  }
}
export type FilesWorld = Awaited<ReturnType<typeof openFilesWorld>>

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

/** Writes raw bytes to a server and returns what it answered by the time the connection ended. */
export const talk = (
  origin: string,
  pieces: (string | Buffer)[],
  options: { hangUp?: boolean } = {},
): Promise<string> =>
  new Promise((done) => {
    const { port } = new URL(origin)
    let answer = ''
    const socket = connect(Number(port), '127.0.0.1', () => {
      for (const piece of pieces) socket.write(piece)
      if (options.hangUp) setTimeout(() => socket.destroy(), 100)
    })
    socket.on('data', (part) => {
      answer += String(part)
      if (/\r\n\r\n[^]+/.test(answer)) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => done(answer))
  })
