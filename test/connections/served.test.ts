import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, it } from 'vitest'
import { start, toolyard, withDirectory } from '../faces/process.ts'
import type { Started } from '../faces/process.ts'

/** Keys and sealed values of a served process, with its database on the disk. */
let server: Started | undefined
afterEach(async () => {
  server?.kill('SIGKILL')
  await server?.ended
})

const serve = async (directory: string, env: Record<string, string> = {}) => {
  server = start(['serve', '--sandbox'], { TOOLYARD_DATA: directory, TOOLYARD_PORT: '0', ...env })
  await server.printed('Try:')
  const [, address] = /Address +(\S+)/.exec(server.out())!
  const token = (await readFile(join(directory, 'sandbox', 'token'), 'utf8')).trim()
  return async (path: string, { method = 'GET', body }: { method?: string; body?: object } = {}) => {
    const reply = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await reply.text()
    return { status: reply.status, text, json: text === '' ? undefined : (JSON.parse(text) as any) }
  }
}
const stop = async () => {
  server!.kill('SIGTERM')
  expect((await server!.ended).code).toBe(0)
  return server!.err()
}
type Ask = Awaited<ReturnType<typeof serve>>
const usage = (ask: Ask, connection: string) =>
  ask('/v1/steps/anz-data/api-call/run', {
    method: 'POST',
    body: { connection, input: { method: 'GET', path: '/account/usage' } },
  })
const connect = (ask: Ask, name: string) =>
  ask('/v1/connections', {
    method: 'POST',
    body: { integration: 'anz-data', type: 'api-key', name, secrets: { apiKey: 'anz-sandbox-key-0001' } },
  })
