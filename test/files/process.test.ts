import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openSqlite } from '../../shared/store/sqlite.ts'
import { start, withDirectory } from '../faces/process.ts'
import { bytesOf } from './world.ts'

const token = 'a-token-for-the-files'
const serve = async (directory: string) => {
  const server = start(['serve'], {
    TOOLYARD_DATA: directory,
    TOOLYARD_PORT: '0',
    TOOLYARD_TOKEN: token,
    TOOLYARD_LOG_LEVEL: 'warn',
  })
  await server.printed('Token')
  const origin = /Address\s+(http\S+)/.exec(server.out())![1]!
  return { server, origin }
}
const ask = (url: string, init: object = {}) =>
  fetch(url, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'file-name': 'a.bin', ...(init as { headers?: object }).headers },
  })

const piece = bytesOf(64 * 1024)
const pieces = (count: number, pauseMs = 0) =>
  async function* () {
    for (let at = 0; at < count; at += 1) {
      if (pauseMs > 0) await new Promise((done) => setTimeout(done, pauseMs))
      yield piece
    }
  }
const upload = (origin: string, count: number, pauseMs = 0) =>
  ask(`${origin}/v1/files`, { method: 'POST', body: pieces(count, pauseMs)(), duplex: 'half' })

/** In MB. */
const memoryOf = async (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) / 1000

it.skipIf(process.platform !== 'linux')('10 MB in and out take less than 60 MB more memory', () =>
  withDirectory(async (directory) => {
    const { server, origin } = await serve(directory)
    try {
      await upload(origin, 16)
      let most = 0
      const before = await memoryOf(server.pid)
      const watch = setInterval(() => void memoryOf(server.pid).then((now) => (most = Math.max(most, now))), 5)
      const { id, size } = (await (await upload(origin, 160)).json()) as { id: string; size: number }
      expect(size).toBe(160 * piece.length)
      let got = 0
      for await (const part of (await ask(`${origin}/v1/files/${id}`)).body!) got += part.length
      clearInterval(watch)
      expect(got).toBe(size)
      expect(most).toBeGreaterThan(before)
      expect(most - before).toBeLessThan(60)
    } finally {
      server.kill('SIGTERM')
      await server.ended
    }
  }),
)

it('a server that is killed while a file comes in leaves nothing of it for longer than a restart', () =>
  withDirectory(async (directory) => {
    const left = () => {
      const db = openSqlite(join(directory, 'toolyard.db'), { readOnly: true })
      const [row] = db.run(
        `select count(*) as files, coalesce(sum(size), 0) as bytes from files where expires_at > ?`,
        [Date.now()],
      ).rows
      db.close()
      return row as { files: number; bytes: number }
    }
    const first = await serve(directory)
    const whole = (await (await upload(first.origin, 3)).json()) as { id: string; sha256: string }
    const cut = upload(first.origin, 500, 10).catch(() => 'cut')
    for (let tries = 0; tries < 500 && left().bytes < 500_000; tries += 1)
      await new Promise((done) => setTimeout(done, 10))
    first.server.kill('SIGKILL')
    expect(await cut).toBe('cut')
    await first.server.ended
    const second = await serve(directory)
    try {
      // Whatever had come in is past its time, so that the next retention removes it; the whole file is not.
      expect(left()).toEqual({ files: 1, bytes: 3 * piece.length })
      expect(await (await ask(`${second.origin}/v1/files/${whole.id}/metadata`)).json()).toEqual(whole)
    } finally {
      second.server.kill('SIGTERM')
      await second.server.ended
    }
  }))
