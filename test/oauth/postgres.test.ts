/** Sign-in of programs where the data are in PostgreSQL, whose writes name the tenant that they are of. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../shared/pack.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { askToken, openSignInWorld, signedInClient, statusAt } from './world.ts'

describe.skipIf(postgresIsMissing())('PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterAll(() => server.close())

  it('lets a program register, get tokens and renew them, and ends them when one is used twice', async () => {
    const store = await openPostgresStore({ url: await server.createDatabase(), clock: systemClock, log: () => {} })
    const world = await openSignInWorld({ store, masterKey: Buffer.alloc(32, 3), accounts: 'none' })
    const { client, access, refresh } = await signedInClient(world)
    expect(await statusAt(world.address, '/mcp', access)).toBe(200)
    const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id: client }
    const renewed = await askToken(world.address, form)
    expect(renewed).toMatchObject({ status: 200, json: { scope: expect.stringContaining('run') } })
    expect(await statusAt(world.address, '/mcp', renewed.json['access_token'])).toBe(200)
    expect((await askToken(world.address, form)).json['error']).toBe('invalid_grant')
    expect(await statusAt(world.address, '/mcp', renewed.json['access_token'])).toBe(401)
    await world.close()
  })
})