const keyIdsIn = async (directory: string) => {
  const bytes = await readFile(join(directory, 'sandbox', 'toolyard.db'))
  return new Set([...bytes.toString('latin1').matchAll(/"v1\.([0-9a-f]{12})\./g)].map(([, id]) => id))
}

it('rotation under load in a served process: no request fails, and no row is left under a former key', () =>
  withDirectory(async (directory) => {
    const ask = await serve(directory)
    const before = (await ask('/v1/admin/keys')).json.present as string
    const ids: string[] = []
    for (let n = 0; n < 8; n += 1) ids.push((await connect(ask, `Account ${n}`)).json.id)
    await ask('/v1/subscriptions', {
      method: 'POST',
      body: {
        integration: 'work-board',
        trigger: 'new-board',
        config: {},
        agent: { url: 'https://agents.example/start' },
      },
    })
    let isRotating = true
    const failed: string[] = []
    let calls = 0
    const load = async (worker: number) => {
      for (let n = 0; isRotating; n += 1) {
        const replies = [await usage(ask, ids[(worker + n) % ids.length]!)]
        const made = await connect(ask, `Passing ${worker} ${n}`)
        replies.push(
          made,
          await ask(`/v1/connections/${made.json.id}`, {
            method: 'PATCH',
            body: { secrets: { apiKey: 'anz-sandbox-key-0001' } },
          }),
          await ask('/v1/connections/authorize', { method: 'POST', body: { integration: 'anz-data' } }),
        )
        if (n % 2 === 0) replies.push(await ask(`/v1/connections/${made.json.id}`, { method: 'DELETE' }))
        calls += replies.length
        failed.push(...replies.filter(({ status }) => status >= 300).map(({ status, text }) => `${status} ${text}`))
      }
    }
    const workers = Array.from({ length: 4 }, (_, worker) => load(worker))
    const first = (await ask('/v1/admin/keys/rotate', { method: 'POST' })).json
    // The command goes through the running server.
    const second = await toolyard(['keys', 'rotate', '--json'], { TOOLYARD_DATA: directory })
    isRotating = false
    await Promise.all(workers)
    expect(failed).toEqual([])
    expect(calls).toBeGreaterThan(40)
    expect(first).toMatchObject({ made: true, failed: [], dropped: [before] })
    const { keyId } = JSON.parse(second.out) as { keyId: string }
    expect(JSON.parse(second.out)).toMatchObject({ made: true, failed: [], dropped: [first.keyId] })
    expect((await ask('/v1/admin/keys')).json).toEqual({
      present: keyId,
      previous: [],
      // For backups from before.
      kept: [first.keyId, before],
      rows: { [keyId]: expect.any(Number) },
    })
    await stop()
    // Free pages of the file too: what was there before a row was sealed anew is written over.
    expect(await keyIdsIn(directory)).toEqual(new Set([keyId]))
    const again = await serve(directory)
    for (const id of ids) expect((await usage(again, id)).status).toBe(200)
    expect((await again('/v1/admin/audit/verify')).json.ok).toBe(true)
  }))

const flipBit = (part: number) => (value: string) => {
  const parts = value.split('.')
  const bytes = Buffer.from(parts[part]!, 'base64url')
  bytes[bytes.length >> 1]! ^= 4
  parts[part] = bytes.toString('base64url')
  return parts.join('.')
}

it('a bit turned in the file, a value of another row and an unknown key id are refused in words, and the rest goes on', () =>
  withDirectory(async (directory) => {
    const ask = await serve(directory)
    const names = ['nonce', 'text', 'tag', 'moved', 'unknown key', 'whole']
    const ids = new Map<string, string>()
    for (const name of names) ids.set(name, (await connect(ask, name)).json.id)
    await stop()
    const db = new DatabaseSync(join(directory, 'sandbox', 'toolyard.db'))
    const sealed = (name: string) =>
      (
        JSON.parse(
          (db.prepare('select secrets from connections where id = ?').get(ids.get(name)!) as { secrets: string })
            .secrets,
        ) as { apiKey: string }
      ).apiKey
    const put = (name: string, value: string) =>
      db
        .prepare('update connections set secrets = ? where id = ?')
        .run(JSON.stringify({ apiKey: value }), ids.get(name)!)
    for (const [part, name] of [
      [2, 'nonce'],
      [3, 'text'],
      [4, 'tag'],
    ] as const)
      put(name, flipBit(part)(sealed(name)))
    put('moved', sealed('whole'))
    put('unknown key', sealed('unknown key').replace(/^v1\.[^.]+/, 'v1.0123456789ab'))
    db.close()

    await expect(serve(directory)).rejects.toThrow('sealed under the master key 0123456789ab')
    const damaged = await serve(directory, { TOOLYARD_LOST_MASTER_KEYS: '0123456789ab' })
    for (const name of names.slice(0, -1)) {
      const { status, json } = await usage(damaged, ids.get(name)!)
      expect([name, status, json.code]).toEqual([name, 424, 'not_connected'])
      expect(json.detail).toMatch(
        /^The stored secret "apiKey" (does not open: it was changed, moved here from elsewhere|is sealed under the master key "0123456789ab", which this process was not given)/,
      )
    }
    expect((await usage(damaged, ids.get('whole')!)).status).toBe(200)
    expect((await damaged('/readyz')).status).toBe(200)
    // What cannot be opened keeps the former key and is named; giving the secret again puts it right.
    const rotation = await damaged('/v1/admin/keys/rotate', { method: 'POST' })
    expect(rotation.json.failed.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      names
        .slice(0, -1)
        .map((name) => ids.get(name)!)
        .toSorted(),
    )
    for (const name of names.slice(0, -1)) {
      expect(
        (
          await damaged(`/v1/connections/${ids.get(name)}`, {
            method: 'PATCH',
            body: { secrets: { apiKey: 'anz-sandbox-key-0001' } },
          })
        ).status,
      ).toBe(200)
      expect((await usage(damaged, ids.get(name)!)).status).toBe(200)
    }
    expect((await damaged('/v1/admin/keys/rotate', { method: 'POST' })).json).toMatchObject({ failed: [] })
    const log = await stop()
    expect(log.match(/"event":"connection.not_opened"/g)).toHaveLength(names.length - 1)
    expect(log).not.toContain('"http.defect"')
  }))
