/** A write that fails leaves a program what it had, so that it may try again. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { migrate } from '../../shared/store/migrate.ts'
import { migrations } from '../../shared/store/migrations.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import { storeOver } from '../../shared/store/sqlite-store.ts'
import { makeFolder } from '../store/folder.ts'
import { askToken, letIn, openSignInWorld, redirectUri, statusAt } from './world.ts'

const directory = await makeFolder()
const sqlite = openSqlite(join(directory, 'toolyard.db'))
migrate(sqlite, migrations, () => {})
/** Part of the statements that fail. */
let failing: string | undefined
let onStatement = (_sql: string) => {}
const run: typeof sqlite.run = (sql, params) => {
  onStatement(sql)
  if (failing !== undefined && sql.includes(failing)) throw new Error('This write fails.')
  return sqlite.run(sql, params)
}
const store = storeOver({ ...sqlite, run }, { directory, now: Date.now, minFreeBytes: 0, onClosed: () => {} })
const world = await openSignInWorld({ store, masterKey: Buffer.alloc(32, 3), accounts: 'none' })
const { address } = world
afterAll(async () => {
  await world.close()
  await rm(directory, { recursive: true, force: true })
})

it.each(['insert into access_tokens', 'update grants set', 'update tokens set expires_at', 'update oauth_clients'])(
  'neither a code nor a refresh token is used up when "%s" fails',
  async (statement) => {
    const { client, code, verifier } = await letIn(world)
    const asked = async (form: Record<string, string>) => {
      failing = statement
      const failed = await askToken(address, { client_id: client, ...form })
      failing = undefined
      expect(failed.status).toBeGreaterThanOrEqual(500)
      return askToken(address, { client_id: client, ...form })
    }
    const first = await asked({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
    expect(first.status).toBe(200)
    const second = await asked({ grant_type: 'refresh_token', refresh_token: first.json['refresh_token'] })
    expect(second.status).toBe(200)
    expect(await statusAt(address, '/mcp', second.json['access_token'])).toBe(200)
  },
)

it('trying codes and refresh tokens out changes nothing, so that it makes nobody wait', async () => {
  const client_id = 'https://stranger.example/client.json'
  const wrong = 'x'.repeat(43)
  const changed: string[] = []
  onStatement = (sql) => {
    if (/^\s*(insert|update|delete)/i.test(sql)) changed.push(sql)
  }
  const answers = [
    await askToken(address, { grant_type: 'authorization_code', client_id, code: wrong }),
    await askToken(address, { grant_type: 'refresh_token', client_id, refresh_token: `tyr_${wrong}.${wrong}` }),
  ]
  onStatement = () => {}
  expect(answers.map(({ json }) => json['error'])).toEqual(['invalid_grant', 'invalid_grant'])
  expect(changed).toEqual([])
})
